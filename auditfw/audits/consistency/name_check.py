"""What raters, cells and labels may be called, and which raters a source has. Raises UsageError with what to write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.judgements import DERIVED, EVIDENCE, FLAGS, ITEM, LABEL, PARTS, QID, RATER, REASON, Policy

from .conclusions.scale import unordered
from .counts import ConsistencyCounts
from .decisions import FINAL, WHY
from .rules import Rules
from .scoring import CONFLICT

USUAL = ("scholar", "auditor")
OWN = frozenset(("id", "status", *FLAGS))  # columns of the trials, beside the raters' and the policies'
COLUMNS = (f"{FINAL}.", f"{WHY}.", "code.", "row.")  # what others of them begin with
TAKEN = frozenset((*OWN, *DERIVED, *EVIDENCE, QID, ITEM, RATER, LABEL, REASON, FINAL, WHY, CONFLICT, "either", "all"))


def check_raters(raters: Sequence[str], where: str) -> None:
    """Refuses fewer than two raters, one that is named twice, and names that mean something else here."""
    if len(raters) < 2:
        names = f"found: {', '.join(raters)}" if raters else None
        raise UsageError(where, "agreement needs two raters or more", names, "add another rater's file or column")
    if len(set(raters)) < len(raters):
        raise UsageError(where, "a rater is named twice", ", ".join(raters), "name each once")
    for name in raters:
        if name in TAKEN or name.startswith((*COLUMNS, "#")) or not name.strip() or '"' in name:
            own = f"source.paths={{NAME: FILE}} or source.columns={{NAME: {_theirs(name)}}}"
            do = f"name the raters with audit.raters=[...]; this one by another name, with {own}"
            raise UsageError(where, f"a rater cannot be called '{name}'", "the name has another meaning here", do)


def _theirs(name: str) -> str:
    return f"{name}.{LABEL}" if name.isidentifier() else "THEIR_NAME"


def check_reference(reference: str, raters: Sequence[str]) -> None:
    """Refuses a reference that is neither a rater nor a decision."""
    if not reference.startswith(f"{FINAL}.") and reference not in raters:
        what, known = f"no rater '{reference}'", f"found: {', '.join(raters)}"
        do = f"{nearest(reference, raters)}; or name all raters with audit.raters=[{reference}, ...]"
        raise UsageError("audit.reference", what, known, do)


def check_named(names: Sequence[str], raters: Sequence[str], where: str) -> None:
    """Refuses a name in a setting that is no rater's."""
    for name in names:
        if name not in raters:
            raise UsageError(where, f"no rater '{name}'", f"raters: {', '.join(raters)}", nearest(name, raters))


def check_cells(by: Sequence[str], raters: Sequence[str]) -> None:
    """Refuses cells by a column that the trials have anyway."""
    for name in by:
        if name in raters:
            raise UsageError("by", f"'{name}' is a rater, not a cell", None, "leave it out")
        if name in OWN or name.startswith(COLUMNS):
            do = f"give the column another name: source.columns={{NAME: {name}}}"
            raise UsageError("by", f"'{name}' is a column of the audit's own", None, do)


def raters_of(source: Any, by: Sequence[str], reference: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The raters that a source has, as far as it says so, and of these those that it names itself.

    Of a table with a column for each rater they are those that `columns` names, else the usual two.
    """
    named = tuple(capability(source, "raters", tuple)())
    if named:
        return named, named
    condition = capability(source, "where") or ""
    other = {*TAKEN, *by, *re.findall(r"\w+", condition)}
    mapped = [name for name in capability(source, "columns") or {} if not _is_part(name) and name not in other]
    others = reference in mapped or not set(mapped) & set(USUAL)
    return (tuple(mapped) if len(mapped) > 1 and others else USUAL), ()


def _is_part(name: str) -> bool:
    return name.startswith("#") or name.rpartition(".")[2] in PARTS


def named_in(evidence: Evidence) -> tuple[str, ...]:
    """The raters that a column names, in the order of their first records."""
    raters: dict[str, None] = {}
    for task in evidence.tasks:
        raters.update(dict.fromkeys(str(name) for name in task().columns[RATER] if not is_blank(name)))
    return tuple(raters)


def is_blank(name: object) -> bool:
    """Whether a cell that should name a rater names none."""
    return name is None or not str(name).strip()


def check_meanings(audit: Any) -> None:
    """Refuses settings that say what a label means and name none; those as they come may name none."""
    labels: Sequence[str] = audit.labels
    usual = {field.name: field.default for field in fields(audit)}
    for setting, known in (
        ("abstain", labels),
        ("acceptable", tuple(dict.fromkeys((*labels, *_finals(audit.policies))))),
        ("valid", labels),
    ):
        value = getattr(audit, setting)
        if value != usual[setting]:
            for label in (value,) if isinstance(value, str) else value:
                _check_label(setting, label, known)
    for name, validator in audit.validators.items():
        if isinstance(label := capability(validator, "label"), str):
            _check_label(f"validators.{name}.label", label, labels)


def _finals(policies: Mapping[str, Policy]) -> list[str]:
    return [final for policy in policies.values() for final in capability(policy, "finals", ())]


def _check_label(where: str, label: str, known: Sequence[str]) -> None:
    if label not in known:
        raise UsageError(where, f"no label '{label}'", f"audit.labels: {', '.join(known)}", nearest(label, known))


def unfit(audit: Any, policies: Mapping[str, Policy]) -> dict[str, str]:
    """Why what some settings say cannot be counted with these labels; by setting, those that can be left out."""
    rows: tuple[tuple[str, Iterable[str], Iterable[str], str], ...] = (
        ("acceptable", audit.acceptable, (*audit.labels, *_finals(policies)), "write audit.acceptable=[LABEL]"),
        ("valid", (audit.valid,), audit.labels, "write audit.valid=LABEL"),
    )
    return unordered(audit) | {
        setting: f"no label is called {' or '.join(wanted)}: {do}"
        for setting, wanted, known, do in rows
        if wanted and not set(wanted) & set(known)
    }


def unseen(hard: Sequence[str], usual: Sequence[str], seen: frozenset[str], rows: int) -> Iterator[str]:
    """Warnings on hard flags that no record has: on those that a user named, and where there are other flags only."""
    missing = [name for name in hard if name not in seen]
    if rows and missing and (tuple(hard) != tuple(usual) or seen == {""}):
        listed = ", ".join(f"'{name}'" for name in missing)
        yield f"no record has a flag {listed}: nothing is flagged for it (audit.hard_flags)"


def plain_aliases(aliases: Mapping[Any, Any]) -> dict[Any, Any]:
    """The aliases with every list of [THEIRS, LABEL] as a mapping: a key of an override cannot be any text."""
    plain: dict[Any, Any] = {}
    for name, value in aliases.items():
        if isinstance(value, list | tuple):
            for pair in value:
                if not isinstance(pair, list | tuple) or len(pair) != 2:
                    do = f'write audit.aliases={{{name}: [["THEIRS", "LABEL"]]}}'
                    raise UsageError(f"aliases.{name}", "expected pairs of texts", str(pair), do)
        plain[name] = dict(value) if isinstance(value, list | tuple) else value
    return plain


def check_aliases(aliases: Mapping[Any, Any], labels: Sequence[str]) -> None:
    """Refuses aliases of labels that are not declared, and null in the place of a text."""
    for text, value in aliases.items():
        pairs = value.items() if isinstance(value, Mapping) else [(None, value)]
        for inner, label in pairs:
            nested = isinstance(value, Mapping)
            where = f"aliases.{text}.{inner}" if nested else f"aliases.{text}"
            if text is None or (nested and inner is None):
                do = "a missing label has no alias and is counted as missing; the text null is quoted"
                raise UsageError(where, "null is not text", None, do)
            if str(label) not in labels:
                unknown = "null" if label is None else str(label)
                raise UsageError(where, f"no label '{unknown}'", None, nearest(unknown, labels))


def idle_aliases(aliases: Mapping[str, Any], rules: Rules, whole: ConsistencyCounts) -> Iterator[str]:
    """Warnings on aliases for texts that nobody wrote."""
    unused = {rater: rules.idle(rater, whole.aliases) for rater in rules.raters}
    for text, value in aliases.items():
        own = isinstance(value, Mapping)
        raters = [text] if own else list(rules.raters)
        written = sorted({label for rater, label in whole.unknown if rater in raters})
        for alias in map(str, value) if own else [text]:
            if all(alias in unused[rater] for rater in raters):
                where = f"audit.aliases.{text}.{alias}" if own else f"audit.aliases.{text}"
                who = f"{text} never" if own else "no rater"
                near = nearest(alias, [*written, *rules.labels])
                yield f"{where}: {who} wrote '{alias}', so the alias has no effect; {near}"
