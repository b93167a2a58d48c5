"""What is said of paths that no run fits: what was seen, and the command to go on with, as far as one can guess."""

from __future__ import annotations

import json
from collections.abc import Sequence

from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.looks.first_look import BY_SOURCE, tables_in
from auditfw.core.errors import DataError
from auditfw.kinds.first_look import FirstLook

from .guesses.inside import with_records
from .guesses.mapping import GuessedColumns, unused
from .judgements import by_column, counts
from .proposal import spelt
from .sources import recognisers
from .tables import completed

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
