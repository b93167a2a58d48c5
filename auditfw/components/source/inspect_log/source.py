"""Inspect logs as a source of rows: their samples, by the scorer that counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from auditfw.components.files.file_settings import Glance, Records, Row, RowBlock
from auditfw.components.files.file_source import FileSource
from auditfw.components.files.files import File, holding_nothing, is_empty
from auditfw.components.files.logs.promptfoo import check_pattern
from auditfw.core.errors import UsageError, nearest
from auditfw.core.inputs import Watched
from auditfw.formulas.texts.patterns import BETWEEN_GROUPS
from auditfw.kinds.evidence import LogConditions, ScorerRule

from .conditions import conditions_of_log
from .decoding import END_CONSTANTS, ENDINGS
from .head import SEVERAL, LogHead, LogScorer
from .logs import Log, SampleGroup, log_of
from .rows import LogStart, RowReader, start_of
from .samples import COLUMNS, METADATA, SampleRules
from .scores import PARSING, ScoreRules

START_BYTES, LEAST_BYTES = 8 << 20, 1 << 16  # decoded to learn which columns there are: of all logs, of one
OFTEN_EMPTY = ("choices", "reasoning", "explanation", *END_CONSTANTS, *ENDINGS)


@dataclass(frozen=True)
class SampleBlock:
    """Some samples of a log as rows of these columns."""

    group: SampleGroup
    rules: SampleRules
    columns: frozenset[str] | None

    @property
    def count(self) -> int:
        return self.group.count

    def __call__(self) -> Records:
        reader = RowReader(self.rules, self.columns)
        rows: list[Row] = []
        numbers: list[int] = []
        for text in self.group.samples():
            row = reader.row(text)
            if row is not None:
                rows.append(row)
                numbers.append(text.number)
        return Records(rows, numbers, dropped=reader.dropped, notes=reader.notes)


@dataclass(frozen=True)
class InspectLogs(FileSource):
    """What the sources of Inspect logs share: files, heads, and the rules for scores."""

    scorer: str | None = None
    partial: float = 0.5
    threshold: float = 0.5
    key: str | None = None
    by: tuple[str, ...] = ("model", "task")

    def __post_init__(self) -> None:
        super().__post_init__()
        ScoreRules(self.partial, self.threshold, self.key)

    @property
    def _scores(self) -> ScoreRules:
        return ScoreRules(self.partial, self.threshold, self.key)

    def located(self) -> tuple[File, ...]:
        """The logs that the paths name. Raises UsageError when none is configured, DataError when one is missing."""
        return self._files

    @cached_property
    def _files(self) -> tuple[File, ...]:
        full = [file for file in self._found if not is_empty(file.path)] or self._found
        return tuple(replace(file, number=i, several=len(full) > 1) for i, file in enumerate(full, 1))

    @cached_property
    def _found(self) -> tuple[File, ...]:
        """The files that the paths name, each once."""
        files: dict[str, File] = {}
        for file in super().located():
            files.setdefault(file.path, file)
        return tuple(files.values())

    def _empty(self) -> tuple[str, ...]:
        """The warning about logs of no bytes beside others; they are not opened."""
        opened = {file.path for file in self._files}
        return holding_nothing([file.path for file in self._found if file.path not in opened], len(self._found))

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of logs."""
        return NAMES

    def fits(self, path: str) -> bool:
        """Whether a file of a folder may be a log."""
        return may_be_log(path)

    def watch(self) -> Watched:
        """The files as they were before the first look at their heads."""
        return self._watched

    @cached_property
    def _watched(self) -> Watched:
        return super().watch()

    @cached_property
    def _logs(self) -> tuple[Log, ...]:
        self.watch()
        return tuple(map(log_of, self.located()))

    @cached_property
    def _starts(self) -> tuple[LogStart, ...]:
        """The first samples of each log, and the names of the scores in them."""
        each = max(LEAST_BYTES, START_BYTES // len(self._logs))
        return tuple(start_of(log, each) for log in self._logs)

    @cached_property
    def _rules(self) -> tuple[SampleRules, ...]:
        """What becomes of the samples of each log. Raises UsageError for a scorer that a log has not."""
        heads = [log.head for log in self._logs]
        keys = [self._key(log, start) for log, start in zip(self._logs, self._starts, strict=True)]
        tasks = len({head.task for head in heads}) > 1
        named = zip(heads, keys, _labels(heads, keys), _prefixes(heads), self._starts, self._logs, strict=True)
        return tuple(
            SampleRules(
                model=head.model,
                task=head.task,
                temperature=head.temperature,
                scorer=key,
                rule=label,
                scores=self._scores,
                parsed=head.scorer(key).name in PARSING,
                joint=_joint(head.scorer(key)),
                id_prefix=prefix,
                item_prefix=f"{head.task}/" if tasks else "",
                log=log.file.path,
                limit=head.limit,
                planned=head.expected,
                **self._judging(head, start),
            )
            for head, key, label, prefix, start, log in named
        )

    def _judging(self, head: LogHead, start: LogStart) -> dict[str, Any]:
        """Which scorers, or whether epochs, are raters: for the source of raters."""
        return {}

    def _key(self, log: Log, start: LogStart) -> str:
        """The scorer that counts in one log: as configured, else the first that there are scores of."""
        known = start.scorers(log.head)
        if self.scorer is None:
            return known[0] if known else ""
        if known and self.scorer not in known:
            listed = f"its scorers are {', '.join(known)}"
            what = f"no scorer '{self.scorer}' in {log.file.path}"
            raise UsageError(self.keys.of("scorer"), what, listed, nearest(self.scorer, known))
        return self.scorer

    def _at(self, file: File) -> int:
        return file.number - 1

    def glance(self, file: File) -> Glance:
        at = self._at(file)
        log, start, rules = self._logs[at], self._starts[at], self._rules[at]
        rows = start.rows(rules)
        columns = [name for name in COLUMNS if self._has(name, rules, rows)]
        further = dict.fromkeys(name for row in rows for name in row if name not in COLUMNS and name != METADATA)
        inner = [METADATA] if any(METADATA in row for row in rows) else []
        return Glance(rows, (*columns, *further, *inner), log.count, whole=start.whole, exact=True)

    def _has(self, name: str, rules: SampleRules, rows: Sequence[Row]) -> bool:
        """Whether a log has one of the columns that not every log has."""
        if name == "parsed_text":
            return rules.parsed
        if name == "stored":
            return bool(rules.scorer)
        return name not in OFTEN_EMPTY or any(row.get(name) is not None for row in rows)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        log, rules = self._logs[self._at(file)], self._rules[self._at(file)]
        for group in log.groups():
            yield SampleBlock(group, rules, columns)

    def holding(self, file: File, names: Iterable[str]) -> Iterator[Row] | None:
        columns = frozenset(names) - {"stored"}
        return (row for block in self.blocks(file, columns, False) for row in block().rows)

    def quick_ids(self, file: File, column: str) -> Iterator[tuple[Sequence[int], Sequence[Any]]] | None:
        names, rules = self._logs[self._at(file)].names, self._rules[self._at(file)]
        if column != "id" or names is None:
            return None
        ids = list(map(rules.id_of, names))
        return None if None in ids else iter([(range(1, len(ids) + 1), ids)])

    def warnings(self) -> tuple[str, ...]:
        """How the runs ended, and which scorer counts where there are several."""
        remarks = [remark for log in self._logs for remark in (*log.head.remarks(log.count), *log.remarks)]
        return (*self._empty(), *remarks, *self._choice())

    def unfinished(self) -> str:
        """How the run of the first log stands that has not ended well, of several with its path; else empty."""
        heads = [log.head for log in self._logs]
        several = len(heads) > 1
        return next((f"{one.path}: " * several + one.unfinished for one in heads if one.unfinished), "")

    def _choice(self) -> Iterator[str]:
        """The remark on the scorer that was chosen of several."""
        several: dict[tuple[str, tuple[str, ...]], int] = {}
        for log, start, rules in zip(self._logs, self._starts, self._rules, strict=True):
            known = tuple(start.scorers(log.head))
            if self.scorer is None and len(known) > 1 and not rules.raters:
                several[rules.scorer, known] = several.get((rules.scorer, known), 0) + 1
        for (key, known), n in several.items():
            logs = f" ({n:,} logs)" if n > 1 else ""
            names, setting = ", ".join(known), self.keys.of("scorer")
            yield f"the labels are those of scorer {key}, the first of {names}{logs} ({setting})"

    def rules(self) -> Mapping[str, ScorerRule]:
        """The rule of each value of the column `scorer`, as the logs' heads declare it."""
        rules: dict[str, ScorerRule] = {}
        for log, one in zip(self._logs, self._rules, strict=True):
            if one.scorer:
                declared = log.head.scorer(one.scorer)
                if declared.name == "pattern":
                    check_pattern(declared.options.get("pattern"), f"{log.head.path}: scorer {one.scorer}")
                date = "" if log.head.package else log.head.date
                more = {SEVERAL: True} if declared.name == "choice" and log.head.several else {}
                rules[one.rule] = ScorerRule(declared.name, {**declared.options, **more}, log.head.package, date)
        return rules

    def conditions(self) -> tuple[LogConditions, ...]:
        """What each log was made under, by its head and its first samples."""
        rules = self.rules()
        logs = zip(self._logs, self._starts, self._rules, strict=True)
        return tuple(
            conditions_of_log(log.head.conditions, start, one, rules.get(one.rule)) for log, start, one in logs
        )


def _joint(scorer: LogScorer) -> str | None:
    """What goes between several targets that a scorer wants all together; None where one of them is enough."""
    if scorer.name == "choice":
        return ","
    return BETWEEN_GROUPS if scorer.name == "pattern" and scorer.options.get("match_all") is True else None


def _prefixes(heads: Sequence[LogHead]) -> Iterator[str]:
    """What the ids of each log begin with, so that those of other tasks, models and runs are others.

    A run that was tried again keeps its task's id: its samples have the ids that they had before.
    """
    if len(heads) < 2:
        yield from [""] * len(heads)
        return
    parts = [part for part in ("task", "model") if len({getattr(head, part) for head in heads}) > 1]
    named = [tuple(getattr(head, part) for part in parts) for head in heads]
    runs: dict[tuple[str, ...], set[str]] = {}
    for name, head in zip(named, heads, strict=True):
        runs.setdefault(name, set()).add(head.task_id)
    if any(len(ids) > 1 for ids in runs.values()):
        named = [(*name, head.task_id) for name, head in zip(named, heads, strict=True)]
    yield from ("/".join((*name, "")) for name in named)


def _labels(heads: Sequence[LogHead], keys: Sequence[str]) -> list[str]:
    """The scorer of each log as the column names it: with the task, or the run, where logs have other rules for it."""
    rules: dict[str, set[str]] = {}
    pairs = list(zip(heads, keys, strict=True))
    for head, key in pairs:
        for name in (key, f"{key} of {head.task}"):
            rules.setdefault(name, set()).add(_rule_text(head, key))
    return [
        next((name for name in (key, f"{key} of {head.task}") if len(rules[name]) == 1), f"{key} of {head.eval_id}")
        for head, key in pairs
    ]


def _rule_text(head: LogHead, key: str) -> str:
    """What distinguishes one rule from another."""
    declared = head.scorer(key)
    several = head.several and declared.name == "choice"
    return json.dumps([declared.name, declared.options, head.package, several], sort_keys=True)


NAMES = ("*.eval", "*.json")
LOOKED_AT = 1 << 16
KEYS = (b'"version"', b'"status"', b'"eval"')


def may_be_log(path: str) -> bool:
    """Whether a .json file begins as a log does; an .eval file is one, a compressed file is none."""
    if not path.endswith(".json"):
        return path.endswith(".eval")
    try:
        with open(path, "rb") as stream:
            start = stream.read(LOOKED_AT)
    except OSError:
        return True  # whoever reads it says what is wrong
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and all(key in start for key in KEYS)
