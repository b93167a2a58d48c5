"""Looks for what keeps people from reading report.html, by axe-core: `python .github/accessibility.py [PAGE...]`.

Without pages it makes those of every shipped experiment, of a sweep, of a run without gates, of an incomplete one, and
one for labels.
It needs npm, Playwright (extra `test`) and Chromium, found on the PATH or named in AUDITFW_BROWSER. It ends with exit
code 1 where a finding is serious or critical.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

AXE = "axe-core@4.14.1"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
EXPERIMENTS = (
    "answer_parsing", "posiwid", "posiwid_report", "cross_agent", "cross_agent_reference", "self_audit",
    "self_audit_alignment",
)  # fmt: skip
OTHERS = {
    "no_gates": ("gate=[]",),
    "incomplete": ("experiment=posiwid", "simulator=python", "simulator.function=failing:simulate"),
    "sweep": ("-m", "matcher=containment,exact", "parser=stored,answer_v2"),
}
FAILING = """def simulate(interventions, **_):
    raise ValueError("it did not converge")
"""
SHOWN = [(width, scheme, opened) for width in (1280, 768, 400) for scheme in ("light", "dark") for opened in (0, 1)]
OPEN = "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"
RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .map((one) => ({ id: one.id, impact: one.impact, help: one.help, nodes: one.nodes.map((node) => node.html) }))"""


def pages(folder: Path) -> Iterator[Path]:
    """The pages of all kinds, made in this folder."""
    (folder / "failing.py").write_text(FAILING, "utf-8")
    runs: dict[str, tuple[str, ...]] = {name: (f"experiment={name}",) for name in EXPERIMENTS}
    for name, words in {**runs, **OTHERS}.items():
        where = f"hydra.sweep.dir={name}" if "-m" in words else f"hydra.run.dir={name}"
        command = [sys.executable, "-P", "-m", "auditfw", *words, where]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
        page = folder / name / "report.html"
        if not page.is_file():
            raise SystemExit(f"{name}: no page\n{done.stderr}")
        yield page
    command = [sys.executable, "-P", "-m", "auditfw", "label", EXPERIMENTS[0], "n=20"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    yield folder / EXPERIMENTS[0] / "labels" / "page-1.html"


def axe(folder: Path) -> str:
    """The script of axe-core, by npm."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("no npm on the PATH: it fetches axe-core")
    subprocess.run([npm, "install", "--silent", "--prefix", str(folder), AXE], check=True)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def findings(browser: Any, script: str, page: Path) -> Iterator[tuple[str, str, str, str]]:
    """Impact, rule, help and element of each finding, in every width and scheme, its details closed and opened."""
    for width, scheme, opened in SHOWN:
        view = {"width": width, "height": 900}
        context = browser.new_context(viewport=view, color_scheme=scheme, bypass_csp=True)
        tab = context.new_page()
        tab.goto(page.as_uri())
        if opened:
            tab.evaluate(OPEN)
        tab.evaluate(script)
        for one in tab.evaluate(RUN):
            for node in one["nodes"]:
                yield str(one["impact"]), str(one["id"]), f"{one['help']} ({width} px, {scheme})", str(node)
        context.close()


def main(named: Sequence[str]) -> int:
    """Prints what is found on each page, a line for each rule. Returns the exit code."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("AUDITFW_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit("no Chromium on the PATH; name one in AUDITFW_BROWSER")
    bad = 0
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        script = axe(Path(made))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for page in map(Path, named) if named else pages(Path(made)):
            found = list(findings(browser, script, page.resolve()))
            counted = Counter((impact, rule) for impact, rule, _, _ in found)
            print(f"{page.parent.name}/{page.name}: {sum(counted.values())} findings in {len(SHOWN)} views", flush=True)
            for (impact, rule), n in sorted(counted.items()):
                why, node = next((help_, node) for i, r, help_, node in found if (i, r) == (impact, rule))
                print(f"  {impact} {rule} x {n}: {why}: {node[:160]}")
                bad += impact in ("serious", "critical")
        browser.close()
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
