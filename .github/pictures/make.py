"""Makes README's pictures from real runs: `python .github/pictures/make.py` writes them beside this script.

terminal.svg needs nothing more; the screenshots of report.html need Playwright (extra `test`) and Chromium, found on
the PATH or named in AUDITFW_BROWSER.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
WIDTH = 88
PAGE = "page: outputs/parsing/2026-01-31/12-00-00-000000/report.html#look"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SHOTS = (
    ("report.png", "answer_parsing", "light", "", "", 830),
    ("curve.png", "answer_parsing", "light", "Specification Curve", "", 560),
    ("gallery.png", "answer_parsing", "light", "Browse Changed Labels", "answer_v2+v1", 1240),
    ("grids.png", "self_audit", "dark", "Browse Problems", "", 900),
)
BRING = """(head) => [...document.querySelectorAll('h2, h3')].find((one) => one.textContent === head)
    .scrollIntoView({behavior: 'instant'})"""

PICK = "(option) => { option.selected = true; option.parentElement.dispatchEvent(new Event('change')); }"


def ran(folder: str, *words: str) -> str:
    """What `auditfw` prints in this folder on a terminal in colour."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    env = {**kept, "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", "auditfw", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", check=True)
    return re.sub(r"page: .*", PAGE, done.stdout)


def picture(ansi: str) -> str:
    """The text as an SVG that loads nothing from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text("$ auditfw", style="bold"))
    console.print(Text.from_ansi(ansi), soft_wrap=True)
    svg = console.export_svg(title="auditfw", unique_id="auditfw")
    return re.sub(r"[ \t]*@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)


def browser_found() -> str:
    """The path of Chromium. Raises SystemExit where there is none."""
    found = os.environ.get("AUDITFW_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit("no Chromium on the PATH; name one in AUDITFW_BROWSER")
    return found


def photograph(folder: Path) -> None:
    """Takes the screenshots of the reports below a folder."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_found(), args=["--no-sandbox", "--disable-gpu"])
        for name, experiment, scheme, head, value, height in SHOTS:
            size = {"width": 1200, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
            page.goto((folder / experiment / "report.html").as_uri())
            if value:
                page.locator(f'option[data-word="{value}"]').first.evaluate(PICK)
            if head:
                page.evaluate(BRING, head)
                page.wait_for_timeout(300)
            page.screenshot(path=HERE / name)
            page.close()
        browser.close()


def main() -> None:
    """Runs the experiments in an empty folder and writes the pictures of them."""
    with tempfile.TemporaryDirectory() as folder:
        printed = ran(folder, "hydra.run.dir=answer_parsing")
        ran(folder, "experiment=self_audit", "report=[html]", "hydra.run.dir=self_audit")
        (HERE / "terminal.svg").write_text(picture(printed), encoding="utf-8")
        photograph(Path(folder))


if __name__ == "__main__":
    main()
