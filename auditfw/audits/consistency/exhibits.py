"""A judged row as an exhibit: its labels as facts, the raters' reasons and the evidence as texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from auditfw.core.document import Snippet, snippet
from auditfw.kinds.judgements import ANSWER, GIVEN_FLAGS, ITEM, REASON, RETRIEVED

REASON_SHOWN, ANSWER_SHOWN, IDS_SHOWN, QUESTION_SHOWN = 600, 400, 300, 800
TITLE_SHOWN, ID_SHOWN = 72, 24
QUESTIONS = ("question", "prompt", "instruction")  # columns that hold what raters were asked about
IDS, IDS_LONG = 50, 80
MOST_RATERS = 40  # shown one by one

EVIDENCE_SHOWN = (f"{ANSWER}.citations", RETRIEVED, GIVEN_FLAGS)  # beside reasons

Columns = Callable[[str], Sequence[Any]]


def facts(
    column: Columns, i: int, by: Sequence[str], labels: Iterable[tuple[str, Sequence[str | None]]]
) -> list[tuple[str, str]]:
    """The cell of a row, and what every rater says; of very many raters how many say what."""
    labelled = [(rater, str(column_of_labels[i])) for rater, column_of_labels in labels]
    if len(labelled) > MOST_RATERS:
        counted = Counter(label for _, label in labelled)
        labelled = [(f"raters who say {label}", f"{n:,}") for label, n in sorted(counted.items())]
    return [*((name, str(column(name)[i])) for name in by), *labelled]


def title(column: Columns, i: int, name: str) -> str:
    """The heading of a row: its question, else the claim, with its id where that is short; without either the id."""
    answer = column(ANSWER)[i]
    claim = answer.get("claim") if isinstance(answer, dict) else None
    known = " ".join((_question(column, i)[1] or (claim if isinstance(claim, str) else "")).split())
    short = known if len(known) <= TITLE_SHOWN else f"{known[: TITLE_SHOWN - 1]}…"
    if not short:
        return name
    return f"{short} ({name})" if len(name) <= ID_SHOWN else short


def _question(column: Columns, i: int) -> tuple[str, str]:
    """What raters were asked about, and the column that says so; "" where none does."""
    asked = ((name, column(name)[i]) for name in (*QUESTIONS, ITEM))
    return next(((name, text) for name, text in asked if isinstance(text, str) and text.strip()), ("", ""))


def evidence(column: Columns, i: int, raters: Sequence[str]) -> list[Snippet]:
    """What the raters were asked, what they give as their reasons, the claim they judge, and the rest of the evidence.

    The rest is what is cited, what was retrieved, the flags that are set.
    """
    answer, flags = column(ANSWER)[i], column(GIVEN_FLAGS)[i]
    texts = []
    name, question = _question(column, i)
    if question:
        texts.append(snippet(name, question, QUESTION_SHOWN))
    for rater in raters:
        reason = column(f"{rater}.{REASON}")[i]
        if reason:
            texts.append(snippet(f"{rater}.{REASON}", str(reason), REASON_SHOWN))
    if isinstance(answer, dict) and answer.get("claim"):
        texts.append(snippet(f"{ANSWER}.claim", str(answer["claim"]), ANSWER_SHOWN))
    cited = answer.get("citations") if isinstance(answer, dict) else None
    raised = [name for name, value in flags.items() if value] if isinstance(flags, Mapping) else []
    rest = zip(EVIDENCE_SHOWN, (cited, column(RETRIEVED)[i], raised), strict=True)
    return texts + [snippet(label, text, IDS_SHOWN) for label, items in rest if (text := _listed(items))]


def _listed(items: Any) -> str:
    """A list in a line, long ones and long parts of it cut short."""
    if not isinstance(items, list | tuple):
        return ""
    more = [f"and {len(items) - IDS:,} more"] if len(items) > IDS else []
    return ", ".join([*(str(one)[:IDS_LONG] for one in items[:IDS]), *more])
