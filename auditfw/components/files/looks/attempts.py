"""Recorded attempts at the problems of a refine loop, in a table of any names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook

from .column_names import plain
from .guessed import NEEDED, guessed

# The words of a command that name files, as the components that recognise these write them.

GAP = "THEIRS"  # in a command what only the user knows


def path_word(key: str, paths: Sequence[str]) -> str:
    """The override that names one path, or a list of them."""
    if len(paths) == 1:
        return f"{key}={value(paths[0])}"
    return f"{key}=[{','.join(map(value, paths))}]"


def path_words(key: str, looks: Sequence[FirstLook]) -> str:
    """The override that names the paths that were looked at."""
    return path_word(key, [look.path for look in looks])


def table_words(look: FirstLook) -> list[str]:
    """The words that name a table."""
    words = [f"source={look.format}", path_words("source.path", [look])]
    words += [f"source.records={value(look.records_at)}"] if look.records_at else []
    mark = "\\t" if look.delimiter == "\t" else look.delimiter
    words += [f'source.delimiter="{mark}"'] if mark else []
    return [*words, *([] if look.quoted else ["source.quote=null"])]


def cell_words(names: Sequence[str]) -> list[str]:
    """The words for the columns of the cells; none for none."""
    return [f"by=[{','.join(map(value, names))}]"] if names else []


PROBLEMS = ("problem", "problem_id", "task", "task_id", "puzzle", "puzzle_id", "instance_id", "id")
NUMBERS = ("attempt", "attempt_number", "attempt_id", "attempt_index", "try", "iteration", "trial", "k")
RESULTS = ("score", "output", "outputs", "reward", "passed", "solved", "success", "correct", "resolved", "program")
MODELS = ("model", "model_id", "model_name")
PASSED = ("passed", "solved", "success", "correct", "resolved")
PARTS: Mapping[str, tuple[str, ...]] = {
    "seconds": ("seconds", "duration", "duration_s", "time_s", "elapsed", "latency_s"),
    "tokens": ("tokens", "total_tokens", "n_tokens"),
    "cost": ("cost", "cost_usd", "usd", "price_usd", "dollars"),
}
FULL = 100  # the highest score of a scale of percent
READERS = ("jsonl", "json", "csv")


class Attempts:
    """Recorded attempts: a record an attempt at a problem, with its number or what came of it."""

    def __init__(self, look: FirstLook) -> None:
        self.look = look
        self._names = {plain(name): name for name in reversed(look.columns)}
        names = PROBLEMS if self._first(NUMBERS) else PROBLEMS[:-1] if self._one_by_one() else PROBLEMS[:2]
        self.problem = self._first(names)
        self.number = self._first(NUMBERS)
        self.result = self._result()

    @classmethod
    def of(cls, look: FirstLook) -> Attempts | None:
        """The attempts that a table holds; None for one of stored answers, and any other file."""
        if look.format not in READERS or look.records_at or set(NEEDED) <= set(look.columns):
            return None
        attempts = cls(look)
        return attempts if attempts._known() else None

    def _one_by_one(self) -> bool:
        """Whether rows that say what passed are attempts in their order, and no answers of several models."""
        models = {str(row.get(name)) for row in self.look.records for name in MODELS if name in row}
        if self._first(PASSED) is None or self._first(PROBLEMS[:-1]) is None or len(models) > 1:
            return False
        return "ground_truth" not in guessed(self.look.columns, self.look.records)

    def _first(self, names: Sequence[str]) -> str | None:
        return next((self._names[name] for name in names if name in self._names), None)

    def _values(self, name: str | None) -> list[Any]:
        return [one for row in self.look.records if (one := row.get(name or "")) is not None]

    def _result(self) -> str | None:
        """The column of what came of an attempt; where a score below 1 passed, whether it passed."""
        name = self._first(RESULTS)
        passed = self._first(PASSED)
        if name is None or passed in (None, name):
            return name
        pairs = [(row.get(name), row.get(passed)) for row in self.look.records]
        alike = all(_number(score) is None or (_number(score) or 0) >= 1 or not _yes(word) for score, word in pairs)
        return name if alike else passed

    def _known(self) -> bool:
        """Whether there are several at one problem, numbered or with what came of each."""
        if self.problem is None or self.result is None:
            return False
        numbers = [_number(one) for one in self._values(self.number)]
        whole = all(one is not None and one == int(one) and one >= 0 for one in numbers)
        pairs = Counter((str(row.get(self.problem)), str(row.get(self.number or ""))) for row in self.look.records)
        if self.number is not None:
            return whole and bool(numbers) and max(pairs.values()) == 1
        return max(pairs.values(), default=0) > 1

    @property
    def scores(self) -> bool:
        """Whether what came of attempts are scores, yes or no: nothing has to be computed."""
        values = self._values(self.result)
        return all(_number(one) is not None or _yes(one) is not None for one in values)

    def words(self) -> list[str]:
        """The words that replay them."""
        columns = {"problem": self.problem, "attempt": self.number}
        columns |= {"output": self.result} if self.result not in ("outputs", "program") else {}
        columns |= {ours: self._first(names) for ours, names in PARTS.items()}
        listed = ", ".join(f"{ours}: {value(one)}" for ours, one in columns.items() if one is not None and one != ours)
        words = ["solver=replay", path_words("solver.path", [self.look])]
        words += [f"solver.columns={{{listed}}}"] if listed else []
        most = max(Counter(str(row.get(self.problem or "")) for row in self.look.records).values())
        words += ["solver.past_end=stop", *(self.scoring() if self.scores else []), f"stop.max_iterations={most}"]
        return words

    def scoring(self) -> list[str]:
        """The words for scores as they are recorded, with their range where that is not 0 to 1."""
        high = max((_number(one) or 0.0 for one in self._values(self.result)), default=0.0)
        top = FULL if 10 < high <= FULL else math.ceil(high)
        return ["scoring=recorded", *([f"audit.scoring.range=[0,{top}]"] if high > 1 else [])]

    def alone(self) -> list[str]:
        """The words that make problems of the attempts themselves."""
        name = value(self.problem or "")
        return [
            *table_words(self.look),
            f"source.columns={{id: {name}, input: {name}, output: {name}}}",
            "source.duplicates=first",
        ]


def _number(one: Any) -> float | None:
    """A score as a number; None for what is none."""
    if isinstance(one, bool):
        return None
    try:
        number = float(one)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _yes(one: Any) -> bool | None:
    """Whether something says yes; None for what says neither."""
    return {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}.get(str(one).strip().lower())


# Which columns of a table are likely to be cells.

CELLS = ("model", "model_id", "model_name", "task", "subject", "category", "dataset", "temperature", "variant")
MOST_STRATA, EACH, MOST_CELLS = 20, 5, 2  # values of a column, records of a value, columns


def cells(
    columns: Sequence[str], records: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None = None
) -> list[str]:
    """The columns that are likely to be cells: of a usual name, with more than one value.

    `last` is the file's last record: in a table that is sorted by a column it differs from the first ones.
    """
    rows = [*records, last] if last else records
    usual = [name for name in CELLS if name in columns]
    return [name for name in usual if len({str(row.get(name)) for row in rows}) > 1]


def strata(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of judgements that are likely to be cells: two to twenty values, each of five records on average."""
    few: list[str] = []
    for name in columns:
        values = [row.get(name) for row in records]
        distinct = {str(value) for value in values}
        plain = all(isinstance(value, str | int | bool) for value in values)
        if plain and 1 < len(distinct) <= min(MOST_STRATA, len(values) // EACH):
            few.append(name)
    return few[:MOST_CELLS]
