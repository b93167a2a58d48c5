"""What the colours of a page mean: a legend of those that it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from auditfw.core.document import FEW, Chart, Matrix, Table

from .content import HtmlPage

GRAMMAR = (
    ("candidate", "s-candidate"),
    ("reference", "s-reference"),
    ("better, pass", "s-better"),
    ("worse, fail", "s-worse"),
    ("undecided", "s-open"),
    (f"fewer than {FEW} trials", "few"),
)
OF_STATUS = {"pass": "s-better", "fail": "s-worse", "error": "s-worse", "inconclusive": "s-open"}


def grammar(page: HtmlPage) -> list[tuple[str, str]]:
    """Each meaning of a colour with its class, in a fixed order: those that something on the page has."""
    tones = [page.status, *([page.answer.tone] if page.answer is not None else [])]
    used = {OF_STATUS.get(tone, "") for tone in tones}
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
