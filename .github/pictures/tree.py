"""Draws the tree of the package: `python .github/pictures/tree.py` writes tree.svg beside this script.

A row is a floor, the highest first; a box is a folder: its own modules, then the folders in it with their numbers of
modules, and at the right the folders that it imports from, all of them on lower rows or its own.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "auditfw"
ROWS = (
    ("commands",),
    ("config",),
    ("components", "audits"),
    ("formulas",),
    ("kinds",),
    ("core", "samples"),
)
WIDTH, GAP, MARGIN = 1060, 14, 16
HEAD, LINE = 34, 15
CHARACTER = 6.3  # pixels


def modules(folder: Path) -> list[str]:
    """The modules in a folder itself."""
    return sorted(file.stem for file in folder.glob("*.py") if file.name != "__init__.py")


def folders(folder: Path) -> list[Path]:
    """The packages in a folder."""
    return sorted(one for one in folder.iterdir() if (one / "__init__.py").is_file())


def named(folder: Path) -> str:
    """A folder with its number of modules, and in brackets those in it."""
    inner = " + ".join(named(one) for one in folders(folder))
    return f"{folder.name}/ {len(modules(folder))}" + (f" ({inner})" if inner else "")


def imports() -> dict[str, set[str]]:
    """For each folder at the top those that its modules import from."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in PACKAGE.rglob("*.py"):
        home = file.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").startswith("auditfw."):
                found[home].add(str(node.module).split(".")[1].strip("_"))
    return {home: others - {home, "main"} for home, others in found.items()}


def wrapped(words: str, most: int) -> list[str]:
    """A text in lines of at most so many characters, cut behind commas."""
    lines = [""]
    for word in words.split(", "):
        longer = f"{lines[-1]}, {word}" if lines[-1] else word
        lines = [*lines[:-1], longer] if len(longer) <= most else [*lines, word]
    return lines


def box(name: str, wide: float, below: set[str]) -> list[str]:
    """The lines of a folder's box: head, modules, folders."""
    folder, most = PACKAGE / name, int(wide / CHARACTER)
    imported = f"imports {', '.join(sorted(below))}" if below else "imports nothing of auditfw"
    own = wrapped(", ".join(modules(folder)), most)
    return [imported, *own, *wrapped(", ".join(named(one) for one in folders(folder)), most)]


def drawn() -> str:
    """The picture as SVG."""
    used, parts, top = imports(), [], MARGIN
    for names in ROWS:
        wide = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
        boxes = [box(name, wide, used.get(name, set())) for name in names]
        high = HEAD + LINE * max(sum(map(bool, lines[1:])) for lines in boxes)
        for at, (name, (imported, *lines)) in enumerate(zip(names, boxes, strict=True)):
            left = MARGIN + at * (wide + GAP)
            parts += [
                f'<rect x="{left:.0f}" y="{top}" width="{wide:.0f}" height="{high}" rx="6" fill="#eef3fa" '
                'stroke="#5b7fb0"/>',
                f'<text x="{left + 12:.0f}" y="{top + 22}" font-size="16" font-weight="bold">{name}/</text>',
                f'<text x="{left + wide - 12:.0f}" y="{top + 22}" font-size="12" text-anchor="end" fill="#555">'
                f"{escape(imported)}</text>",
            ]
            parts += [
                f'<text x="{left + 12:.0f}" y="{top + 40 + LINE * i}" font-size="12">{escape(line)}</text>'
                for i, line in enumerate(filter(None, lines))
            ]
        top += high + GAP
    size = f"{WIDTH} {top - GAP + MARGIN}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{top}" fill="#fff"/>', *parts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "tree.svg").write_text(drawn(), encoding="utf-8", newline="\n")
