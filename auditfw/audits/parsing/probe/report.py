"""The probe in the report: shares of every reading, constant answers, accepted answers with a sign of error."""

from __future__ import annotations

from auditfw.audits.answers import Argument, with_interval
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.results import ParsingResults
from auditfw.core.digits import change, fixed
from auditfw.core.document import Exhibit, Note, Section, Table, snippet, some
from auditfw.formulas.answer_signs import SIGNS
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.probe_rates import ProbeRates
from auditfw.formulas.shifts import ClusteredShift

from .argument import argument, ask, scorer_of, undefined, unknown_rule
from .scorers import ProbeResults, SuspectAnswer

TITLE = "Does the Scorer Tell Right From Wrong?"
CONSTANTS, SUSPECT = "Constant Answers", "Accepted Answers to Check"
TITLES = (TITLE, CONSTANTS, SUSPECT)
RAW_SHOWN, ANSWER_SHOWN, TRUTH_SHOWN = 320, 300, 400
HOW = (
    "Accepted: answers accepted for their own truth. Luck: answers accepted for the truth of the next item of their "
    "cell. Skill: accepted minus luck, in percentage points. One answer: the most that one answer per cell could get. "
    "Either way: of the accepted answers, those that are also accepted for the next different truth."
)


def probe_sections(results: ParsingResults) -> list[Section]:
    """The sections; the first is on the terminal, too, where something is wrong."""
    probe = results.of(ask)
    follows = argument(results)
    wrong = bool(follows.fired() or follows.remarks)
    first = Section(TITLE, [*_head(results, probe, follows), _shares(probe), Note(HOW)], console=wrong)
    first.blocks += [Note(text) for text in _reasons(probe)]
    return [first, _constants(probe), _suspects(probe)]


def _head(results: ParsingResults, probe: ProbeResults, follows: Argument) -> list[Note]:
    scorer, seed = scorer_of(results), results.context.seed
    n, items = some(len(probe.trials), "trial"), some(probe.items, "item")
    drawn = f"All {n} of {items}" if probe.whole else f"{n} of {items}, a random sample of whole items (seed {seed})"
    decides = f"the scorer of the reference is {scorer}" if scorer else unknown_rule(results)
    statements = [words for status in ("broken", "fragile") for words in [follows.words.get(status)] if words]
    because = [sentence for words in statements for sentence in words.because]
    sentences = [reason.text for reason in follows.reasons([*because, *follows.remarks])]
    if not sentences and scorer and probe.negative.get(scorer, 0) < len(probe.trials):
        sentences = [f"The probe shows no problem with {scorer}."]
    return [Note(f"{drawn}; {decides}."), *map(Note, sentences)]


def _shares(probe: ProbeResults) -> Table:
    columns = ["reading", "n", "accepted %", "luck %", "one answer %", "skill pp", "either way %"]
    rows = [[name, *_row(rates)] for name, rates in probe.rates.items()]
    return Table(columns, rows, "<" + ">" * 6)


def _row(rates: ProbeRates) -> list[str]:
    own, most = rates.own, rates.most_frequent
    return [
        f"{own.trials:,}" if own is not None else "–",
        fixed(100 * own.share, 1) if own is not None else "–",
        _share(rates.luck),
        fixed(100 * most, 1) if most is not None else "–",
        _skill(rates.skill),
        _share(rates.either_way),
    ]


def _share(rate: ClusteredRate | None) -> str:
    if rate is None:
        return "–"
    share, low, high = 100 * rate.share, 100 * rate.low, 100 * rate.high
    return with_interval(fixed(share, 1), low, high, 1, share)


def _skill(shift: ClusteredShift | None) -> str:
    if shift is None:
        return "–"
    moved, low, high = 100 * shift.shift, 100 * shift.low, 100 * shift.high
    return with_interval(change(moved, 1), low, high, 1, moved)


def _reasons(probe: ProbeResults) -> list[str]:
    """What is undefined, the readings of one reason together."""
    names: dict[str, list[str]] = {}
    for name, rates in probe.rates.items():
        for reason in undefined(rates):
            names.setdefault(reason, []).append(name)
    return [f"{', '.join(of)}: {reason}." for reason, of in names.items()]


def _constants(probe: ProbeResults) -> Section:
    """The share of drawn trials on which each constant answer is accepted, a row for each reading."""
    section = Section(CONSTANTS, level=3)
    kinds = list(dict.fromkeys(kind for shares in probe.constants.values() for kind in shares))
    rows = [
        [name, *(fixed(100 * shares[kind].share, 1) if kind in shares else "–" for kind in kinds)]
        for name, shares in probe.constants.items()
        if shares
    ]
    if rows:
        caption = "Percent of the sampled trials on which a constant answer is accepted"
        section.blocks.append(Table(["reading", *kinds], rows, "<" + ">" * len(kinds), caption))
    return section


def _suspects(probe: ProbeResults) -> Section:
    section = Section(SUSPECT, level=3)
    rows = [
        [name, *(f"{counts[sign]:,}" for sign in SIGNS)] for name, counts in probe.signs.items() if any(counts.values())
    ]
    if rows:
        note = "Accepted answers of the sampled trials that may be wrong by rules of thumb: read them to decide."
        section.blocks += [Note(note), Table(["reading", *SIGNS], rows, "<" + ">" * len(SIGNS))]
        section.blocks += [_exhibit(one) for one in probe.suspects]
        section.folded = some(len(probe.suspects), "accepted answer")
    return section


def _exhibit(one: SuspectAnswer) -> Exhibit:
    truth = " | ".join(alternatives(one.trial.truth))
    cut = truth if len(truth) <= TRUTH_SHOWN else f"{truth[:TRUTH_SHOWN]}…"
    facts = [("ground truth", cut), ("sign", one.sign), ("accepted by", ", ".join(one.readings))]
    snippets = [snippet(one.parser, one.answer, ANSWER_SHOWN, ANSWER_SHOWN)]
    if one.trial.raw is not None and one.trial.raw != one.answer:
        snippets.append(snippet("raw_text", one.trial.raw, RAW_SHOWN, RAW_SHOWN))
    return Exhibit(one.trial.id, facts, snippets)
