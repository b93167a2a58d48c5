"""The sides of a comparison: finished runs, or logs that are audited now, each with the rules of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.audits.spine import Run, check_plan
from auditfw.commands.error_output import warn
from auditfw.commands.labelling.texts import stored_audit
from auditfw.commands.paths.command import with_paths
from auditfw.commands.run import Prepared, at_once, execute, failure
from auditfw.commands.run_folder import save_hydra
from auditfw.commands.stored_run import StoredRun, config_file, stored
from auditfw.commands.trust import may_start, remember
from auditfw.components.files.run_tables import digest_of
from auditfw.config import build as bridge
from auditfw.config.hydra.state import own_state
from auditfw.config.hydra.sweep_configs import as_yaml
from auditfw.core.document import some
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.records import Result
from auditfw.core.result_json import RESULT

from .conditions import SideConditions, side_conditions
from .items import MODEL, LabelledSide, labelled_side
from .rules import readings_of, scorer_config

ROOT = Path("outputs") / "compare"
LETTERS = "ABCDEFGHIJKLMNOPQRST"
MOST_RULES = 4
COMPLETE = (0, 1)


@dataclass(frozen=True)
class ComparedSide:
    """A finished run as one side: its letter, what it is called (the words that were typed), and the run.

    `cell` are columns with the values of its trials, where it is a part of the run.
    """

    letter: str
    called: str
    run: StoredRun
    cell: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def labels(self) -> LabelledSide:
        """Its label table. Raises DataError where it has none."""
        return labelled_side(self.run.folder).within(self.cell)

    @cached_property
    def conditions(self) -> SideConditions:
        """What its logs were made under, read once, whatever it is compared with."""
        return side_conditions(self.run, self.labels.frame)

    @cached_property
    def audit(self) -> ParsingSettings | None:
        """Its audit, built of the stored settings.

        None where they were not kept, would start code that is not trusted, or are of another kind of audit.
        """
        try:
            with own_state():
                built = stored_audit(self.run.folder)
        except AuditError:
            return None
        return built if isinstance(built, ParsingSettings) else None


@dataclass(frozen=True)
class LogSide:
    """A log before it is audited: its letter, the paths as typed, its settings, and what they were built into."""

    letter: str
    paths: Sequence[str]
    settings: dict[str, Any]
    plan: Run
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def audit(self) -> ParsingSettings:
        audit: Any = self.plan.audit
        return audit  # type: ignore[no-any-return]


def log_side(letter: str, paths: Sequence[str], words: Sequence[str]) -> LogSide:
    """A log as it would be audited. Raises AuditError."""
    with own_state():
        composed = bridge.compose(with_paths([*paths, *words], letter).words)
        plan, _ = bridge.build(composed)
        check_plan(plan)
    if not isinstance(plan.audit, ParsingSettings):
        what = f"is of an audit of its own ({plan.audit.name}): gaps are made of right and wrong answers"
        raise UsageError(" ".join(paths), what, None, "run it with auditfw PATH, and compare the runs")
    return LogSide(letter, paths, composed, plan)


def with_all_rules(logs: Sequence[LogSide]) -> list[LogSide]:
    """The same with the rules of all of them as further readings, `rule of A` and so on; equal ones once."""
    rules: list[tuple[str, Any, tuple[Any, ...]]] = []
    for log in logs:
        name = log.audit.baseline_name
        config = None if name is None else scorer_config(log.settings["audit"], name)
        parts = next((one.parts for one in readings_of(log.audit) if one.name == name), None)
        if config is not None and parts is not None and parts not in [known for *_, known in rules]:
            rules.append((f"rule of {log.letter}", config, parts))
    if len(rules) <= MOST_RULES:
        return [_with_rules(log, rules) for log in logs]
    first = [rule for rule in rules if rule[0] == f"rule of {logs[0].letter}"]
    letter = logs[0].letter
    warn(f"{len(rules)} rules: {letter} is labelled by all, the others by their own and by that of {letter}")
    return [_with_rules(log, rules if log is logs[0] else first) for log in logs]


def _with_rules(log: LogSide, rules: Sequence[tuple[str, Any, tuple[Any, ...]]]) -> LogSide:
    own = [one.parts for one in readings_of(log.audit)]
    further = {name: config for name, config, parts in rules if parts not in own}
    if not further:
        return log
    audit = {**log.settings["audit"]}
    audit["scorers"] = {**(audit.get("scorers") or {}), **further}
    if audit.get("readings") is not None:
        audit["readings"] = [*audit["readings"], *further]
    settings = {**log.settings, "audit": audit}
    with own_state():
        plan, _ = bridge.build(settings)
    return LogSide(log.letter, log.paths, settings, plan, further)


def audited(log: LogSide, folder: Path, reuse: bool, one_model: bool = True) -> ComparedSide:
    """A log's finished run: one below outputs/compare/ that is as it would be, else a new one.

    Raises AuditError, for a log of several models, too, where it has to be of `one_model`.
    """
    called = " ".join(log.paths)
    before = _before(log) if reuse else None
    if before is None:
        kept = {"config.yaml": as_yaml(log.settings), "overrides.yaml": as_yaml([])}
        prepared = Prepared((log.plan, []), finishing=_stored_first(kept))
        result = execute(log.settings, folder, show=False, prepared=prepared)
        if may_start(log.settings):
            remember([config_file(folder)])
        error = failure(result)
        if error is not None:
            raise type(error)(f"{called}: {error.where}" if error.where else called, *error.args[1:])
        before = folder
    side = ComparedSide(log.letter, called, stored(before))
    if one_model:
        _check_model(side)
    return side


def _stored_first(files: Mapping[str, str]) -> Any:
    def finishing(folder: Path, result: Result, plan: Run, manifest: dict[str, Any]) -> None:
        save_hydra(folder, files)
        at_once(folder, result, plan, manifest)

    return finishing


def cells_of(side: ComparedSide, by: Sequence[str]) -> list[ComparedSide]:
    """The cells of a run as sides, in the order of their first trials. Raises AuditError."""
    columns = [side.labels.column(name) for name in by]
    cells = list(dict.fromkeys(row for row in zip(*columns, strict=True) if None not in row))
    where = f"compare.by=[{','.join(by)}]"
    if not 2 <= len(cells) <= len(LETTERS):
        what = f"{side.called} has {some(len(cells), 'such cell')}"
        raise UsageError(where, what, None, f"name columns with 2 to {len(LETTERS)} values")
    named = [dict(zip(by, cell, strict=True)) for cell in cells]
    return [
        ComparedSide(letter, ", ".join(f"{name}={value}" for name, value in cell.items()), side.run, cell)
        for letter, cell in zip(LETTERS, named, strict=False)
    ]


def _check_model(side: ComparedSide) -> None:
    """Raises UsageError for a side of several models."""
    labels = side.labels
    models = labels.frame[MODEL].drop_nulls().n_unique() if labels.has(MODEL) else 0
    if models > 1:
        number = LETTERS.index(side.letter) + 1
        do = f"write {number}:source.where=… for one of them, or compare.by=[model]"
        raise UsageError(side.called, f"{side.letter} holds {models:,} models", None, do)


def _before(log: LogSide) -> Path | None:
    """The newest finished run of a log below outputs/compare/ with the same settings, version and files."""
    digest, versions = bridge.config_hash(log.settings), bridge.versions()
    for file in sorted(ROOT.glob(f"*/*/*/{RESULT}"), reverse=True):
        try:
            result = stored(file.parent).result
            files = [(Path(one["path"]), one["sha256"]) for one in result["inputs"]]
            same = result["config_hash"] == digest and result["versions"] == versions
            if same and result["exit_code"] in COMPLETE and files and all(digest_of(f) == sha for f, sha in files):
                return file.parent
        except (AuditError, OSError, KeyError):
            continue
    return None


def new_folder() -> Path:
    """The folder of a comparison that begins now."""
    now = datetime.now()
    return ROOT / f"{now:%Y-%m-%d}" / f"{now:%H-%M-%S-%f}"
