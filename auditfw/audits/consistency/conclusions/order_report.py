"""What the report says of the order of presentation: who prefers the first answer, and agreement in each order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from auditfw.audits.answers import estimated, interval, with_interval
from auditfw.core.digits import chance, fixed, p_text
from auditfw.core.document import Block, Note, Section, Table, some
from auditfw.formulas.agreement.preferences import Preferences

from .orders import Exchange, JudgeOrder, OrderFindings, Shown

TITLE = "Position Bias"


def order_section(findings: OrderFindings | None, alpha: float, called: Callable[[str], str] = str) -> Section:
    """The preferences of every judge, its agreement in each order, and what exchanging its labels would do."""
    section = Section(TITLE, console=True)
    if findings is None:
        return section
    judges = [replace(one, judge=called(one.judge)) for one in findings.judges]
    rows = [[one.judge, *_cells(one.preferences)] for one in judges]
    columns = ["rater", "first", "second", "prefers the first", "p (sign flips)"]
    caption = "A judge without position bias prefers the answer shown first half of the time."
    section.blocks.append(Table(columns, rows, "<>>>>", caption))
    section.blocks += [Note(text) for one in judges for text in _remarks(one, alpha)]
    agreement = _agreement(judges, alpha)
    section.blocks += [agreement] if agreement is not None else []
    if findings.without:
        section.blocks.append(Note(f"{some(findings.without, 'item')} without an order of presentation: left out."))
    return section


def preference_text(judge: str, bias: Preferences) -> str:
    """A judge's preferences in words: `gpt prefers the first answer 37 to 7 times (84.1 %, approximate …)`."""
    which, share, low, high = "first", bias.share or 0.0, bias.low or 0.0, bias.high or 0.0
    more, fewer = bias.first, bias.second
    if bias.second > bias.first:
        which, share, low, high, more, fewer = "second", 1 - share, 1 - high, 1 - low, fewer, more
    ends = interval(100 * low, 100 * high, 1)
    times = f"{more:,} to {fewer:,} times"
    tested = f"approximate interval {ends}; sign flips, {chance(bias.p)}"
    return f"{judge} prefers the {which} answer {times} ({fixed(100 * share, 1)} %, {tested})"


def exchange_text(judge: str, exchange: Exchange) -> str:
    """What exchanging two labels of a judge would do, in words."""
    one, other = exchange.labels
    rise = f"from {fixed(100 * exchange.before, 1)} to {fixed(100 * exchange.after, 1)} %"
    return f"swap {one} and {other} of {judge} {exchange.place}: agreement would rise {rise}"


def _remarks(one: JudgeOrder, alpha: float) -> list[str]:
    texts = []
    if one.judged_twice:
        share = f"{fixed(100 * one.alike / one.judged_twice, 1)} %"
        of = some(one.judged_twice, "item")
        texts.append(f"{one.judge}: the same label in both orders on {one.alike:,} of {of} ({share}).")
    for exchange in one.exchanges:
        if exchange.raises(alpha):
            why = f"{chance(exchange.p)}; its labels may name the position of an answer, not the answer"
            texts.append(f"Hint: {exchange_text(one.judge, exchange)} ({why}).")
    return texts


def _agreement(judges: Sequence[JudgeOrder], alpha: float) -> Block | None:
    rows = []
    for one in judges:
        parts = [part for part in (one.whole, *one.orders, one.undone) if part is not None]
        rows += [[one.judge, *_shown(part)] for part in parts]
        rows += [
            [one.judge, f"{e.where}, {e.labels[0]} and {e.labels[1]} swapped", "", fixed(e.after, 4), ""]
            for e in one.exchanges
            if e.raises(alpha)
        ]
    if not rows:
        return None
    return Table(["rater", "answer shown first", "n", "percent agreement", "kappa"], rows, "<<>>>")


def _shown(part: Shown) -> list[str]:
    return [part.name, f"{part.kappa.counted:,}", estimated(part.percent), estimated(part.kappa)]


def _cells(bias: Preferences) -> list[str]:
    share = "–"
    if bias.share is not None and bias.low is not None and bias.high is not None:
        first = 100 * bias.share
        share = with_interval(f"{fixed(first, 1)} %", 100 * bias.low, 100 * bias.high, 1, first)
    return [f"{bias.first:,}", f"{bias.second:,}", share, p_text(bias.p)]
