"""The run for a table that nobody described: where its columns are known without doubt, or once a person has chosen."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.looks.first_look import BY_SOURCE, tables_in
from auditfw.components.files.looks.guessed import NEEDED
from auditfw.config.choices import parsed
from auditfw.core.errors import DataError
from auditfw.kinds.first_look import FirstLook

from .guesses.judged_numbers import numbers_table
from .guesses.judged_tables import JudgedTable, wide_table
from .guesses.mapping import GuessedColumns, unused, with_records
from .judgements import TABLES, by_column, counts
from .proposal import Own, Proposal, spelt
from .sources import recognisers
from .tables import completed

# What is said of paths that no run fits: what was seen, and the command to go on with, as far as one can guess.

FEWEST = 2  # columns of a table
LONGEST = 64_000_000  # bytes of an object that is read to see whether it is whole
WHICH = "say which columns are which"


def unknown(looks: Sequence[FirstLook]) -> DataError:
    """The error for paths that no run fits: what was seen, and a command that maps columns, as far as one can guess."""
    looks = [with_records(one) for one in looks]
    look = next((one for one in looks if one.columns), looks[0])
    if (known := lacking(look) or counts(look)) is not None:
        return known
    if len(look.columns) < FEWEST:
        if look.format == "sqlite" and not look.names:
            try:
                tables_in(look.path)
            except DataError as error:
                return error
        if look.format == "object" and (broken := _broken(look.path)) is not None:
            return broken
        inside = f"{look.format} with {', '.join(look.names[:8])}" if look.names else look.format
        return DataError(look.path, "not recognised as a log", inside, f"name the files themselves, or {BY_SOURCE}")
    guesses = GuessedColumns(look)
    answers = guesses.complete or {"ground_truth", "stored"} <= set(guesses.ours)
    raters = None if answers else by_column(look)
    words = guesses.words() if raters is None else raters.words
    columns = f"columns {', '.join(look.columns[:20])}{unused(look, guesses.ours) if raters is None else ''}"
    columns += f"; {guesses.truths.why}" if raters is None and guesses.truths.texts else ""
    doubts = [f"{ours} may be {' or '.join(several)}; " for ours, several in guesses.rivals.items() if answers]
    columns = "".join(doubts) + columns
    return DataError(look.path, "not recognised as a log", columns, f"{WHICH}: {spelt(words)}")


def _broken(path: str) -> DataError | None:
    """The error for a file of one JSON object that is cut off or no JSON, at its line; None of one whole or long."""
    with open_bytes(File(path)) as stream:
        text = stream.read(LONGEST + 1).decode("utf-8-sig", "replace").rstrip()
    try:
        if len(text) <= LONGEST:
            json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
            line = text.count("\n") + 1
            return DataError(
                f"{path}:{line}", "the file is cut off", "one JSON object that does not end", "write it again"
            )
        what = f"{error.msg}, column {error.colno}"
        return DataError(f"{path}:{error.lineno}", "is not JSON", what, "mend that place, or write the file again")
    except RecursionError:
        pass  # so deep that only a source of it would know
    return None


def lacking(look: FirstLook) -> DataError | None:
    """The error for a file that a component recognises, and that is no run yet: the command that it is a part of."""
    for lacks in recognisers("lacks"):
        part = lacks(look)
        run = completed([look], part) if part is not None else None
        if part is not None and run is not None:
            return DataError(look.path, part.what, part.detail, f"{part.advice}: {spelt(run.words)}")
    return None


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
