"""What sources of judgements and the audit that reads them agree on: names of columns, evidence as flags, votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

RATER, LABEL, REASON = "rater", "label", "reason"
ANSWER, RETRIEVED, GIVEN_FLAGS = "answer_json", "retrieved_ids", "flags"
EVIDENCE = (ANSWER, RETRIEVED, GIVEN_FLAGS)
PARTS = (REASON, ANSWER, RETRIEVED)  # what a rater may have of its own, as columns RATER.PART
QID, ITEM = "qid", "item"  # a judged row, and the question, problem or pair behind it
CITED = "#cited"  # the citations of answers that were not read whole
CLAIM, CLAIMED = "claim", "#claim"  # the same of what answers claim
FAULT, PLACE = "#fault", "#place"  # what is wrong with a record ("" or null: nothing), and FILE:LINE

HARD_FLAG, OUT_OF_SCOPE, EVIDENCE_MISSING = FLAGS = ("hard_flag", "citations_out_of_scope", "evidence_missing")
REFERENCE, CANDIDATE, MAJORITY, AGREED = "reference", "candidate", "majority", "agreed"
DERIVED = frozenset((REFERENCE, CANDIDATE, MAJORITY, AGREED, *FLAGS))

Typing = Literal["strict", "loose"]
RowColumns = Mapping[str, Sequence[Any]]  # judged rows, column by column
Decision = tuple[str | None, str]  # the final label, and why
Shown = tuple[bool, bool, bool]  # one truth for each of FLAGS

CLEAR: Shown = (False, False, False)
NULL = ()  # stands for a null that was written where nothing, or an object, should be


class FaultError(Exception):
    """Evidence that is not of the form it must have; the text says which, and what was found."""


def weigh(flags: Any, answer: Any, retrieved: Any, hard: Sequence[str], typing: Typing = "strict") -> Shown:
    """What a row's evidence shows: a hard flag, citations out of scope, citations without any ids retrieved.

    `strict` wants flags as an object of true and false, the answer as an object whose citations are a list, and the
    ids as a list; null stands for nothing. `loose` takes what Python takes for true, as the reference scorer does,
    and citations without ids for out of scope. Raises FaultError.
    """
    if flags is None and answer is None:
        return CLEAR
    if typing == "loose":
        return _weighed_loosely(flags, answer, retrieved, hard)
    flagged = flags is not None and _flagged(flags, hard)
    if answer is None:
        return (flagged, False, False)
    cited = citations(answer)
    if retrieved is not None:
        _check_list(RETRIEVED, retrieved)
    if not cited:
        return (flagged, False, False)
    if retrieved is None:
        return (flagged, False, True)
    return (flagged, not set(cited) <= set(retrieved), False)


def citations(answer: Any) -> Sequence[Any]:
    """The citations of an answer; none where it has none. Raises FaultError."""
    if not isinstance(answer, dict):
        raise FaultError(f"{ANSWER} is {sort_of(answer)}, not an object")
    cited: Sequence[Any] | None = answer.get("citations")
    if cited is None:
        return ()
    _check_list(f"{ANSWER}.citations", cited)
    return cited


def claim(answer: Any) -> Any:
    """What an answer claims; None where it claims nothing."""
    return answer.get(CLAIM) if isinstance(answer, dict) else None


def _flagged(flags: Any, hard: Sequence[str]) -> bool:
    if not isinstance(flags, dict):
        raise FaultError(f"{GIVEN_FLAGS} is {sort_of(flags)}, not an object")
    raised = False
    for name in hard:
        value = flags.get(name, False)
        if value is not True and value is not False:
            raise FaultError(f"{GIVEN_FLAGS}.{name} is {sort_of(value)}, not true or false")
        raised = raised or value
    return raised


def _check_list(what: str, value: Any) -> None:
    if not isinstance(value, list | tuple):
        raise FaultError(f"{what} is {sort_of(value)}, not a list")
    for part in value:
        if not isinstance(part, str | int | float) or isinstance(part, bool):
            raise FaultError(f"{what} holds {sort_of(part)}, not text")


def _weighed_loosely(flags: Any, answer: Any, retrieved: Any, hard: Sequence[str]) -> Shown:
    try:
        flagged = any(bool((flags if flags is not None else {}).get(name)) for name in hard)
        cited = set((answer or {}).get("citations") or [])
        ids = set(retrieved or [])
    except (AttributeError, TypeError) as error:
        raise FaultError(_broken(flags, answer, retrieved)) from error
    return (flagged, bool(cited) and not cited <= ids, False)


def _broken(flags: Any, answer: Any, retrieved: Any) -> str:
    """Which part of the evidence the reference scorer breaks on."""
    for what, value in ((GIVEN_FLAGS, flags), (ANSWER, answer or None)):
        if value is not None and not isinstance(value, dict):
            return f"{what} is {sort_of(value)}, not an object"
    for what, value in ((f"{ANSWER}.citations", (answer or {}).get("citations")), (RETRIEVED, retrieved)):
        if value and not isinstance(value, str | dict | list | tuple):
            return f"{what} is {sort_of(value)}, not a list"
        for part in value if isinstance(value, list | tuple) else ():
            if isinstance(part, list | dict):
                return f"{what} holds {sort_of(part)}, not text"
    return "evidence of an unexpected type"


def sort_of(value: Any) -> str:
    """What a value is, in a word or two, with its text."""
    sorts = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return (
        "null"
        if value is None or value == NULL
        else f"{sorts.get(type(value), type(value).__name__)} {str(value)[:40]!r}"
    )


def more_than_half(votes: Sequence[str | None]) -> str | None:
    """The label of more than half of the votes that are not null, or None."""
    voted = [vote for vote in votes if vote is not None]
    return next((vote for vote in set(voted) if 2 * voted.count(vote) > len(voted)), None)


def reduced(votes: Sequence[str], tie: str) -> str:
    """The most frequent of several labels that one rater gave an item; `tie` where two are equally frequent."""
    ranked = Counter(votes).most_common(2)
    return tie if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def derived_columns(rows: Mapping[str, Sequence[str | None]], reference: str) -> dict[str, list[Any]]:
    """The columns that policies may name beside the raters': of the reference, the first other rater, and of all."""
    first = next((name for name in rows if name != reference), reference)
    votes = list(zip(*rows.values(), strict=True))
    return {
        REFERENCE: list(rows[reference]),
        CANDIDATE: list(rows[first]),
        MAJORITY: [more_than_half(row) for row in votes],
        AGREED: [len({vote for vote in row if vote is not None}) <= 1 for row in votes],
    }


def is_column(final: str) -> bool:
    """Whether a policy's final label is the name of a column in braces, whose label it then is."""
    return final.startswith("{") and final.endswith("}")


class Policy(Protocol):
    """Decides judged rows by rule, each on its own: the final label (null: none) and why.

    `rows` has a column for each rater (its label or null), those derived from them, and the flags of the evidence
    (auditfw.kinds.judgements). `check` finds a case that no rule covers or a rule that is never reached, and raises
    UsageError. It may also declare

    - `labels`: the labels it compares with; a policy that knows none of a run's is left out;
    - `finals`: what it can give: labels, and names of columns in braces;
    - `names`: the columns it reads.
    """

    def check(self, raters: Sequence[str], labels: Sequence[str], reference: str) -> None: ...

    def __call__(self, rows: RowColumns) -> Sequence[Decision]: ...


class Validator(Protocol):
    """Says of each judged row what is wrong with it; "" where nothing is.

    `rows` has a column for each of the `raters` (its label or null), `<rater>.reason`, `answer_json`,
    `retrieved_ids`, `flags` and `conflict` (the evidence in which the raters' own records differ); also
    `<rater>.answer_json` and `<rater>.retrieved_ids` where raters have their own. It may also declare `label`, the one
    label that it is about, which must then be a label of the run.
    """

    def __call__(self, rows: RowColumns, raters: Sequence[str]) -> Sequence[str]: ...
