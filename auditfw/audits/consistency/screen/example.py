"""One row on which raters differ as they do most often, or most, verbatim: what was asked, and how each labels it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from auditfw.audits.consistency.counts import ShownRow
from auditfw.audits.consistency.exhibits import QUESTIONS
from auditfw.audits.consistency.scoring import DIFFERING, RED_FLAGS
from auditfw.core.document import Note, Section
from auditfw.core.imports import safe_mode
from auditfw.kinds.judgements import ANSWER, ITEM, REASON

from .facts import ScreenFacts, label_text
from .pair import TwoRaters

LINE = 76  # characters
LONG_TEXT, LONG_ID, LONG_NAME = 300, 40, 28
FEW_RATERS = 8
LEAST = 18  # characters of a reason


def example(facts: ScreenFacts, two: TwoRaters | None) -> Section | None:
    """A row of the largest disagreement of two raters; of several the one on which they are farthest apart."""
    limits = facts.results.limits
    if safe_mode() or not limits.max_examples:
        return None
    drawn = facts.results.whole.drawn((RED_FLAGS, DIFFERING), max(limits.max_examples, limits.max_exhibits))
    two = None if facts.coefficient.many else two  # of so many values hardly two rows are alike
    most = _farthest(facts, drawn) if two is None else _of_two(two, drawn)
    if not most:
        return None
    fitting = [row for row in most if _length(row) <= LONG_TEXT]
    short = [row for row in fitting if len(_asked(row, 2)) <= LINE] or fitting
    shown = max(short, key=_length, default=most[0])
    many = sum(n for p, n in facts.results.audited.items() if p.labels == shown.pattern.labels)
    whose = f"One of the {many:,}" if two is not None and many > 1 else "Where they differ most"
    texts = [_asked(shown, 2 if len(facts.raters) == 2 else 1), *_said(facts, shown)]
    notes = [Note(text) for text in texts if text]
    return Section(f"{whose}: {_cut(shown.id, LONG_ID)}", list(notes), 3, screen="example")


def _of_two(two: TwoRaters, drawn: Sequence[ShownRow]) -> list[ShownRow]:
    """The rows of the most frequent disagreement of two raters."""
    if not two.cells:
        return []
    labels, cell = two.pair.labels, two.cells[0]
    labels_by = {two.judged.candidate: labels[cell.own], two.judged.reference: labels[cell.other]}
    wanted = tuple(labels_by[rater] for rater in two.facts.raters)
    return [row for row in drawn if row.pattern.labels == wanted]


def _farthest(facts: ScreenFacts, drawn: Sequence[ShownRow]) -> list[ShownRow]:
    """The rows on which raters are farthest apart: labels in order by their ends, names by how many differ."""
    at = dict(zip(facts.ratings.labels, facts.places, strict=True))

    def apart(row: ShownRow) -> tuple[float, float]:
        labels = [label for label in row.pattern.labels if label is not None]
        alike = sum(n * n for n in Counter(labels).values()) / max(1, len(labels)) ** 2
        places = [at[label] for label in labels if label in at] if facts.coefficient.ordered else []
        return (max(places) - min(places) if places else 0.0), -alike

    most = max(map(apart, drawn), default=None)
    return [row for row in drawn if row.pattern.differs and apart(row) == most]


def _texts(row: ShownRow) -> dict[str, str]:
    """The texts of a row by their names, cut ones with an ellipsis."""
    return {one.label: _line(one.head) + "…" * bool(one.omitted) for one in row.exhibit.snippets}


def _length(row: ShownRow) -> int:
    return sum(len(one.head) + one.omitted for one in row.exhibit.snippets)


def _asked(row: ShownRow, lines: int) -> str:
    """The question and the answer that were judged, in so many lines at most."""
    texts = _texts(row)
    question = next((texts[name] for name in (*QUESTIONS, ITEM) if name in texts), "")
    claim, room = texts.get(f"{ANSWER}.claim", ""), LINE * lines - 4
    answer = f'"{_cut(claim, max(room // 2, room - len(question)))}"' if claim else ""
    question = _cut(question, room - len(answer))
    return f"{question}: {answer}" if question and answer else question or answer


def _said(facts: ScreenFacts, row: ShownRow) -> list[str]:
    """The label of each rater with its reason: a line each of two, of more all labels and the reasons of two."""
    labels, texts = dict(zip(facts.raters, row.pattern.labels, strict=True)), _texts(row)
    reasons = {rater: texts.get(f"{rater}.{REASON}", "") for rater in labels}
    if len(labels) == 2:
        if not any(reasons.values()):
            return ["; ".join(_one(facts, rater, label, "") for rater, label in labels.items())]
        return [_one(facts, rater, label, reasons[rater]) for rater, label in labels.items()]
    saying = {label: rater for rater, label in reversed(labels.items()) if label is not None and reasons[rater]}
    ordered = sorted(
        saying, key=lambda label: facts.ratings.labels.index(label) if label in facts.ratings.labels else -1
    )
    ends = [saying[label] for label in dict.fromkeys((*ordered[:1], *ordered[-1:]))]
    return [_labels(facts, row), *(_one(facts, rater, labels[rater], reasons[rater]) for rater in ends)]


def _labels(facts: ScreenFacts, row: ShownRow) -> str:
    known = [(rater, label) for rater, label in zip(facts.raters, row.pattern.labels, strict=True) if label is not None]
    if len(known) <= FEW_RATERS:
        return _cut(", ".join(f"{facts.called(rater)} {label_text(label)}" for rater, label in known), LINE)
    counted = Counter(label for _, label in known).most_common(FEW_RATERS)
    return _cut(", ".join(f"{n:,} say {label_text(label)}" for label, n in counted), LINE)


def _one(facts: ScreenFacts, rater: str, label: str | None, reason: str) -> str:
    text = f"{_cut(facts.called(rater), LONG_NAME)}: {label_text(label) if label is not None else 'no label'}"
    return f'{text}, "{_end(reason, max(LEAST, LINE - len(text) - 4))}"' if reason else text


def _line(text: str) -> str:
    """A text in one line, its line breaks visible."""
    return "⏎".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _end(text: str, most: int) -> str:
    """The end of a text, where a reason comes to what it says, from the beginning of a word on."""
    if len(text) <= most:
        return text
    kept = text[len(text) - most + 2 :]
    _, blank, rest = kept.partition(" ")
    return f"… {rest if blank and len(rest) >= most // 2 else kept}"
