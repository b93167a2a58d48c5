"""Tasks of the Abstraction and Reasoning Corpus: a JSON file each, a folder of them, or one JSON mapping of them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from auditfw.components.files.file_settings import PLACE, FileSet
from auditfw.components.files.files import File, check_regular, holding_nothing, is_empty, open_bytes
from auditfw.components.files.formats.strict_json import Reader, RefusedError
from auditfw.components.files.keys import Keys
from auditfw.components.files.walk import PassedOver, matching, once
from auditfw.core.errors import (
    AuditError,
    DataError,
    NothingAudited,
    UsageError,
    brief,
    kind_of_value,
    near,
    nearest,
    refuse,
)
from auditfw.core.inputs import Watched, watch
from auditfw.core.records import Batch, Input
from auditfw.core.remote.places import actual, shown
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

TASKS_AT_ONCE = 256
OWN = ("id", PLACE, "train", "test")
KEYS = Keys("source", ("path", "files", "limit"))
SUFFIXES = (".json", ".json.gz", ".json.zst")


@dataclass(frozen=True)
class FoundTasks:
    """One task of a file, with the columns set for it."""

    id: str
    place: str
    train: list[dict[str, Any]]
    test: list[dict[str, Any]]
    set: Mapping[str, Any]


@declare("source", "arc")
class Arc:
    """Reads ARC tasks: {"train": [{input, output}], "test": [...]} with grids of whole numbers.

    - `path`: a task's JSON file (its name is the id), a folder of such files, or one JSON mapping of ids to tasks; or
      `files`: several, as `{path: ..., set: {column: value}}`;
    - `solutions`: a JSON mapping of ids to the outputs of their tests, if they are in a file of their own;
    - `ids`: only these tasks; `limit`: only the first N tasks.
    """

    path: str | None = None
    files: tuple[FileSet, ...] = ()
    solutions: str | None = None
    ids: tuple[str, ...] = ()
    limit: int | None = None

    def __post_init__(self) -> None:
        sets = tuple(one if isinstance(one, FileSet) else FileSet(**one) for one in self.files)
        object.__setattr__(self, "files", sets)
        if self.path is not None and self.files:
            raise UsageError("files", "path and files are both set", None, "set one of the two to null or []")
        if self.limit is not None and self.limit < 1:
            raise UsageError("limit", "expected a whole number of 1 or more", self.limit)

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Finds files and columns. Raises DataError for a missing file or column."""
        if self.path is None and not self.files:
            raise UsageError("source.path", "not set", None, "write source.path=FILE or FOLDER")
        sets = self.files or (FileSet(self.path or ""),)
        left_out = PassedOver()
        located = [(one, _files(actual(one.path), left_out)) for one in sets]
        further = tuple(dict.fromkeys(name for one in sets for name in one.set))
        for name in required:
            if name not in (*OWN, *further):
                listed = "found: " + ", ".join((*OWN, *further))
                raise DataError(sets[0].path, f"no column '{name}'", listed, near(name, [*OWN, *further]))
        everything = [path for _, several in located for path in several]
        empty = [path for path in everything if is_empty(path)]
        empty = [] if len(empty) == len(everything) else empty
        paths = [path for path in everything if path not in empty]
        solutions = [] if self.solutions is None else [actual(self.solutions)]
        for path in solutions:
            check_regular(path)
        watched = watch([*everything, *solutions])
        return Evidence(
            tasks=_Tasks(
                self, tuple((p, one.set) for one, several in located for p in several if p not in empty), further
            ),
            columns=(*OWN, *further),
            rows=self.limit or len(paths),
            inputs=partial(_inputs, watched, tuple((actual(one.path), several) for one, several in located)),
            check=watched.check,
            warnings=(*holding_nothing([shown(path) for path in empty], len(everything)), *left_out.lines()),
        )


@dataclass(frozen=True)
class _Tasks:
    """The tasks of the files, batch by batch, created again for each pass."""

    source: Arc
    files: tuple[tuple[str, Mapping[str, Any]], ...]
    further: tuple[str, ...]

    def __iter__(self) -> Iterator[Task]:
        tasks = list(self._found())
        if not tasks:
            raise NothingAudited("source", "holds no task", None, "check source.path and source.ids")
        for start in range(0, len(tasks), TASKS_AT_ONCE):
            yield partial(self._batch, tasks[start : start + TASKS_AT_ONCE])

    def _batch(self, tasks: Sequence[FoundTasks]) -> Batch:
        columns: dict[str, list[Any]] = {
            "id": [one.id for one in tasks],
            PLACE: [one.place for one in tasks],
            "train": [one.train for one in tasks],
            "test": [one.test for one in tasks],
        }
        return Batch(columns | {name: [one.set.get(name) for one in tasks] for name in self.further})

    def _found(self) -> Iterator[FoundTasks]:
        solutions = {} if self.source.solutions is None else _mapping(actual(self.source.solutions))
        seen: dict[str, str] = {}
        errors: list[AuditError] = []
        taken = 0
        for path, columns in self.files:
            for name, task, place in _tasks(path):
                if self.source.ids and name not in self.source.ids:
                    continue
                if self.source.limit is not None and taken >= self.source.limit:
                    break
                taken += 1
                if name in seen:
                    errors.append(DataError(place, f"duplicate task '{name}'", f"first at {seen[name]}"))
                    continue
                seen[name] = place
                try:
                    yield _checked(name, task, place, columns, solutions.get(name))
                except DataError as error:
                    errors.append(error)
        refuse(errors)
        absent = [name for name in self.source.ids if name not in seen]
        if absent and self.source.limit is None:
            raise DataError("source.ids", f"no task '{absent[0]}'", None, nearest(absent[0], list(seen)))


def _files(path: str, left_out: PassedOver) -> list[str]:
    """The files of a path, those of a folder by name."""
    if not os.path.isdir(path):
        check_regular(path)
        return [path]
    if not os.access(path, os.R_OK):
        raise DataError(shown(path), "cannot be read", "permission denied")
    patterns = [os.path.join(glob.escape(path), f"*{ending}") for ending in SUFFIXES]
    paths = [one for pattern in patterns for one in matching(pattern, left_out)]
    if not paths and left_out:
        raise left_out.refusal(shown(path))
    if not paths:
        raise DataError(shown(path), "holds no .json file", None, "name the folder of the tasks")
    return once(sorted(paths), left_out)


def _tasks(path: str) -> Iterator[tuple[str, Any, str]]:
    """The tasks of a file with their ids and places."""
    text, value = _read(path)
    if isinstance(value, dict) and "train" in value:
        yield Path(path).name.split(".json")[0], value, f"{shown(path)}:1"
        return
    if not isinstance(value, dict):
        raise DataError(f"{shown(path)}:1", "expected a task or a mapping of tasks", kind_of_value(value))
    for name, task in value.items():
        line = text.count("\n", 0, max(0, text.find(f'"{name}"'))) + 1
        yield name, task, f"{shown(path)}:{line}"


def _mapping(path: str) -> dict[str, Any]:
    _, value = _read(path)
    if not isinstance(value, dict):
        raise DataError(shown(path), "expected a mapping of ids to outputs", kind_of_value(value))
    return value


def _read(path: str) -> tuple[str, Any]:
    with open_bytes(File(path, keys=KEYS)) as stream:
        data = stream.read()
    try:
        text = data.decode("utf-8-sig")
        return text, Reader().parse(text)
    except UnicodeDecodeError:
        raise DataError(shown(path), "is not UTF-8", None, "convert it") from None
    except RefusedError as error:
        line = text.count("\n", 0, error.at or 0) + 1
        raise error.as_error(f"{shown(path)}:{line}") from None


def _checked(name: str, task: Any, place: str, columns: Mapping[str, Any], outputs: Any) -> FoundTasks:
    """A task whose every grid is one. Raises DataError that names task and example."""
    if not isinstance(task, Mapping) or not isinstance(task.get("train"), list):
        raise DataError(
            place, f"task '{name}' has no list 'train'", brief(task, 60), 'write {"train": [...], "test": [...]}'
        )
    test = task.get("test", [])
    if not isinstance(test, list):
        raise DataError(place, f"expected a list as 'test' of task '{name}'", brief(test, 60))
    if outputs is not None:
        test = _solved(name, test, outputs, place)
    for kind, examples in (("train", task["train"]), ("test", test)):
        for number, example in enumerate(examples, 1):
            _check_example(example, f"task '{name}', {kind} example {number}", place, kind == "train")
    return FoundTasks(name, place, task["train"], test, columns)


def _solved(name: str, test: Sequence[Any], outputs: Any, place: str) -> list[Any]:
    if not isinstance(outputs, list) or len(outputs) != len(test):
        count = len(outputs) if isinstance(outputs, list) else type(outputs).__name__
        raise DataError(
            place,
            f"task '{name}': {len(test)} tests, but a different number of solutions",
            count,
            "check source.solutions",
        )
    solved = zip(test, outputs, strict=True)
    return [{**one, "output": output} if isinstance(one, Mapping) else one for one, output in solved]


def _check_example(example: Any, where: str, place: str, must: bool) -> None:
    if not isinstance(example, Mapping):
        raise DataError(place, f"expected {{input, output}} as {where}", brief(example, 60))
    for side in ("input", "output"):
        grid = example.get(side)
        if grid is None and side == "output" and not must:
            continue
        why = _no_grid(grid)
        if why:
            raise DataError(
                place, f"{where}: the {side} is not a grid", why, "write rows of whole numbers, equally long"
            )


def _no_grid(grid: Any) -> str:
    """Why a value is no grid of whole numbers; "" where it is one."""
    if grid is None:
        return "missing"
    if not isinstance(grid, list) or not grid or not all(isinstance(row, list) and row for row in grid):
        return brief(grid, 60)
    if len({len(row) for row in grid}) > 1:
        return f"rows of {', '.join(str(n) for n in sorted({len(row) for row in grid}))} cells"
    odd = next((cell for row in grid for cell in row if not isinstance(cell, int) or isinstance(cell, bool)), None)
    return "" if odd is None else f"a cell is {brief(odd, 40)}"


def _inputs(watched: Watched, located: Sequence[tuple[str, Sequence[str]]]) -> list[Input]:
    """The inputs with their SHA-256; a folder is one, over the names and checksums of its files in order."""
    known = dict(zip(watched.stamps, watched.inputs(), strict=True))
    inputs = []
    for path, several in located:
        if [path] == list(several):
            inputs.append(known[path])
            continue
        parts = [(os.path.basename(name), known[name]) for name in several]
        text = "".join(f"{name}\0{one.sha256}\n" for name, one in parts)
        inputs.append(Input(shown(path), sha256(text.encode()).hexdigest(), sum(one.bytes for _, one in parts)))
    tasks = {name for _, several in located for name in several}
    return [*inputs, *(one for path, one in known.items() if path not in tasks)]
