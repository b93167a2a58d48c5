"""Trials in the results of promptfoo: an output file, or its database."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, get_args

from auditfw.components.files.file_settings import Glance
from auditfw.components.files.file_source import FileSource
from auditfw.components.files.files import File, looks_like
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.logs.conditions import log_conditions, promptfoo_conditions
from auditfw.components.files.logs.converted import ConvertedFiles, a_list, an_object
from auditfw.components.files.logs.promptfoo import RULES, PromptfooRows, Unit, provider_limits
from auditfw.components.files.logs.versions import promptfoo_error, promptfoo_remark, promptfoo_version, whole_object
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError
from auditfw.kinds.evidence import LogConditions, ScorerRule, ShippedScorer
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare

from .sqlite import Sqlite

QUERY = """SELECT eval_id, test_idx AS testIdx, prompt_idx AS promptIdx, test_case AS testCase, prompt, provider,
response, error, failure_reason AS failureReason, success, score, grading_result AS gradingResult
FROM eval_results ORDER BY rowid"""
BY = ("model", "assertion")
LARGEST_READ_TWICE = 16 << 20
LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")


@declare("source", "promptfoo")
class Promptfoo(ConvertedFiles):
    """Reads the results of promptfoo (`-o out.json` or `out.jsonl`, or promptfoo.db): a row for each assertion.

    It has the settings of all file sources, and:
    - `row`: `assertion`; or `result`: one row per result, whose label is its `success`, that of all its assertions
      together; or `judgement`: the assertions of a result as raters for the consistency audit, named by their metric or
      type (columns qid, rater, label, reason), with the labels `pass` and `fail`;
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (test/prompt/assertion), item (the test's variables), repeat, model, prompt, question, assertion (its
    type), metric, raw_text (the output before a transform of the test), parsed_text (what the assertions read),
    ground_truth (the value compared with), stored, error, stop, tokens_in, tokens_out, limit, reason.
    Assertions whose rule cannot be applied again count as `no_rule`.
    """

    logs = "results of promptfoo"
    ruled_by = "assertion"
    rivals = "of_rule"

    row: Unit = "assertion"
    by: tuple[str, ...] = BY

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.row not in get_args(Unit):
            raise UsageError("row", "expected assertion, result or judgement", repr(self.row))
        if self.row == "judgement" and self.by == BY:
            object.__setattr__(self, "by", BY[:1])

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of its files."""
        return ("*.json", "*.jsonl")

    def reader(self, file: File) -> FileSource:
        """A reader of lines, of one JSON text, or of the database."""
        settings: dict[str, Any] = {"path": file.path, "encoding": self.encoding, "max_decoded": self.max_decoded}
        if looks_like(file.path) == "sqlite":
            return Sqlite(**settings, query=QUERY).placed(self.reader_keys)
        if file.path.endswith(LINES):
            return JsonLines(**settings).placed(self.reader_keys)
        return JsonArray(**settings, records="results.results").placed(self.reader_keys)

    def converter(self, file: File) -> PromptfooRows:
        """Makes the rows of a file; of several files ids begin with the file's number."""
        return PromptfooRows(self.row, f"{file.number}/" if file.several else "", _limits(file))

    def glance(self, file: File) -> Glance:
        """The start of a file. Raises DataError, which names the version if that is not known, and UsageError."""
        version = _version(file)
        try:
            glance = super().glance(file)
            if version is not None and not glance.rows:
                raise NothingAudited(file.path, "holds no result of an assertion")
            return glance
        except AuditError as error:
            if version is not None:
                raise promptfoo_error(file.path, version, error) from None
            if not isinstance(error, UsageError) or looks_like(file.path) != "sqlite":
                raise
            do = "write the results to a file with promptfoo (-o out.json), and read that"
            raise DataError(file.path, "not a database of promptfoo that can be read", error.found, do) from None

    def rules(self) -> Mapping[str, ScorerRule]:
        """The rules of the assertions at the start of the files, by type; none for whole results."""
        if self.row != "assertion":
            return {}
        there = {row.get("assertion") for _, glance in self.glances() for row in glance.rows}
        return {name: rule for name, rule in RULES.items() if name in there}

    def conditions(self) -> tuple[LogConditions, ...]:
        """What each file was made under, by its configuration and its first results."""
        return tuple(
            log_conditions(promptfoo_conditions(_whole(file), glance.rows), glance.rows, "question", asked=True)
            for file, glance in self.glances()
        )

    def unfinished(self) -> str:
        """That a file holds fewer results than it counts, of several with its path; else empty."""
        files = self.located()
        return next((f"{file.path}: " * (len(files) > 1) + why for file in files if (why := _lacking(file))), "")

    @staticmethod
    def scorers_of(rule: ScorerRule) -> list[ShippedScorer]:
        """The scorer of an assertion, which reads the output behind a transform: the stored text."""
        return [ShippedScorer("promptfoo", (f"matcher.assertion={rule.options['assertion']}",))]

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is a file of results or a database."""
        if look.format == "sqlite":
            return {"evals", "eval_results"} <= set(look.names)
        return {"evalId", "results"} <= look.keys or {"gradingResult", "promptIdx"} <= look.keys

    def warnings(self) -> tuple[str, ...]:
        """That whole results have no rule of their own, and which files are of a version that is not known."""
        versions = {file.path: _version(file) for file in self.located()}
        remarks = tuple(promptfoo_remark(path, number) for path, number in versions.items() if number is not None)
        whole = "source.row=result: a label combines all assertions of a result, so no single rule gives it"
        return (*remarks, f"{whole}: there is no baseline") if self.row == "result" else remarks


def _limits(file: File) -> dict[Any, int]:
    """The most tokens of an answer by provider, as the configuration in an output file says."""
    return provider_limits(_whole(file).get("config"))


def _lacking(file: File) -> str:
    """That a file has fewer results than its statistics count."""
    results = an_object(_whole(file).get("results"))
    ended = [an_object(results.get("stats")).get(name) for name in ("successes", "failures", "errors")]
    there, counted = len(a_list(results.get("results"))), sum(n for n in ended if type(n) is int)
    return f"{there:,} of {counted:,} counted results are there" if there < counted else ""


def _whole(file: File) -> Mapping[str, Any]:
    """An output file as a whole, if it is one JSON text and not large; else nothing."""
    if not file.path.endswith(".json") or os.path.getsize(file.path) > LARGEST_READ_TWICE:
        return {}
    try:
        return whole_object(file.path)
    except AuditError:  # whoever reads the results says what is wrong
        return {}


def _version(file: File) -> str | None:
    """The version of a file's results, if it is not known."""
    return promptfoo_version(file.path) if looks_like(file.path) is None else None
