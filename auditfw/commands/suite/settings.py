"""The file of a suite: entries with their bounds, and gates, all checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from auditfw.config import build as bridge
from auditfw.config.safe_yaml import load_yaml
from auditfw.config.schema import load
from auditfw.core.errors import UsageError, brief, kind_of_value, nearest
from auditfw.formulas.repeats.release import ALWAYS, EntryTier, Undecided
from auditfw.kinds.metrics import Gate

KEYS = ("defaults", "entries", "gates", "sweep")
PLACES = ("candidate", "baseline", "jobs")  # what an entry alone has
MOST_ENTRIES = 1_000
CANDIDATE, FILLED = "candidate", "{candidate}"
COUNTS = ("suite_breaches", "suite_undecided", "suite_missing")
EXAMPLE = "write suite: {entries: {NAME: {candidate: RUN, baseline: RUN, max_drop: 1}}}"


@dataclass(frozen=True)
class EntrySettings:
    """An entry of a suite: what is compared, and what it may lose.

    `candidate` and `baseline` are run folders, or, with `jobs`, conditions on the jobs of a sweep, all of which hold
    for the one job. `metric` may name a reading, `metric@reading`. The drop, in the metric's worse direction and its
    own unit, is at most `max_drop`; in percent of the baseline's value at most `max_relative`, where that value is
    below `relative_below`. `min` and `max` bound the candidate's own number. `undecided` is what an entry asks for
    that its interval does not decide; with `decide: value` the number alone decides.
    """

    candidate: str = ""
    baseline: str | None = None
    jobs: str | None = None
    tier: EntryTier = "supporting"
    metric: str = "right_of_all"
    max_drop: float | None = None
    max_relative: float | None = None
    relative_below: float = ALWAYS
    min: float | None = None
    max: float | None = None
    undecided: Undecided | None = None
    decide: Literal["interval", "value"] = "interval"

    @property
    def compares(self) -> bool:
        """Whether it limits what is lost on the baseline."""
        return self.max_drop is not None or self.max_relative is not None

    @property
    def bounded(self) -> bool:
        """Whether a number is limited."""
        return self.compares or self.min is not None or self.max is not None


@dataclass(frozen=True)
class SuiteFile:
    """A suite as its file says: the entries by name in the order of the file, the gates, the folder of a sweep.

    `gates` are asked of every candidate, `whole_gates`, on a count of entries, of the suite.
    """

    path: str
    entries: Mapping[str, EntrySettings]
    gates: Mapping[str, Gate]
    whole_gates: Mapping[str, Gate]
    sweep: str | None = None


def read_suite(path: Path, words: Sequence[str] = ()) -> SuiteFile:
    """Reads the file of a suite; the words of a command replace candidates. Raises UsageError, with the place."""
    bridge.prepare()
    settings = _mapping(load_yaml(path), str(path), ("suite",))
    suite = _mapping(settings.get("suite"), f"{path}: suite", KEYS)
    defaults = _defaults(suite.get("defaults"), f"{path}: defaults")
    entries = suite.get("entries")
    if not isinstance(entries, Mapping) or not entries:
        empty = entries is None or entries == {}
        raise UsageError(f"{path}: entries", "an empty suite" if empty else "is no mapping", None, EXAMPLE)
    if len(entries) > MOST_ENTRIES:
        what = f"at most {MOST_ENTRIES:,} entries are possible"
        raise UsageError(f"{path}: entries", what, f"{len(entries):,}", "write several files")
    gates = {
        str(name): load("gate", gate, f"{path}: gates.{name}")
        for name, gate in _any_mapping(suite.get("gates"), f"{path}: gates").items()
    }
    whole = {name: gate for name, gate in gates.items() if any(metric in COUNTS for metric, _ in gate.metrics())}
    own = {name: gate for name, gate in gates.items() if name not in whole}
    sweep = suite.get("sweep")
    if sweep is not None and not isinstance(sweep, str):
        raise UsageError(f"{path}: sweep", "expected the folder of a sweep", sweep)
    checked = {str(name): _entry(path, str(name), entry, defaults, bool(own)) for name, entry in entries.items()}
    return SuiteFile(str(path), _filled(str(path), checked, words), own, whole, sweep)


def _mapping(value: Any, where: str, known: Sequence[str]) -> Mapping[str, Any]:
    if value is None:
        raise UsageError(where, "is empty", None, EXAMPLE)
    settings = _any_mapping(value, where)
    for key in settings:
        if key not in known:
            raise UsageError(where, f"unknown key '{brief(key)}'", None, nearest(str(key), known))
    return settings


def _any_mapping(value: Any, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(where, "expected a mapping", kind_of_value(value))
    return value


def _defaults(value: Any, where: str) -> Mapping[str, Any]:
    defaults = _any_mapping(value, where)
    for key in defaults:
        if key in PLACES:
            raise UsageError(where, f"'{key}' is of one entry", None, "write it in each entry")
    _check(bridge.build_part(EntrySettings, defaults, where), where)
    return defaults


def _entry(path: Path, name: str, value: Any, defaults: Mapping[str, Any], gated: bool) -> EntrySettings:
    """An entry with what it has of the defaults: those on a drop only where there is a baseline."""
    where = f"{path}: entries.{name}"
    own = _any_mapping(value, where)
    entry = bridge.build_part(EntrySettings, {**defaults, **own}, where)
    if not entry.candidate:
        raise UsageError(where, "has no candidate", None, "write candidate: RUN")
    if entry.baseline is None:
        for key in ("max_drop", "max_relative"):
            if own.get(key) is not None:
                raise UsageError(f"{where}.{key}", "needs a baseline", own[key], "write baseline: RUN, or min: NUMBER")
        entry = replace(entry, max_drop=None, max_relative=None)
    _check(entry, where)
    if not entry.bounded and not gated:
        do = "write max_drop (with a baseline), min or max, or gates"
        raise UsageError(where, "nothing to hold", None, do)
    if entry.relative_below < ALWAYS and entry.max_relative is not None and entry.max_drop is None:
        what = f"holds nothing where the baseline is {entry.relative_below:g} or more"
        raise UsageError(f"{where}.max_relative", what, None, "write max_drop as well, or leave relative_below out")
    return entry


def _check(entry: EntrySettings, where: str) -> None:
    """Raises UsageError for a bound that means nothing."""
    for key in ("max_drop", "max_relative"):
        bound = getattr(entry, key)
        if bound is not None and bound < 0:
            raise UsageError(f"{where}.{key}", "expected 0 or more", bound, "write how much may be lost")
    if entry.relative_below <= 0:
        raise UsageError(f"{where}.relative_below", "expected a number above 0", entry.relative_below)
    if entry.min is not None and entry.max is not None and entry.min > entry.max:
        raise UsageError(f"{where}.min", "is above max: no number can hold", f"{entry.min:g} > {entry.max:g}")


def _filled(path: str, entries: Mapping[str, EntrySettings], words: Sequence[str]) -> dict[str, EntrySettings]:
    """The entries with the candidates that words name: `candidate=TEXT` for {candidate}, `NAME=TEXT` for an entry."""
    texts: dict[str, str] = {}
    for word in words:
        key, equals, text = word.partition("=")
        name = key.lower() if key not in entries and key.lower() == CANDIDATE else key
        if not equals or name not in (CANDIDATE, *entries):
            raise UsageError(word, "is no entry of the suite", None, nearest(key, [CANDIDATE, *entries]))
        if not text or name in texts:
            raise UsageError(word, "needs a candidate" if not text else "is there twice", None, f"write {name}=RUN")
        texts[name] = text
    general = texts.get(CANDIDATE) if CANDIDATE not in entries else None
    if general is not None and not any(FILLED in one.candidate for one in entries.values()):
        what = f"no candidate of {path} has {FILLED} in it"
        raise UsageError(
            f"{CANDIDATE}={general}", what, None, f"write candidate: {FILLED}/NAME there, or NAME=RUN here"
        )
    filled = {}
    for name, entry in entries.items():
        candidate = texts.get(name, entry.candidate)
        if FILLED in candidate and general is None:
            raise UsageError(f"{path}: entries.{name}.candidate", f"has {FILLED} in it", None, f"write {CANDIDATE}=RUN")
        filled[name] = replace(entry, candidate=candidate.replace(FILLED, general or FILLED))
    return filled
