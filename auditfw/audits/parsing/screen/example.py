"""One changed label of the reading that the answer is about, verbatim, with what each side compared."""

from __future__ import annotations

from auditfw.audits.parsing.exhibits import Answers, answers_of, kept_at, title
from auditfw.audits.parsing.labels import word_of
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.audits.parsing.table import STORED
from auditfw.audits.parsing.trials import Trial
from auditfw.core.document import Note, Section
from auditfw.core.results.excerpts import around, brief_line, quoted

from .causes import LedReading, leading

LONG = 300  # characters of a text that is shown rather than a longer one
ID = 12  # characters of an id that says something to people


def example(results: ParsingResults) -> Section | None:
    """A changed label of the main cause, the first drawn whose text is short; None where no label changes."""
    led = results.of(leading)
    if led is None or not led.drawn or not results.context.limits.max_examples:
        return None
    drawn = [trial for trial, _ in led.group or led.drawn]
    trial = next((one for one in drawn if one.size <= LONG), min(drawn, key=lambda one: one.size))
    head = f"One of {led.changed:,} changed labels of {led.name}" if led.changed > 1 else f"What {led.name} changes"
    if led.cause and len(led.group) > 1:
        of = "" if led.whole else f" of {len(led.drawn):,} drawn"
        head += f"; {len(led.group):,}{of} are like it: {led.cause}"
    return Section(head, [Note(text) for text in _lines(results, led, trial)], screen="example")


def _lines(results: ParsingResults, led: LedReading, trial: Trial) -> list[str]:
    plan, [answers] = results.plan, answers_of(results.plan, results.settings.signs, [trial])
    number = results.names.index(led.name)
    parser, _ = plan.place(number, trial.value)
    kept = answers[parser]
    text = trial.raw if trial.raw is not None else trial.parsed or ""
    at = kept_at(plan.parsers[parser].part, text, kept) if kept else -1
    name = f"{trial.id}: " if len(trial.id) <= ID else ""
    return [
        f"{name}{title(trial)}, expected: {brief_line(' | '.join(trial.truths))}",
        around(text, at, len(kept or "")),
        _sides(results, led.name, trial, answers),
    ]


def _sides(results: ParsingResults, name: str, trial: Trial, answers: Answers) -> str:
    """The label of each side with the text that it compared; of stored labels without a known rule the stored text."""
    number, reproduced = results.names.index(name), results.reproduced
    own, rule = results.reference, results.numbers[0]
    if own == STORED_LABEL:
        known = reproduced is not None and not reproduced.to_true + reproduced.to_false
        own, rule = "your label", results.numbers[1] if known and results.numbers[1] is not None else STORED
    before, after = (word_of(trial.codes[place + 1]) for place in (results.numbers[0], number))
    theirs = _compared(results, number, trial, answers)
    first = trial.parsed and quoted(trial.parsed) if rule == STORED else _compared(results, rule, trial, answers)
    if first == theirs:
        return f"{own}: {before}; {name}: {after}; both compare {theirs}"
    return f"{own}: {before}{'' if first is None else f', it compares {first}'}; {name}: {after}, {theirs}"


def _compared(results: ParsingResults, number: int, trial: Trial, answers: Answers) -> str:
    """What a reading compares with the truth: what its parser kept, as its normalizer writes it."""
    parser, normalizer = results.plan.place(number, trial.value)
    return quoted(results.plan.normalizers[normalizer].part(answers[parser] or ""))
