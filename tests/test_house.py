"""The house: imports go down only, no circle; heavy modules stay out of start-up; components say what they do."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from auditfw.config import bridge
from auditfw.config.places import shipped_conf
from auditfw.config.variants import doc_line, variants
from auditfw.kinds import KINDS
from auditfw.registry import components, registered
from auditfw.shipped import MODULES as SHIPPED_MODULES

PACKAGE = Path(__file__).resolve().parent.parent / "auditfw"

# A module may import modules of its own floor's number or below; the first match counts.
FLOORS = [
    ("auditfw.errors", 0),
    ("auditfw.records", 0),
    ("auditfw.digits", 0),
    ("auditfw.document", 0),
    ("auditfw.notes", 0),
    ("auditfw.statistics", 0),
    ("auditfw.agreement", 0),
    ("auditfw.pairs", 0),
    ("auditfw.markers", 0),
    ("auditfw.importing", 0),
    ("auditfw.interrupts", 0),
    ("auditfw.processes", 0),
    ("auditfw.lowering", 0),
    ("auditfw.native", 1),
    ("auditfw.slices", 2),
    ("auditfw.strata", 0),
    ("auditfw.ahead", 0),
    ("auditfw.samples", 0),
    ("auditfw.sinks", 0),
    ("auditfw.simulation", 0),
    ("auditfw.inputs", 1),
    ("auditfw.safety", 0),
    ("auditfw.disk", 0),
    ("auditfw.regular", 0),
    ("auditfw.masking", 0),
    ("auditfw.memory", 0),
    ("auditfw.trust", 6),
    ("auditfw.resuming", 8),
    ("auditfw.remembering", 0),
    ("auditfw.sweeping", 0),
    ("auditfw.bounds", 1),
    ("auditfw.scenes", 1),
    ("auditfw.alignment", 0),
    ("auditfw.posiwid", 0),
    ("auditfw.intentions", 0),
    ("auditfw.moments", 0),
    ("auditfw.compared", 0),
    ("auditfw.cells", 0),
    ("auditfw.locking", 0),
    ("auditfw.programs", 0),
    ("auditfw.scoring", 0),
    ("auditfw.tuning", 0),
    ("auditfw.solving", 0),
    ("auditfw.ledger", 0),
    ("auditfw.loops", 0),
    ("auditfw.streams", 0),
    ("auditfw.trials", 0),
    ("auditfw.judgements", 0),
    ("auditfw.bench", 1),
    ("auditfw.kinds", 2),
    ("auditfw.shipped", 0),
    ("auditfw.registry", 2),
    ("auditfw.machine", 1),
    ("auditfw.spine", 3),
    ("auditfw.parts", 3),
    ("auditfw.audits", 3),
    ("auditfw.config.places", 3),
    ("auditfw.config.guard", 3),
    ("auditfw.config.variants", 4),
    ("auditfw.config.schema", 4),
    ("auditfw.config.plugins", 4),
    ("auditfw.config.offered", 5),
    ("auditfw.config.bridge", 5),
    ("auditfw.config.layers", 4),
    ("auditfw.config.stored", 6),
    ("auditfw.config.commanding", 5),
    ("auditfw.config.composing", 5),
    ("auditfw.config.launching", 5),
    ("auditfw.config.complaints", 5),
    ("auditfw.config", 3),
    ("auditfw.files", 3),
    ("auditfw.finished", 3),
    ("auditfw.retell", 3),
    ("auditfw.shapes", 0),
    ("auditfw.execute", 6),
    ("auditfw.saying", 6),
    ("auditfw.shared", 6),
    ("auditfw.sweep", 7),
    ("auditfw.manual", 7),
    ("auditfw.listing", 7),
    ("auditfw.comparing", 6),
    ("auditfw.verbs", 7),
    ("auditfw.cli", 8),
    ("auditfw.__main__", 9),
    ("auditfw.benchmarks", 9),
    ("auditfw", 9),
]
ALLOWED_SIDEWAYS = {("auditfw.parts", "auditfw.audits"): "none", ("auditfw.audits", "auditfw.parts"): "none"}


def module_name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def imports(file: Path, only_top: bool = False) -> set[str]:
    """Modules a file imports, TYPE_CHECKING blocks left out; with `only_top` those imported when it is imported."""
    tree = ast.parse(file.read_text("utf-8"))
    name, package = module_name(file), file.name == "__init__.py"
    found: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if only_top and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            up = name.split(".")[: len(name.split(".")) - node.level + (1 if package else 0)]
            base = ".".join([*up, *([node.module] if node.module else [])]) if node.level else node.module or ""
            inner = {f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in MODULES}
            found |= inner if len(inner) == len(node.names) else inner | {base}
        todo += list(ast.iter_child_nodes(node))
    return found


def floor(module: str) -> int:
    return next(number for start, number in FLOORS if module == start or module.startswith(f"{start}."))


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down_only(module: str) -> None:
    for other in imports(MODULES[module]) & MODULES.keys():
        assert floor(other) <= floor(module), f"{module} imports {other}, which lies above it"


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith(("auditfw.parts.", "auditfw.audits."))])
def test_parts_and_audits_stay_apart(module: str) -> None:
    mine = module.split(".")[:3]
    for other in imports(MODULES[module]) & MODULES.keys():
        words = other.split(".")[:3]
        if words[:2] in (["auditfw", "parts"], ["auditfw", "audits"]) and len(words) == 3:
            assert words == mine, f"{module} imports {other}: parts of another kind and audits do not know each other"


def test_no_circle() -> None:
    graph = {m: imports(f) & MODULES.keys() - {m} for m, f in MODULES.items()}
    seen: dict[str, int] = {}

    def visit(module: str, path: list[str]) -> None:
        seen[module] = 1
        for other in sorted(graph[module]):
            if other in module.rsplit(".", 1)[0] and MODULES[other].name == "__init__.py":
                continue
            assert seen.get(other) != 1, f"a circle: {' > '.join([*path, module, other])}"
            if other not in seen:
                visit(other, [*path, module])
        seen[module] = 2

    for module in graph:
        if module not in seen and not module.startswith("auditfw.benchmarks"):
            visit(module, [])


@pytest.mark.parametrize("word", ["hydra", "omegaconf"])
def test_hydra_and_omegaconf_stay_where_they_belong(word: str) -> None:
    inside = (
        "arguments",
        "bridge",
        "choices",
        "commanding",
        "complaints",
        "composing",
        "launching",
        "layers",
        "offered",
        "stored",
    )
    allowed = {"hydra": (*(f"auditfw.config.{name}" for name in inside), "auditfw.cli", "auditfw.benchmarks")}
    places = allowed.get(word, ("auditfw.config", "auditfw.cli"))
    users = {m for m, f in MODULES.items() if any(i == word or i.startswith(f"{word}.") for i in imports(f))}
    assert {m for m in users if not m.startswith(places)} == set()


def modules_after(code: str) -> set[str]:
    """The modules of a fresh process that ran this."""
    check = f"{code}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_start_up_is_lean() -> None:
    """Neither telling Hydra what there is nor a worker process imports a heavy module, nor a component unasked."""
    heavy = {"polars", "numpy", "scipy", "pandas", "regex"}
    started = modules_after("import auditfw.config.bridge as b; b.prepare()")
    assert not started & {*heavy, *(module for module in SHIPPED_MODULES.values())}
    everything = "from auditfw.registry import components as c; from auditfw.kinds import KINDS; [c(k) for k in KINDS]"
    assert not modules_after(everything) & {*heavy, "hydra", "omegaconf", "rich"}


def test_a_run_imports_what_it_uses() -> None:
    code = "import auditfw.config.bridge as b; b.build(b.compose(['experiment=cross_agent', 'report=json']))"
    parts = {m for m in modules_after(code) if m in SHIPPED_MODULES.values()}
    assert not [m for m in parts if m.split(".")[2] in ("simulators", "solvers", "executors", "scenarios")]
    assert {m for m in parts if ".audits." in m} == {"auditfw.audits.consistency.audit"}


def test_shipped_components_stand_in_the_index() -> None:
    """Each module that registers a component says so in auditfw.shipped, and only those do."""
    for module in sorted(m for m in MODULES if m.startswith(("auditfw.parts.", "auditfw.audits."))):
        importlib.import_module(module)
    ours = {(e.kind, e.name): e.origin for e in registered() if e.origin.startswith("auditfw.")}
    assert ours == SHIPPED_MODULES, "auditfw/shipped.py tells the module of each component"


@pytest.mark.parametrize("kind", [k for k, told in KINDS.items()])
def test_names_and_doc_lines(kind: str) -> None:
    bridge.prepare()
    known, named = components(kind), variants(kind)
    assert not known.keys() & named.keys(), f"names both in conf/{kind} and in the registry"
    for name, entry in known.items():
        assert entry.doc.endswith("."), f"{kind} {name}: the first doc line is a sentence"
    for name, variant in named.items():
        assert variant.doc.endswith("."), f"conf/{kind}/{name}.yaml: the first comment is a sentence"


def test_yaml_headers() -> None:
    for file in shipped_conf().rglob("*.yaml"):
        first = file.read_text("utf-8").splitlines()[0]
        if file.name != "config.yaml":
            assert first.startswith("# @package "), f"{file}: '# @package' is the very first line"
        assert doc_line(file), f"{file}: says in a comment what it is"
