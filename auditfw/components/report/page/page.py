"""The page as one file: template, style and script put together under a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from auditfw.core.digits import fixed
from auditfw.core.document import FEW, Chart, Gallery, Matrix, PageGroup, Table
from auditfw.core.escaping import html_value
from auditfw.core.memo import remembered

from .blocks import view
from .content import HtmlPage, PagePart, Shown, groups_of
from .export_rules import export_rules
from .gallery import FIRST, Packed, fitted, pack

HERE = Path(__file__).parent
TEMPLATE, STYLE, SCRIPTS = "page.html.jinja", "page.css", ("export.js", "decisions.js", "page.js")
SPARE = 20_000
GRAMMAR = (
    ("candidate", "s-candidate"),
    ("reference", "s-reference"),
    ("better, pass", "s-better"),
    ("worse, fail", "s-worse"),
    ("undecided", "s-open"),
    (f"fewer than {FEW} trials", "few"),
)
OF_STATUS = {"pass": "s-better", "fail": "s-worse", "error": "s-worse", "inconclusive": "s-open"}


def page_text(page: HtmlPage, max_bytes: int) -> str:
    """The whole page, the same text for the same content; exhibits of galleries are cut to keep to `max_bytes`."""
    groups = groups_of(page)
    parts = [part for *_, own in groups for part in own]
    every = [block for part in parts for block in part.blocks]
    macros: Any = environment().get_template(TEMPLATE).module
    galleries = [block for block in every if isinstance(block, Gallery)]
    packed = [pack(gallery) for gallery in galleries]
    firsts = [[_shown(one) for one in gallery.exhibits[:FIRST]] for gallery in galleries]
    blocks = [[None if isinstance(block, Gallery) else _shown(block) for block in part.blocks] for part in parts]
    style, script = _own(STYLE), Markup("").join(map(_own, SCRIPTS))
    fixed = [style, script, *filter(None, chain(*blocks, *firsts))]
    counts = fitted(packed, max_bytes - SPARE - sum(len(text.encode()) for text in fixed))
    views = iter([_gallery(n, *each, max_bytes) for n, each in enumerate(zip(packed, counts, firsts, strict=True))])
    filled = [[macros.gallery(next(views)) if one is None else one for one in shown] for shown in blocks]
    content = {
        "page": page,
        "tone": "" if page.answer is None else page.answer.status,
        "groups": list(_numbered(groups, filled)),
        "shares": _shares(page.shares, page.tones),
        "grammar": grammar(page),
        "style": style,
        "script": script,
        "rules": Markup(export_rules()),  # noqa: S704 - html_json
        "policy": policy(style, script),
        "data": [
            (number, Markup(one.index(count)), [Markup(chunk) for chunk in one.chunks(count)])  # noqa: S704 - html_json
            for number, (one, count) in enumerate(zip(packed, counts, strict=True))
        ],
    }
    return str(macros.page(content))


def _numbered(
    groups: Sequence[tuple[PageGroup, str, list[PagePart]]], blocks: Sequence[Sequence[Markup]]
) -> Iterator[dict[str, Any]]:
    """The groups with their parts, which are numbered throughout, and what is shown of these."""
    left = enumerate(blocks, start=1)
    for name, title, parts in groups:
        shown = [
            {"number": number, "title": part.title, "level": part.level, "folded": part.folded, "blocks": own}
            for part, (number, own) in zip(parts, islice(left, len(parts)), strict=True)
        ]
        yield {"name": name, "title": title, "parts": shown}


@remembered
def _shown(block: Shown) -> Markup:
    """A block as the page has it."""
    macros: Any = environment().get_template(TEMPLATE).module
    shown: Markup = macros.block(view(block))
    return shown


def policy(style: str, script: str) -> str:
    """The content security policy: this style and this script, pictures in the page, and nothing else."""
    return (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


@lru_cache(1)
def environment() -> Environment:
    """Templates in which every value passes `escaping.html_value` and is then escaped."""
    return Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        finalize=html_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _gallery(number: int, packed: Packed, count: int, first: Sequence[Any], max_bytes: int) -> dict[str, Any]:
    gallery = packed.gallery
    held = f"In this file: {count:,} of {gallery.total:,} {gallery.of}"
    cut = len(gallery.exhibits) - count
    if cut:
        held += f"; {cut:,} more do not fit into reports.html.max_bytes={max_bytes:,}"
    elif len(gallery.exhibits) < gallery.total:
        held += " (report.max_exhibits)"
    return {"number": number, "held": f"{held}.", "first": first[:count], "count": count}


def _shares(counts: Sequence[tuple[str, int]], tones: Mapping[str, str]) -> list[dict[str, Any]]:
    """The buckets as parts of one bar, in percent."""
    whole, shares, start = sum(n for _, n in counts), [], 0
    for place, (name, n) in enumerate(counts):
        shares.append(
            {
                "name": name.replace("_", " "),
                "count": f"{n:,}",
                "x": f"{100 * start / whole:.3f}%",
                "width": f"{100 * n / whole:.3f}%",
                "percent": f"{fixed(100 * n / whole, 1)} %",
                "shade": f"t-{tones[name]}" if name in tones else f"b{min(place, 5)}",
            }
        )
        start += n
    return shares


@lru_cache(4)
def _own(name: str) -> Markup:
    """A file of ours that the page includes unchanged."""
    return Markup((HERE / name).read_text("utf-8"))  # noqa: S704 - no data in it


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def grammar(page: HtmlPage) -> list[tuple[str, str]]:
    """Each meaning of a colour with its class, in a fixed order: those that something on the page has."""
    used = {OF_STATUS.get(page.status, "")}
    used |= set(_used(block for part in page.parts for block in part.blocks))
    return [(name, shade) for name, shade in GRAMMAR if shade in used]


def _used(blocks: Iterable[object]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Chart):
            yield from (f"s-{one.role}" for one in block.series if one.role)
        elif isinstance(block, Matrix):
            yield from ("s-better", "s-worse") if block.diverging and block.better else ()
            yield from ["few"] if any(n < FEW for row in block.counts for n in row) else []
        elif isinstance(block, Table) and "status" in block.columns:
            at = list(block.columns).index("status")
            yield from (OF_STATUS.get(row[at], "") for row in block.rows if at < len(row))
