"""The words on lossy readings: a warning with the pair, a mark where they are shown, rules that decide nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from auditfw.audits.answers import Argument, RuleKind, Statement, enumerated
from auditfw.core.document import Block, Chart, Matrix, Section, Table, some, verb
from auditfw.core.errors import UsageError

from .pairs import LossyReading

LOSSY = "lossy"
NOT_DECIDING = RuleKind(
    LOSSY,
    "Does a reading accept wrong answers of built-in pairs (then it does not decide)?",
    "how many it accepts",
    "above",
)
NAMED = replace(
    NOT_DECIDING,
    name="lossy_named",
    asks="Does a reading that audit.decides names accept wrong answers of built-in pairs?",
)

Lossy = Mapping[str, LossyReading]


def sentences(lossy: Lossy) -> list[str]:
    """`stored+v1 accepts 2.97 for 2.7: v1 takes the decimal point away; use normalizer=[none]`, one for each cause."""
    causes: dict[tuple[str, str], list[str]] = {}
    for one in lossy.values():
        causes.setdefault((accepted_pair(one), f"{one.why}; use {one.write}"), []).append(one.reading)
    return [
        f"{enumerated(names)} {verb(len(names), 'accepts', 'accept')} {pair}: {cause}"
        for (pair, cause), names in causes.items()
    ]


def accepted_pair(one: LossyReading) -> str:
    """`2.97 for 2.7`."""
    return f"{_quoted(one.answer)} for {one.truth}"


def _quoted(answer: str) -> str:
    return f"'{answer}'" if " " in answer else answer


def refusal(lossy: Lossy) -> UsageError:
    """The error for lossy readings under audit.lossy=refuse."""
    first = next(iter(lossy.values()))
    also = f", and {some(len(lossy) - 1, 'more reading')} a wrong answer" if len(lossy) > 1 else ""
    what = f"{first.reading} accepts {accepted_pair(first)}{also}"
    return UsageError("audit.lossy", what, first.why, f"use {first.write}, or write audit.lossy=flag")


def lossy_argument(asked: Sequence[str], lossy: Lossy, named: Collection[str]) -> Argument:
    """The rules on all readings that were asked, which decide nothing; `named` are those that audit.decides names."""
    rules = []
    for name in asked:
        accepted = lossy[name].accepted if name in lossy else 0
        rule = NAMED if accepted and name in named else NOT_DECIDING
        rules.append(rule(name, float(accepted), bound=0.0, fired=accepted > 0))
    barred = [name for name in asked if name in lossy and name not in named]
    if not barred:
        return Argument(rules)
    accept, do = verb(len(barred), "accepts", "accept"), verb(len(barred), "does", "do")
    scope = f"{enumerated(barred)} {accept} wrong answers and {do} not decide (audit.decides)"
    return Argument(rules, scope=[scope])


def none_sound(lossy: Lossy, other: bool, choices: str) -> Statement:
    """The words of an answer where readings would decide but for the wrong answers that they accept.

    With `other` the rule of the reference is a sound one; `choices` are sound readings, as they are typed.
    """
    first = next(iter(lossy.values()))
    return Statement(
        f"No {'other ' * other}sound reading was compared: {first.reading} accepts {accepted_pair(first)}.",
        [f"{sentence}." for sentence in sentences(lossy)],
        f"Add sound readings: {choices}; to let this one decide: audit.decides=[{first.reading}]",
    )


def marked(section: Section, lossy: Collection[str]) -> Section:
    """The section with a mark on each lossy reading that its tables and pictures name; its title is an anchor."""
    names = {name: f"{LOSSY} ({name})" for name in lossy}
    return replace(section, blocks=[_marked(block, names) for block in section.blocks])


def _marked(block: Block, names: Mapping[str, str]) -> Block:
    def each(texts: Sequence[str]) -> list[str]:
        return [names.get(text, text) for text in texts]

    if isinstance(block, Table):
        return replace(block, columns=each(block.columns), rows=[each(row) for row in block.rows])
    if isinstance(block, Matrix):
        return replace(block, columns=each(block.columns), rows=each(block.rows))
    if isinstance(block, Chart):
        series = [replace(one, x=[names.get(x, x) if isinstance(x, str) else x for x in one.x]) for one in block.series]
        return replace(block, series=series)
    return block
