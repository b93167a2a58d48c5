"""Problems of a refine loop, and recorded attempts at them."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.config.quoting import value
from auditfw.core.errors import DataError
from auditfw.kinds.first_look import FirstLook

from .first_look import readable
from .guesses.column_names import plain
from .guesses.guessed import guessed
from .guesses.mapping import delimiter_words
from .proposal import GAP, Own, Proposal, path_words, spelt

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
NAMES = ("id", *PROBLEMS, "name")  # of the id of problems
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

    def known(self) -> bool:
        """Whether a table holds attempts: several at one problem, numbered or with what came of each."""
        if self.look.format not in READERS or self.look.records_at or self.problem is None or self.result is None:
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
        words = [f"source={self.look.format}", path_words("source.path", [self.look])]
        words += delimiter_words(self.look)
        return [*words, f"source.columns={{id: {name}, input: {name}, output: {name}}}", "source.duplicates=first"]


def loops(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """Problems with recorded attempts, in one file or two, or attempts whose results are recorded alone."""
    attempts = [one for look in looks if not is_problems(look) and (one := Attempts(look)).known()]
    problems = [look for look in looks if is_problems(look)]
    if len(looks) != len(attempts) + len(problems) or len(attempts) > 1 or len(problems) > 1:
        return None
    start = ["experiment=self_audit"]
    if problems:
        words = [*start, "source=problems", path_words("source.path", problems), *_id_words(problems[0])]
        if attempts or not (beside := _beside(problems[0])):
            more = attempts[0].words() if attempts else _of_problems(problems[0])
            return Proposal(_what(attempts), (*words, *more)) if more is not None else None
        return Proposal(_what([beside]), (*words, *beside.words()), (problems[0].path, beside.look.path))
    if attempts and attempts[0].scores:
        return Proposal("recorded attempts", (*start, *attempts[0].alone(), *attempts[0].words()))
    return None


def _what(attempts: Sequence[Attempts]) -> str:
    return "problems with recorded attempts" if attempts else "problems"


def is_problems(look: FirstLook) -> bool:
    """Whether records are problems, with training examples each."""
    trains = [row.get("train") for row in look.records]
    examples = [one[0] for one in trains if isinstance(one, list) and one]
    shaped = all(isinstance(one, dict) and {"input", "output"} <= set(one) for one in examples)
    whole = bool(examples) and len(examples) == len(trains) and shaped
    return look.format == "jsonl" and whole and any(name in look.columns for name in NAMES)


def _id_words(look: FirstLook) -> list[str]:
    """The words that map the id of problems, where it has another name."""
    name = next(name for name in NAMES if name in look.columns)
    return [] if name == "id" else [f"source.columns={{id: {name}}}"]


def _of_problems(look: FirstLook) -> list[str] | None:
    """The words for problems that hold their attempts, or whose outputs are grids, which are searched; else None."""
    output = look.records[0]["train"][0]["output"]
    grid = isinstance(output, list) and output and all(isinstance(row, list) for row in output)
    if "attempts" not in look.columns:
        return [] if grid else None
    most = max(len(row.get("attempts") or []) for row in look.records)
    lines = isinstance(output, str) and output.replace("\n", "").isdecimal() and "\n" in output
    scoring = ['scoring=grid audit.scoring.rows="\\n"'] if lines else [] if grid else ["scoring=text"]
    if not isinstance(output, str) and not grid:
        scoring = ["scoring=recorded"]
    return ["solver=replay", "solver.past_end=stop", *" ".join(scoring).split(), f"stop.max_iterations={max(most, 1)}"]


def _beside(look: FirstLook) -> Attempts | None:
    """The attempts at problems in a file beside theirs of the same name but for this word."""
    folder, name = os.path.split(look.path)
    path = os.path.join(folder, name.replace("problems", "attempts"))
    if path == look.path or not os.path.isfile(path) or "attempts" in look.columns:
        return None
    found = map(Attempts, readable([path]))
    return next((one for one in found if one.known()), None)


def without_attempts(look: FirstLook) -> DataError:
    """The error for problems alone: what they lack, and the command that reads it."""
    words = ["experiment=self_audit", "source=problems", path_words("source.path", [look]), *_id_words(look)]
    words += ["solver=replay"]
    do = f"name the recorded attempts, too: {spelt([*words, f'solver.path={GAP}', 'solver.past_end=stop'])}"
    return DataError(look.path, "holds problems without attempts", None, do)


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
