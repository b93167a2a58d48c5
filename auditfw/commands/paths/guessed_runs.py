"""The run for a table that nobody described: where its columns are known without doubt, or once a person has chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from auditfw.components.files.looks.guessed import NEEDED
from auditfw.config.choices import parsed
from auditfw.kinds.first_look import FirstLook

from .guesses.inside import with_records
from .guesses.judged_numbers import numbers_table
from .guesses.judged_tables import JudgedTable, wide_table
from .guesses.mapping import GuessedColumns, unused
from .judgements import TABLES, by_column, counts
from .proposal import Own, Proposal
from .unknown import lacking

COLUMNS = "source.columns"
WHAT = {  # our columns as a question names them
    "raw_text": "the text that the model wrote",
    "parsed_text": "the answer taken out of that text",
    "ground_truth": "the right answer",
    "stored": "whether the answer was scored right",
}
NONE = "none of these"

Ask = Callable[[str, Sequence[str]], int | None]  # a question and its choices; the place of the one that was made


def guessed_run(looks: Sequence[FirstLook], own: Own, ask: Ask) -> Proposal | None:
    """The run for one table, with the settings that it guessed; None where one of them is in doubt.

    `own` are the words of the user, which settle a doubt; `ask` has a person settle it. Raises AuditError.
    """
    look = with_records(looks[0])
    if len(looks) != 1 or look.format not in TABLES or lacking(look) is not None or counts(look) is not None:
        return None
    guesses = GuessedColumns(look, _own_names(own))
    judged = wide_table(look) or numbers_table(look)
    if not guesses.complete and judged is not None:
        sure = judged.sure or "audit.raters" in own
        sure = sure or ask(f"do {_raters(judged)} hold the labels of raters", ["yes"]) == 0
        return by_column(look) if sure else None
    if judged is not None and guesses.ours["raw_text"] in judged.taken and not _own_names(own):
        answers = f"answers ({guesses.ours['raw_text']}) and right answers ({guesses.ours['ground_truth']})"
        chosen = ask("what does the table hold", [answers, f"the labels of raters ({_raters(judged)})"])
        if chosen != 0:
            return by_column(look) if chosen == 1 else None
    return _of_answers(look, guesses, ask)


def _own_names(own: Own) -> dict[str, str]:
    """The columns that the user names, ours with theirs. Raises UsageError."""
    words = [f"{key}={text}" for key, text in own.items() if key == COLUMNS or key.startswith(f"{COLUMNS}.")]
    own_names: dict[str, str] = {}
    for one in parsed(words):
        value, ours = one.value(), str(one.key_or_group).removeprefix(COLUMNS).removeprefix(".")
        columns = value if isinstance(value, dict) else {ours: value}
        own_names |= {str(key): str(theirs) for key, theirs in columns.items()}
    return own_names


def _raters(judged: JudgedTable) -> str:
    return ", ".join(judged.taken[: len(judged.raters)])


def _of_answers(look: FirstLook, guesses: GuessedColumns, ask: Ask) -> Proposal | None:
    """The run for answers, once a person has chosen which column is which of those in doubt."""
    missing = [ours for ours in NEEDED if ours not in guesses.ours]
    if len(missing) == len(NEEDED):
        return None
    left = [name for name in look.columns if name not in guesses.ours.values()]
    settled: dict[str, str] = {}
    for ours, columns in {**guesses.rivals, **dict.fromkeys(missing, left)}.items():
        free = [name for name in columns if name not in settled.values()]
        choices = [*free, *([] if ours in NEEDED else [NONE])]
        chosen = ask(f"which column holds {WHAT[ours]} ({ours})", choices)
        if chosen is None:
            return None
        settled[ours] = "" if choices[chosen] == NONE else choices[chosen]
    if settled:
        guesses = GuessedColumns(look, {**guesses.own_names, **settled})
    what = f"a table of answers ({look.format}; {guesses.truths.why}{unused(look, guesses.ours)})"
    return Proposal(what, tuple(guesses.words()), guessed=(COLUMNS, "by"))
