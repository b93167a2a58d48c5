"""The house: imports go down only, no circle; heavy modules stay out of start-up; components say what they do."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from places import CASES, ROOT, TESTS

from auditfw.config import build
from auditfw.config.variants import doc_line, shipped_conf, variants
from auditfw.kinds import KINDS
from auditfw.kinds.capabilities import CAPABILITIES
from auditfw.kinds.component_index import FAMILIES, QUESTION_FAMILIES, QUESTIONS
from auditfw.kinds.component_index import MODULES as SHIPPED_MODULES
from auditfw.kinds.registry import components, names, registered

PACKAGE = ROOT / "auditfw"

# The floors of the house: a module may import modules of its own floor or below.
FLOORS = {
    "samples": 0,
    "core": 0,
    "kinds": 1,
    "formulas": 2,
    "components": 3,
    "audits": 3,
    "config": 4,
    "commands": 5,
}


def module_name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


class Facts(NamedTuple):
    """Of a file: modules it imports, by where; names it looks up, by function; classes; calls in each function."""

    imports: Mapping[str, set[str]]
    lookups: Mapping[str, set[str]]
    classes: list[str]
    calls: list[tuple[str, ast.Call]]


@cache
def facts(file: Path) -> Facts:
    made = Facts(defaultdict(set), defaultdict(set), [], [])
    tree = ast.parse(file.read_text("utf-8"))
    todo: list[tuple[ast.AST, str, str]] = [(node, "at the top", "") for node in tree.body]
    while todo:
        node, where, function = todo.pop()
        if isinstance(node, ast.Call) and function:
            made.calls.append((function, node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            where, function = "functions", getattr(node, "name", function)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            where = "for types"
        elif isinstance(node, ast.ClassDef):
            made.classes.append(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            made.imports[where].update(imported(node, file))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                made.lookups[node.func.id].add(name.value)
        todo += [(child, where, function) for child in ast.iter_child_nodes(node)]
    return made


def imported(node: ast.Import | ast.ImportFrom, file: Path) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    name, package = module_name(file), file.name == "__init__.py"
    up = name.split(".")[: len(name.split(".")) - node.level + (1 if package else 0)]
    base = ".".join([*up, *([node.module] if node.module else [])]) if node.level else node.module or ""
    inner = {f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in MODULES}
    return inner if len(inner) == len(node.names) else inner | {base}


def imports(file: Path, within: str = "the file") -> set[str]:
    """The modules imported within the file, also for type checks alone; or only those `at the top`, or `functions`."""
    made = facts(file).imports
    return set().union(*made.values()) if within == "the file" else made.get(within, set())


def floor(module: str) -> int:
    return FLOORS.get(module.split(".")[1], 6) if "." in module else 6


def of_the_house(module: str) -> set[str]:
    """The modules of the package that a module imports."""
    return imports(MODULES[module]) & MODULES.keys()


def test_imports_go_down_only() -> None:
    wrong = [f"{one} imports {other}" for one in MODULES for other in of_the_house(one) if floor(other) > floor(one)]
    assert wrong == [], "it lies above"


def room(module: str) -> list[str]:
    """The folder of a module that knows no other beside it: a kind of component, or an audit."""
    words = module.split(".")
    return words[1:3] if len(words) > 3 and words[1] in ("components", "audits") else words[1:2]


def strangers(module: str) -> list[str]:
    """The modules of another kind of component, or of another audit, that a module of one imports."""
    known = (room(module), ["components", "files"], ["audits"])
    return [one for one in of_the_house(module) if room(one)[0] in ("components", "audits") and room(one) not in known]


def test_components_and_audits_stay_apart() -> None:
    """No component knows another kind of component or an audit, no audit a component or another audit."""
    rooms = [module for module in MODULES if module.startswith(("auditfw.components.", "auditfw.audits."))]
    assert len(rooms) > 100
    assert {module: found for module in rooms if (found := strangers(module))} == {}


def test_no_circle() -> None:
    graph = {m: of_the_house(m) - {m} for m in MODULES}
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
        if module not in seen:
            visit(module, [])


HOMES = {
    "hydra": ("auditfw.config", "auditfw.commands.main"),
    "omegaconf": ("auditfw.config", "auditfw.commands.main"),
    "hydra._internal": ("auditfw.config.hydra",),
}


@pytest.mark.parametrize("word", HOMES)
def test_hydra_and_omegaconf_stay_where_they_belong(word: str) -> None:
    users = {m for m, f in MODULES.items() if any(i == word or i.startswith(f"{word}.") for i in imports(f))}
    assert {m for m in users if not m.startswith(HOMES[word])} == set()


# What a function may import, and not the top of its module: it is slow to import, or not there everywhere.
SLOW = {
    "numpy", "obstore", "polars", "regex", "rich", "scipy", "yaml", "hydra", "omegaconf",
    "fmpy", "gymnasium", "math_verify", "mlflow", "openai", "pysd", "sandlock", "sympy",
    "msgspec", "orjson", "pandas", "SALib", "sklearn", "statsmodels", "backports", "compression",
    "ctypes", "difflib", "multiprocessing", "platform", "socket", "statistics", "subprocess",
    "urllib.parse",
    "fcntl", "resource",
}  # fmt: skip
# The first modules of a command: what they import beforehand, every start of it waits for.
FIRST = {"auditfw.__main__", "auditfw.commands.main", "auditfw.core.interrupts"}
LATE = {
    ("auditfw.commands.compare", "auditfw.commands.comparison.gap_page"): "finished runs alone have no page",
    ("auditfw", "importlib"): "the package holds the public names alone",
    ("auditfw", "ast"): "the package holds the public names alone",
    ("auditfw.commands.pytest_plugin", "auditfw"): "every pytest imports it, and few need more of the package",
    ("auditfw.commands.run", "auditfw.config.hydra.errors"): "only a run that fails needs it",
    ("auditfw.config.build", "auditfw.config.hydra.errors"): "only a config that is wrong needs it",
    ("auditfw.components.engine.local", "auditfw.components.engine.server"): "only a source that is scanned needs it",
    ("auditfw.components.report.html", "auditfw.components.report.page"): "the page is made last, and not by each run",
    ("auditfw.commands.sweep.summary", "auditfw"): "the summary comes last",
    ("auditfw.commands.sweep.task", "auditfw.commands.sweep"): "the summary comes last",
    ("auditfw.components.files.columns.columns", "collections"): "may go to the top",
    ("auditfw.core.remote.places", "auditfw.core.remote.copies"): "only an address needs it",
    ("auditfw.core.remote.parts", "auditfw.core.remote.stores"): "only an address needs it",
}


def below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def slow_imports(module: str) -> set[str]:
    """The slow modules that come with a module: by its top, its packages, and what these import at their top."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += [*imports(MODULES[one], "at the top"), one.rpartition(".")[0]] if one in MODULES else []
    return {slow for slow in SLOW if any(below(one, slow) for one in seen)}


def belongs_at_the_top(module: str, other: str) -> bool:
    """Whether a function of a module imports another for no reason; a component is imported when it is chosen."""
    chosen = below(module, "auditfw.commands") and below(other, "auditfw.components")
    listed = any(one == module and below(other, late) for one, late in LATE)
    if module in FIRST or chosen or listed:
        return False
    return not slow_imports(other) - (slow_imports(module) if other in MODULES else set())


def test_functions_import_only_what_is_slow() -> None:
    needless = [
        f"{module} imports {other}"
        for module, file in MODULES.items()
        for other in sorted(imports(file, "functions"))
        if belongs_at_the_top(module, other)
    ]
    assert needless == [], "import it at the top of the module"


def modules_after(code: str) -> set[str]:
    """The modules of a fresh process that ran this."""
    check = f"{code}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_start_up_is_lean() -> None:
    """Neither telling Hydra what there is nor a worker process imports a heavy module, nor a component unasked."""
    heavy = {"polars", "numpy", "scipy", "pandas", "regex"}
    started = modules_after("import auditfw.config.build as b; b.prepare()")
    assert not started & {*heavy, *(module for module in SHIPPED_MODULES.values())}
    assert {module for module in started if below(module, "auditfw_arc")} == {"auditfw_arc"}
    everything = (
        "from auditfw.kinds.registry import components as c; from auditfw.kinds import KINDS; [c(k) for k in KINDS]"
    )
    assert not modules_after(everything) & {*heavy, "hydra", "omegaconf", "rich"}


def test_a_run_imports_what_it_uses() -> None:
    code = "import auditfw.config.build as b; b.build(b.compose(['experiment=cross_agent', 'report=json']))"
    parts = {m for m in modules_after(code) if m in SHIPPED_MODULES.values()}
    assert not [m for m in parts if m.split(".")[2] in ("simulator", "solver", "executor", "scenarios")]
    assert {m for m in parts if ".report." in m} == {f"auditfw.components.report.{n}" for n in ("consistency", "json")}
    assert {m for m in parts if ".audits." in m} == {"auditfw.audits.consistency.audit"}


def test_tests_lie_where_the_code_does() -> None:
    """The tests of auditfw/components/gate are in tests/components/gate; those of no one module lie in tests itself.

    The benchmarks are a package of their own beside their tests.
    """
    folders = {file.parent.relative_to(TESTS) for file in TESTS.rglob("test_*.py") if CASES not in file.parents}
    homes = PACKAGE, TESTS
    without = [f for f in folders if not any((home / f / "__init__.py").is_file() for home in homes)]
    assert sorted(map(str, without)) == []


def home(kind: str, name: str) -> str:
    """Where a component lies: what one types is where it lies."""
    if kind == "question":
        audit = next(of for of, all in QUESTIONS.items() if name in all.split())
        return f"auditfw.audits.{audit}.questions.{QUESTION_FAMILIES[audit].get(name, name)}"
    return f"auditfw.audits.{name}.audit" if kind == "audit" else f"auditfw.components.{kind}.{name}"


def test_what_one_types_is_where_it_lies() -> None:
    """Each component has a module of its own that bears its name; those of a family lie in their kind's folder."""
    for module in sorted(m for m in MODULES if m.startswith(("auditfw.components.", "auditfw.audits."))):
        importlib.import_module(module)
    ours = {(e.kind, e.name): e.origin for e in registered() if e.origin.startswith("auditfw.")}
    assert ours == SHIPPED_MODULES, "auditfw/kinds/component_index.py names each component"
    for (kind, name), module in ours.items():
        if any(name in family.split() for family in FAMILIES.get(kind, {}).values()):
            assert module.rpartition(".")[0] == f"auditfw.components.{kind}", f"{kind} {name} lies in {module}"
        else:
            assert module == home(kind, name), f"{kind}={name} lies in {module}"


def test_config_groups_are_kinds() -> None:
    """A folder of conf/ is a kind, and none of its options has the name of a component of that kind."""
    groups = {folder.name for folder in shipped_conf().iterdir() if folder.is_dir()}
    assert groups <= {*KINDS, "experiment", "hydra"}
    for kind in groups & KINDS.keys():
        named = {file.stem for file in (shipped_conf() / kind).glob("*.yaml")}
        assert not named & set(names(kind)), f"names both in conf/{kind} and in auditfw/components/{kind}"


@pytest.mark.parametrize("kind", [k for k, told in KINDS.items()])
def test_names_and_doc_lines(kind: str) -> None:
    build.prepare()
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


# Objects that are no components, and have an attribute of the same name: data frames, arrays, lines of a file.
FOREIGN = {
    ("components.files", "columns"),
    ("components.simulator", "columns"),
    ("components.simulator", "shape"),
    ("components.source", "raters"),
    ("audits.alignment", "shape"),
}


def looked_up(file: Path, *functions: str) -> set[str]:
    """The names, written out, that a file looks up by one of these functions."""
    return set().union(*(facts(file).lookups.get(name, ()) for name in functions))


def test_what_a_component_declares_is_looked_up_in_one_way() -> None:
    plain = {(m, name) for m, file in MODULES.items() for name in looked_up(file, "getattr", "hasattr")}
    wrong = {(m, name) for m, name in plain if name in CAPABILITIES and (".".join(room(m)), name) not in FOREIGN}
    assert wrong == set(), "write capability(part, name)"
    asked = {(m, name) for m, file in MODULES.items() for name in looked_up(file, "capability", "call_capability")}
    assert {(m, name) for m, name in asked if name not in CAPABILITIES} == set(), "name it in KINDS of auditfw.kinds"


def test_what_is_excepted_is_there() -> None:
    found = {(".".join(room(m)), name) for m, file in MODULES.items() for name in looked_up(file, "getattr", "hasattr")}
    assert found >= FOREIGN


def test_twelve_doors() -> None:
    doors = [one for one in PACKAGE.iterdir() if one.name not in ("__pycache__", "conf", "conf.py")]
    assert len(doors) <= 12, sorted(one.name for one in doors)


def test_no_folder_and_no_module_is_too_large() -> None:
    """At most 20 modules a folder, 350 lines a module."""
    folders = Counter(file.parent for file in MODULES.values() if file.name != "__init__.py")
    assert {folder.relative_to(PACKAGE).as_posix(): n for folder, n in folders.items() if n > 20} == {}
    assert {m: n for m, file in MODULES.items() if (n := len(file.read_text("utf-8").splitlines())) > 350} == {}


def test_one_class_name_is_one_class() -> None:
    named = Counter(name for file in MODULES.values() for name in facts(file).classes)
    assert [name for name, n in named.items() if n > 1] == []


def test_the_contributors_page() -> None:
    """Its links lead somewhere, and its picture is the one that the script draws from the code."""
    page = ROOT / ".github" / "CONTRIBUTING.md"
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
    for name in re.findall(
        r"`((?:core|config|commands|components|audits|kinds|formulas)/[\w/]*)`", page.read_text("utf-8")
    ):
        assert (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file(), name
    script = runpy.run_path(str(ROOT / ".github" / "pictures" / "tree.py"))
    do = "run python .github/pictures/tree.py"
    assert (ROOT / ".github" / "pictures" / "tree.svg").read_text("utf-8") == script["drawn"](), do


# Words that say little or that our readers do not know: their number in the package's Python may only fall.
WORDS = {"told": 1, "said": 8, "found": 149, "given": 70, "stretch": 0, "bench": 1, "foretell": 0, "oftener": 0}


@pytest.mark.parametrize("word", WORDS)
def test_words_grow_fewer(word: str) -> None:
    pattern = re.compile(rf"\b{word}\b")
    count = sum(len(pattern.findall(file.read_text("utf-8"))) for file in MODULES.values())
    assert count <= WORDS[word], f"'{word}' occurs {count} times: name the thing itself"


ENGINES, CALLS = (
    ("re", "regex"),
    ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"),
)
# Functions that build a pattern of escaped texts, of paths or of signs of ours; and the one that compiles all others.
BUILDING = {
    "formulas/texts/pattern_bounds.py: compiled",
    "audits/parsing/exhibits.py: truth_at",
    "components/files/paths.py: _of_folder",
    "components/files/paths.py: _patterns",
    "components/matcher/texts.py: collapsed",
    "components/matcher/texts.py: __call__",
    "components/matcher/texts.py: _tailing",
    "components/matcher/texts.py: test",
    "components/parser/options.py: _last",
    "components/step/answers.py: _ends",
    "components/step/answers.py: _pattern",
    "components/step/words.py: _pattern",
    "config/hydra/errors.py: _settable",
    "core/escaping.py: _suspect",
    "core/escaping.py: quoted",
    "formulas/markers.py: _ending",
    "formulas/markers.py: _starting",
    "formulas/texts/options.py: option_patterns",
    "core/masking.py: _pattern",  # of escaped values
    "core/masking.py: show_as",
    "core/remote/addresses.py: matches",
}


def test_patterns_are_compiled_in_one_place() -> None:
    """Outside it a pattern is a literal, or made of constants when its module is imported."""
    building = {
        f"{file.relative_to(PACKAGE).as_posix()}: {function}"
        for file in MODULES.values()
        for function, call in facts(file).calls
        if not _literal(call)
    }
    assert building == BUILDING


def _literal(call: ast.Call) -> bool:
    """Whether a call is none of an engine of patterns, or one whose pattern is written in the code."""
    function = call.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return True
    if function.value.id not in ENGINES or function.attr not in CALLS:
        return True
    constants = [node for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)]
    called = any(isinstance(node, ast.Call) for node in ast.walk(call.args[0]))
    return not called and all(re.fullmatch("_?[A-Z][A-Z_]*", node.id) for node in constants)
