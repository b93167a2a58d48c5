"""Makes README's moving picture from real runs: `python .github/pictures/minute.py` writes minute.gif beside it.

A minute with the tool: audit a file, look at the changed labels, change the parser, fail a build. Needs Pillow and what
make.py needs.
"""

from __future__ import annotations

import html
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from make import BRING, HERE, PICK, browser_found
from PIL import Image
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import auditfw

SIZE = (960, 720)
COLUMNS = 100
COLOURS = 48
LIMIT = 2_000_000  # bytes of the picture
HEAD = 44  # pixels of a caption
TYPED, READ = 90, 6_000  # milliseconds of a frame
PIECES = 8  # frames in which a command is typed
CHOSEN = "auditfw answers.csv 'parser=[answer_v2]' 'normalizer=[v1]'"
SCREEN = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #0c0c0c; color: #d9d9d9; font: 600 17px/{head}px 'Liberation Sans', sans-serif; }}
header {{ padding: 0 20px; background: #1f4e8c; color: white; }}
pre {{ margin: 12px 20px; font: 15px/20px 'DejaVu Sans Mono', monospace; }}
</style><header>{caption}</header><pre>{text}</pre>"""


class Frame(NamedTuple):
    """A picture, and for how many milliseconds it stays."""

    image: Image.Image
    milliseconds: int


def write_answers(folder: Path) -> None:
    """Writes the factual trials of the shipped sample as one table with our column names."""
    import polars as pl

    sample = Path(auditfw.__file__).parent / "samples" / "vivarium_behavioral"
    names = {"t0": "0", "t0.5": "0.5", "t1": "1"}
    frames = [
        pl.read_csv(sample / f"behavioral_{name}.csv", infer_schema_length=0).with_columns(temperature=pl.lit(value))
        for name, value in names.items()
    ]
    ours = {
        "id": "trial_id", "item": "question", "raw_text": "raw_text", "parsed_text": "parsed_answer_text",
        "ground_truth": "ground_truth_text", "stored": "is_correct", "variant": "variant", "temperature": "temperature",
    }  # fmt: skip
    pl.concat(frames).filter(pl.col("ground_truth_text") != "None").select(**ours).write_csv(folder / "answers.csv")


def ran(folder: Path, command: str) -> str:
    """What a command prints on a terminal in colour, as HTML."""
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "HOME") if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **kept,
        "PATH": path,
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
        "PYTHONUTF8": "1",
    }
    words = ["sh", "-c", command]
    done = subprocess.run(words, check=False, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8")
    console = Console(record=True, width=COLUMNS + 1, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    printed = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\", "", done.stdout)  # links
    printed = re.sub(r"\d{4}-\d\d-\d\d/[\d-]+", "2026-01-31/12-00-00-000000", printed)
    console.print(Text.from_ansi(printed), soft_wrap=True)
    return console.export_html(theme=MONOKAI, code_format="{code}", inline_styles=True)


class Film:
    """The frames, drawn by a browser."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.frames: list[Frame] = []

    def take(self, milliseconds: int) -> None:
        """Adds what the page shows."""
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.frames.append(Frame(image, milliseconds))

    def type(self, caption: str, command: str, output: str) -> None:
        """Adds a command as it is typed, and what it prints."""
        for text in _typed(command):
            self._screen(caption, f"$ {html.escape(text)}█")
            self.take(TYPED)
        self._screen(caption, f"$ {html.escape(command)}\n{output}")
        self.take(READ)

    def look(self, caption: str, page: Any) -> None:
        """Adds what another page shows, under a caption."""
        self._screen(caption, "")
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        image.paste(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), (0, HEAD))
        self.frames.append(Frame(image, READ))

    def _screen(self, caption: str, text: str) -> None:
        self.page.set_content(SCREEN.format(head=HEAD, caption=html.escape(caption), text=text))

    def save(self, path: Path) -> None:
        """Writes the frames as a GIF. Raises SystemExit where it is too large for a page."""
        first, *others = [one.image.quantize(COLOURS, dither=Image.Dither.NONE) for one in self.frames]
        times = [one.milliseconds for one in self.frames]
        first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
        if path.stat().st_size > LIMIT:
            raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes, {LIMIT:,} are allowed")


def _typed(command: str) -> Iterator[str]:
    step = max(1, -(-len(command) // PIECES))
    yield from (command[:end] for end in range(0, len(command) + step, step))


def browsed(browser: Any, report: Path, film: Film) -> None:
    """Adds the first screen of a report, and the changed labels of the reading that changes most."""
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1] - HEAD}, reduced_motion="reduce")
    page.goto(report.as_uri())
    film.look("2. Open the report: the answer, and why", page)
    page.locator('option[data-word="last_line+v1"]').first.evaluate(PICK)
    page.evaluate(BRING, "Browse Changed Labels")
    page.wait_for_timeout(300)
    film.look("2. Look at the changed labels", page)
    page.close()


def main() -> None:
    """Runs the commands in an empty folder and writes the moving picture of them."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        write_answers(folder)
        browser = driver.chromium.launch(executable_path=browser_found(), args=["--no-sandbox", "--disable-gpu"])
        film = Film(browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}))
        command = "auditfw answers.csv"
        film.type("1. Audit a file of stored answers", command, ran(folder, command))
        browsed(browser, next(folder.glob("outputs/parsing/*/latest/report.html")), film)
        film.type("3. Change the parsers that are tried", CHOSEN, ran(folder, CHOSEN))
        command = f'{CHOSEN} gate=[stable]; echo "exit code $?"'
        film.type("4. Fail the build where the number depends on the scoring", command, ran(folder, command))
        browser.close()
    film.save(HERE / "minute.gif")


if __name__ == "__main__":
    main()
