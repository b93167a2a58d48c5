"""Policies: who decides, and by which table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any

from auditfw.core.errors import UsageError, near, nearest
from auditfw.kinds.judgements import (
    AGREED,
    CANDIDATE,
    DERIVED,
    FLAGS,
    MAJORITY,
    REFERENCE,
    Decision,
    RowColumns,
    derived_columns,
    is_column,
    more_than_half,
)
from auditfw.kinds.registry import declare

MOST_CASES = 1_000_000
CASES_AT_ONCE = 65_536
ONE_ROW = "expected a condition on one row at a time"

_OWN = "_POLARS_"  # the columns that Polars makes of a SELECT within a condition
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_NAME, _TEXT = r"([\w\x01]+)", r"\x00\d+\x00"
_COMPARED = re.compile(
    rf"(?:^|\(|\bAND\b|\bOR\b|\bNOT\b)[\s(]*"
    rf"(?:{_NAME}\s*(?:=|==|<>|!=)\s*{_TEXT}|{_TEXT}\s*(?:=|==|<>|!=)\s*{_NAME}"
    rf"|{_NAME}\s+(?:NOT\s+)?IN\s*\(\s*{_TEXT}(?:\s*,\s*{_TEXT})*\s*\))\s*(?=$|\)|AND\b|OR\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PolicyRule:
    """One line of a decision table: where `when` holds, the final label is `final`, because of `why`."""

    when: str
    final: str | None
    why: str


@dataclass(frozen=True)
class Otherwise:
    """What a decision table says where no rule holds."""

    final: str | None
    why: str


@declare("policy", "table")
class TablePolicy:
    """Decides by a table: the first rule whose SQL condition is true gives the final label and the reason.

    - `rules`: `[{when: SQL, final: LABEL, why: WORD}]`, tried in this order; a condition that is null counts as false;
    - `otherwise`: `{final: LABEL, why: WORD}`, if no condition is true.

    Columns of the conditions: every rater's name (its label, null where it gave none), `reference` (the label of the
    reference rater), `candidate` (of the first other one), `majority` (the label that more than half of the labels
    given are, else null), `agreed` (whether all labels given are the same), and of the evidence `hard_flag`,
    `citations_out_of_scope`, `evidence_missing` (citations, but no ids that were retrieved). A `final` in braces
    names a column, as in `"{majority}"`; null decides nothing. Every case must be covered and every rule reached.
    """

    rules: tuple[PolicyRule, ...] = ()
    otherwise: Otherwise | None = None

    def __post_init__(self) -> None:
        rules = tuple(rule if isinstance(rule, PolicyRule) else PolicyRule(**rule) for rule in self.rules)
        object.__setattr__(self, "rules", rules)
        if isinstance(self.otherwise, Mapping):
            object.__setattr__(self, "otherwise", Otherwise(**self.otherwise))
        if not self.rules and self.otherwise is None:
            raise UsageError("rules", "a table needs a rule", None, "write [{when: SQL, final: LABEL, why: WORD}]")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the conditions and finals name. Raises UsageError for a condition that is no SQL."""
        columns = [name for i, rule in enumerate(self.rules) for name in _roots(rule.when, i)]
        return tuple(dict.fromkeys([*columns, *(final[1:-1] for final in self._finals if is_column(final))]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the conditions compare raters with; none where a text in them may be something else."""
        labels: dict[str, None] = {}
        for rule in self.rules:
            texts = _compared(rule.when)
            if texts is None:
                return ()
            labels |= dict.fromkeys(texts)
        return tuple(labels)

    @property
    def finals(self) -> tuple[str, ...]:
        """What it can give: labels, and columns in braces."""
        return tuple(dict.fromkeys(self._finals))

    @property
    def _finals(self) -> list[str]:
        ends: list[PolicyRule | Otherwise] = [*self.rules, *([self.otherwise] if self.otherwise is not None else [])]
        return [end.final for end in ends if end.final is not None]

    def check(self, raters: Sequence[str], labels: Sequence[str], reference: str) -> None:
        """Tries every case of labels and flags. Raises UsageError for an uncovered case or a rule never reached."""
        known = (*raters, REFERENCE, CANDIDATE, MAJORITY, AGREED, *FLAGS)
        unknown = next((name for name in self.names if name not in known), None)
        if unknown is not None:
            what = f"no column '{unknown}' for a decision"
            raise UsageError(self._where(unknown), what, f"found: {', '.join(known)}", near(unknown, known))
        reached: set[int] = set()
        for cases in self._cases(raters, labels, reference):
            taken = self._taken(cases)
            reached.update(taken)
            if len(self.rules) in taken and self.otherwise is None:
                at = taken.index(len(self.rules))
                case = ", ".join(f"{name} = {_shown(values[at])}" for name, values in cases.items())
                raise UsageError("rules", "a case is not covered", case, "add a rule for it, or otherwise")
        for i, rule in enumerate(self.rules):
            if i not in reached:
                do = "remove it, or put it before the rules that cover its cases"
                raise UsageError(f"rules[{i}]", "is never reached", rule.when, do)

    def _where(self, name: str) -> str:
        held = [i for i, rule in enumerate(self.rules) if name in _roots(rule.when, i)]
        return f"rules[{held[0]}].when" if held else "final"

    def _cases(self, raters: Sequence[str], labels: Sequence[str], reference: str) -> Iterator[dict[str, list[Any]]]:
        """All combinations of what the columns it names can hold, a chunk at a time.

        Derived columns are made from those of all raters; where these have too many cases, they are taken for free.
        """
        named = self.names
        choices: list[str | None] = [*labels, *([None] if len(raters) > 2 else [])]
        derived = any(name in named for name in (REFERENCE, CANDIDATE, MAJORITY, AGREED))
        own = [name for name in named if name in raters]
        free: dict[str, Sequence[Any]] = {name: [True, False] for name in named if name in FLAGS}
        if derived and len(choices) ** len(raters) <= MOST_CASES >> len(FLAGS):
            columns, distinct = self._distinct(raters, choices, reference)
            cases = (row + flags for row in distinct for flags in product(*free.values()))
            yield from _chunked([*columns, *free], cases, [*raters, *named])
            return
        if derived:
            free |= {name: [*labels, None] for name in named if name in (REFERENCE, CANDIDATE, MAJORITY)}
            free |= {name: [True, False] for name in named if name == AGREED}
        size = len(choices) ** len(own) * prod(map(len, free.values()))
        if size > MOST_CASES:
            do = "name fewer raters: majority and agreed are computed from all of them"
            raise UsageError("rules", f"name columns with {size:,} cases", f"at most {MOST_CASES:,}", do)
        yield from _chunked([*own, *free], product(*[choices] * len(own), *free.values()), [*own, *named])

    def _distinct(
        self, raters: Sequence[str], choices: Sequence[str | None], reference: str
    ) -> tuple[Sequence[str], Iterable[tuple[Any, ...]]]:
        """Of all that raters may say, and what is derived from it, the first case of each that rules may tell apart."""
        cases = list(product(choices, repeat=len(raters)))
        columns: dict[str, list[Any]] = {name: [case[i] for case in cases] for i, name in enumerate(raters)}
        columns |= derived_columns(columns, reference)
        named = [columns[name] for name in self.names if name in columns]
        first: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        for case, row in zip(zip(*named, strict=True), zip(*columns.values(), strict=True), strict=True):
            first.setdefault(case, row)
        return list(columns), first.values()

    def _taken(self, rows: RowColumns) -> list[int]:
        """For each row the number of the first rule that holds; the number of rules where none does."""
        import polars as pl

        size = len(next(iter(rows.values()), ()))
        columns = [
            pl.Series(name, list(values), pl.Boolean if name in (*FLAGS, AGREED) else pl.String)
            for name, values in rows.items()
        ]
        frame = pl.DataFrame(columns)
        taken = [len(self.rules)] * size
        for i in range(len(self.rules) - 1, -1, -1):
            for at, held in enumerate(self._held(frame, i)):
                if held:
                    taken[at] = i
        return taken

    def _held(self, frame: Any, i: int) -> list[bool]:
        import polars as pl

        where, sql = f"rules[{i}].when", self.rules[i].when
        try:
            held = frame.select(pl.sql_expr(sql).alias("held"))["held"]
        except (Exception, pl.exceptions.PanicException) as error:
            message = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise UsageError(
                where, "cannot be evaluated", message, "compare labels with 'text' and flags with TRUE"
            ) from None
        if held.dtype not in (pl.Boolean, pl.Null):
            raise UsageError(
                where, "is not a condition", f"it gives {held.dtype}", "write for example auditor = 'VALID'"
            )
        if len(held) != frame.height and len(held) == 1 and not _roots(sql, i):
            held = pl.concat([held] * frame.height)
        if len(held) != frame.height:
            raise UsageError(where, ONE_ROW, sql, "leave out sums, counts and ranks")
        return [value is True for value in held.to_list()]

    def __call__(self, rows: RowColumns) -> list[Decision]:
        """The final label and the reason of each row; null and "uncovered" where no rule holds."""
        ends: list[PolicyRule | Otherwise] = [*self.rules, self.otherwise or Otherwise(None, "uncovered")]
        named = {name: list(rows[name]) for name in self.names} or {"": [None] * len(next(iter(rows.values()), ()))}
        decisions: list[Decision] = []
        for at, i in enumerate(self._taken(named)):
            final = ends[i].final
            decisions.append((rows[final[1:-1]][at] if final is not None and is_column(final) else final, ends[i].why))
        return decisions


def _roots(sql: str, i: int) -> list[str]:
    import polars as pl

    try:
        names = list(dict.fromkeys(pl.sql_expr(sql).meta.root_names()))
    except (Exception, pl.exceptions.PanicException) as error:
        message = (str(error).strip() or type(error).__name__).splitlines()[0]
        do = "write for example auditor <> 'VALID'"
        raise UsageError(f"rules[{i}].when", "cannot be read as SQL", message, do) from None
    if any(name.startswith(_OWN) for name in names):
        raise UsageError(f"rules[{i}].when", ONE_ROW, sql, "leave out SELECT: columns are compared with 'texts'")
    return names


def _compared(sql: str) -> list[str] | None:
    """The texts that a condition compares raters with; None where one of them may be something else."""
    quoted: list[str] = []

    def taken_out(match: re.Match[str]) -> str:
        quoted.append(match[0])
        mark = "\x00" if match[0][0] == "'" else "\x01"
        return f"{mark}{len(quoted) - 1}{mark}"

    bare = _QUOTED.sub(taken_out, sql)
    labels: list[str] = []
    for match in _COMPARED.finditer(bare):
        name = next(group for group in match.groups() if group is not None).strip("\x01")
        places = re.findall("\x00(\\d+)\x00", match[0]) if name not in (AGREED, *FLAGS) else []
        labels += [quoted[int(place)][1:-1].replace("''", "'") for place in places]
    texts = sum(one[0] == "'" for one in quoted)
    return labels if len(labels) == texts and "'" not in bare else None


def _shown(value: object) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else f"'{value}'"


def _chunked(
    names: Sequence[str], cases: Iterable[tuple[Any, ...]], shown: Iterable[str]
) -> Iterator[dict[str, list[Any]]]:
    """Cases as columns, a chunk at a time: of those that are shown, in that order."""
    rest = iter(cases)
    while chunk := list(islice(rest, CASES_AT_ONCE)):
        columns = {name: list(column) for name, column in zip(names, zip(*chunk, strict=True), strict=False)}
        yield {name: columns[name] for name in shown if name in columns} or {"": [None]}


@declare("policy", "majority")
class Majority:
    """Decides by majority: the label that more than half of the raters with a label gave, else no label.

    `raters` are those who vote (null: all); `otherwise` is the final label without a majority (null: none).
    """

    raters: tuple[str, ...] | None = None
    otherwise: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The raters it names."""
        return self.raters or ()

    @property
    def labels(self) -> tuple[str, ...]:
        """It compares with no label of its own."""
        return ()

    @property
    def finals(self) -> tuple[str, ...]:
        """The raters' labels, and what it gives where there is no majority."""
        return (f"{{{MAJORITY}}}", *([] if self.otherwise is None else [self.otherwise]))

    def check(self, raters: Sequence[str], labels: Sequence[str], reference: str) -> None:
        """Raises UsageError for a rater that is not in the run."""
        for i, name in enumerate(self.raters or ()):
            if name not in raters:
                raise UsageError(f"raters[{i}]", f"no rater '{name}'", None, nearest(name, list(raters)))

    def __call__(self, rows: RowColumns) -> list[Decision]:
        """The final label and the reason of each row: unanimous, majority or no_majority."""
        voters = self.raters or [name for name in rows if name not in DERIVED]
        return [self._decide(votes) for votes in zip(*(rows[name] for name in voters), strict=True)]

    def _decide(self, votes: Sequence[str | None]) -> Decision:
        best = more_than_half(votes)
        if best is None:
            return self.otherwise, "no_majority"
        return best, "unanimous" if len({vote for vote in votes if vote is not None}) == 1 else "majority"
