"""The words on lossy readings: a warning with the pair, a mark where they are shown, rules that decide nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from auditfw.audits.answers import RULES, Argument, Statement, enumerated
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.core.document import Block, Chart, Matrix, Section, Table, verb

from . import fit
from .pairs import LossyReading, accepted_pair, made_so

LOSSY = "lossy"
NOT_DECIDING = RULES["lossy"]
NAMED = RULES["lossy_named"]

Lossy = Mapping[str, LossyReading]


def asked(results: ParsingResults) -> list[str]:
    """The readings that are asked whether they accept wrong answers."""
    return results.settings.asked_in(results.plan, results.whole.rows.kinds)


def ask(results: ParsingResults) -> Lossy:
    """Those of them that do, by name."""
    return results.settings.lossy_in(results.plan, results.whole.rows.kinds)


def alike(results: ParsingResults) -> dict[str, int]:
    """A number for each reading: the same for those with equal labels throughout."""
    numbers = results.table.alike(len(results.plan.readings), results.settings.undefined)
    return dict(zip((STORED_LABEL, *results.names), numbers, strict=True))


def deciding(results: ParsingResults, unsound: bool = False) -> list[str]:
    """The readings that decide, of those with equal labels throughout the first."""
    same = results.of(alike)
    first: dict[int, str] = {}
    for name in may_decide(results, unsound):
        first.setdefault(same[name], name)
    return list(first.values())


def may_decide(results: ParsingResults, unsound: bool = False) -> list[str]:
    """All readings that may decide: not the rule of the reference.

    Where audit.decides names none all do but those that do not fit and lossy ones; with `unsound` the latter, too. Over
    the labels of a judge a reading decides only where it is named: judges do not compare strings.
    """
    if results.settings.decides is None and results.judged:
        return []
    named, lossy, unfit = results.settings.decides, results.of(ask), results.of(fit.ask)
    rule = {STORED_LABEL: results.rule, results.baseline: STORED_LABEL}.get(results.reference)
    wanted = [
        name
        for name in results.compared
        if ((unsound or name not in lossy) and name not in unfit if named is None else name in named)
    ]
    return [name for name in wanted if name != rule and results.overall[name].data.paired]


def barred(results: ParsingResults) -> Lossy:
    """The lossy readings that would decide if they were sound, where no other does."""
    lossy = results.of(ask)
    if not lossy or deciding(results):
        return {}
    return {name: lossy[name] for name in deciding(results, unsound=True) if name in lossy}


def sentences(lossy: Lossy) -> list[str]:
    """`stored+v1 accepts 2.97 for 2.7: v1 takes the decimal point away; use normalizer=[none]`, one for each cause."""
    causes: dict[tuple[Any, ...], list[LossyReading]] = {}
    for one in lossy.values():
        causes.setdefault((accepted_pair(one), one.does, one.write), []).append(one)
    return [
        f"{enumerated([one.reading for one in of])} {verb(len(of), 'accepts', 'accept')} {pair}: "
        f"{made_so(list(dict.fromkeys(one.part for one in of)), does)}; use {write}"
        for (pair, does, write), of in causes.items()
    ]


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


def none_sound(results: ParsingResults, lossy: Lossy, choices: str) -> Statement:
    """The words of an answer where readings would decide but for the wrong answers that they accept.

    `choices` are sound readings, as they are typed.
    """
    first, search = next(iter(lossy.values())), results.search
    rule = results.rule if results.reference == STORED_LABEL else results.reference
    other = "other " if rule in results.of(asked) and rule not in results.of(ask) else ""
    choices += " audit.baseline=search" * (search is not None and search.rule is not None and not search.written)
    return Statement(
        f"No {other}sound reading was compared: {first.reading} accepts {accepted_pair(first)}.",
        [f"{sentence}." for sentence in sentences(lossy)],
        f"Add sound readings: {choices}; to let this one decide: audit.decides=[{first.reading}]",
    )


def marked(section: Section, lossy: Collection[str]) -> Section:
    """The section with a mark on each lossy reading that its tables and pictures name; its title is an anchor."""
    if not lossy:
        return section
    return replace(section, blocks=[_marked(block, lossy) for block in section.blocks])


def _marked(block: Block, lossy: Collection[str]) -> Block:
    if isinstance(block, Table):
        rows = [_each(row, lossy) for row in block.rows]
        return replace(block, columns=_each(block.columns, lossy), rows=rows)
    if isinstance(block, Matrix):
        return replace(block, columns=_each(block.columns, lossy), rows=_each(block.rows, lossy))
    if isinstance(block, Chart):
        return replace(block, series=[replace(one, x=_each(one.x, lossy)) for one in block.series])
    return block


def _each(texts: Sequence[Any], lossy: Collection[str]) -> list[Any]:
    return [f"{LOSSY} ({text})" if text in lossy else text for text in texts]
