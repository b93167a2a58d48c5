"""The label table of a parsing run as questions see it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from auditfw.audits.parsing.conclusions.origin import reproduction_of
from auditfw.audits.parsing.engine.reference import alternatives, evaluate
from auditfw.audits.parsing.engine.shared_results import INDEX, OF_OPTION, OPTION, fitting
from auditfw.audits.parsing.probe import fit
from auditfw.audits.parsing.probe.draw import ProbedTrial
from auditfw.audits.parsing.probe.fit import is_selective, other_kind, text_of
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.trials import ITEM, MODELS
from auditfw.audits.table_rows import TableRows
from auditfw.core.statistics import wilson
from auditfw.formulas.forms.words import bare
from auditfw.formulas.texts.options import OPTIONS, option_letter
from auditfw.kinds.capabilities import capability
from auditfw.kinds.registry import component
from auditfw.kinds.text import TextBeside


@dataclass
class ParsingRows(TableRows):
    """The rows of a parsing run, as `LabelRows` says; `results` are its labels with what else is known of the run."""

    results: ParsingResults
    audit: str = field(default="parsing", init=False)

    @property
    def columns(self) -> Sequence[str]:
        return self.results.evidence.columns

    @property
    def readings(self) -> Sequence[str]:
        return self.results.names

    @property
    def unfit(self) -> Collection[str]:
        return self.results.of(fit.ask).keys()

    @property
    def reference(self) -> str:
        return self.results.reference

    @property
    def settings(self) -> Any:
        return self.results.settings

    @cached_property
    def models(self) -> str | None:
        if self.has("row.model"):
            return "row.model"
        return next((name for name in MODELS if name in self.by), None)

    @property
    def item(self) -> str:
        return "declared" if ITEM in self.results.evidence.columns else "none"

    @cached_property
    def missed(self) -> int | None:
        known = reproduction_of(self.results)
        return None if known is None else known.missed

    @property
    def unlabelled_by_design(self) -> bool:
        return self.results.whole.rows.facts.unstored > 0


def label_rows(results: ParsingResults) -> ParsingRows:
    """The table of labels of a run, for all that asks it: `results.of(label_rows)`."""
    return ParsingRows(results.context, results)


# Where no answer equals its truth: are truths written in another way than answers, and which setting reads them?

SHARE = 0.1  # of the answers that must be right under a parser of truths
SHOWN, WIDTH = 3, 40  # truths beside answers, and characters of each

Same = Callable[[str, str], bool]


class OtherTruths(NamedTuple):
    """Why nothing fits: kinds of truths and answers, some of them, and the setting under which answers are right."""

    kinds: str
    sentence: str
    points: float
    setting: str
    next: str


@dataclass(frozen=True)
class _Way:
    """A way to read truths: the setting, what truths then are, the texts of a truth, and when an answer is right."""

    setting: str
    truths: str
    read: Callable[[ProbedTrial], Sequence[str]]
    same: Same


def measured_nothing(results: ParsingResults) -> OtherTruths | None:
    """Why no answer equals its truth; None where that may be so by chance, of a poor model."""
    drawn = [trial for trial in results.whole.probe.trials() if trial.raw or trial.parsed]
    if not drawn:
        return None
    answers = [_answer(results, trial) for trial in drawn]
    truths = [alternatives(trial.truth)[0] for trial in drawn]
    pairs = [(answer, truth) for answer, truth in zip(answers, truths, strict=True) if answer]
    kinds = other_kind(pairs)
    beside = "; ".join(f"truth {_short(truth)}, answer {_short(answer)}" for answer, truth in pairs[:SHOWN])
    for way in _ways(results, drawn) if results.settings.truth is None else ():
        share = _right(way, drawn)
        if share is not None:
            do = f"Read the truths as answers are written: {way.setting}"
            return OtherTruths(f"truths are {way.truths}", beside, 100 * share, way.setting, do)
    if kinds is None:
        return None
    do = "Do these columns belong together (source.columns.ground_truth)? Else name what reads truths: audit.truth=NAME"
    return OtherTruths(f"truths are {kinds[1]}, answers are {kinds[0]}", beside, 100.0, "", do)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line if len(line) <= WIDTH else line[: WIDTH - 2] + " …"}"'


def _answer(results: ParsingResults, trial: ProbedTrial) -> str:
    """The stored answer, else what a selective parser of the run finds, else the last line."""
    if trial.parsed:
        return trial.parsed
    parsers = [named.part for named in results.plan.parsers if not capability(named.part, "needs", ())]
    answers = (text_of(parser, trial) for parser in parsers if parser.column == "raw_text" and is_selective(parser))
    return next(filter(None, answers), "") or component("step", "last_line").cls()(trial.raw or "")


def _ways(results: ParsingResults, drawn: Sequence[ProbedTrial]) -> list[_Way]:
    """The ways to read truths that may fit, the surest first."""
    inside = partial(_accepts, component("matcher", "containment").cls(), bare)
    numeric = partial(_accepts, component("matcher", "numeric").cls(which="last"), str)
    words = {
        INDEX: "the numbers of options", OF_OPTION: "the texts of options", OPTION: "the letters of options",
    }  # fmt: skip
    texts = [text for trial in drawn for text in alternatives(trial.truth)]
    columns = [*results.evidence.columns, *(["choices"] if any(trial.asked[1] for trial in drawn) else [])]
    ways = []
    for named in fitting(texts, columns):
        part: Any = named.part
        fit = capability(part, "fitted")
        part = part if fit is None else fit(texts)
        same = inside if named.name == OPTION else _same_letter
        ways.append(_Way(f"audit.truth={named.name}", words[named.name], partial(_by_options, part), same))
    number, box = component("step", "last_number").cls(), component("step", "boxed").cls()
    ways.append(_Way("audit.truth=boxed", "worked solutions with a box", partial(_by_step, box), inside))
    ways.append(_Way("audit.truth=last_number", "worked solutions", partial(_by_step, number), numeric))
    ways.append(_Way("""'source.split={ground_truth: "/"}'""", 'lists joined by "/"', _parts, inside))
    return ways


def _by_options(part: Any, trial: ProbedTrial) -> list[str]:
    return [part(TextBeside(text, {"choices": trial.asked[1]})) for text in alternatives(trial.truth)]


def _by_step(step: Any, trial: ProbedTrial) -> list[str]:
    whole = alternatives(trial.truth)
    return [left for text in whole if (left := step(text)) and left != text.strip()]


def _parts(trial: ProbedTrial) -> list[str]:
    return [part.strip() for text in alternatives(trial.truth) if "/" in text for part in text.split("/")]


def _accepts(matcher: Any, normalizer: Any, answer: str, truth: str) -> bool:
    return evaluate(answer, truth, normalizer, matcher) is True


def _same_letter(answer: str, truth: str) -> bool:
    return option_letter(answer, OPTIONS) == option_letter(truth, OPTIONS) != ""


def _right(way: _Way, drawn: Sequence[ProbedTrial]) -> float | None:
    """The share of answers that are right under a way to read truths, where it is above luck: next truths accepted."""
    read = [way.read(trial) for trial in drawn]
    texts = [trial.raw or trial.parsed or "" for trial in drawn]
    right = sum(any(way.same(text, one) for one in truths) for text, truths in zip(texts, read, strict=True))
    other = [next((later for later in (*read[i:], *read[:i]) if later != read[i]), []) for i in range(len(read))]
    luck = sum(any(way.same(text, one) for one in truths) for text, truths in zip(texts, other, strict=True))
    n = len(drawn)
    return right / n if right > SHARE * n and wilson(right, n)[0] > luck / n else None
