"""Where the lost points went: what was cut off, loops, is empty or refuses, and how far the rate could be another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.audits.answers import Argument, with_interval
from auditfw.audits.table_rows import cell_counts, located
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.imports import NDArray, np
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.formulas.budget.cells import CellBudget, CellTrials
from auditfw.formulas.budget.ended import KINDS, Sign, TrialClass
from auditfw.formulas.two_rates import gap_by_class, kitagawa
from auditfw.kinds.context import Sample
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .budget_answer import Conclusion, percent
from .budget_facts import TrialBudget

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]

LEAST = 0.005  # of the trials, for a finding and for the sections
NOT_RECORDED = "finish reasons are not recorded: map source.columns.stop"
CUT = FindingKind("cut_off", "Completions that ended at a limit of tokens, time or turns.")
EMPTY = FindingKind("answers_empty", "Completions without any text.")
LOOPS = FindingKind("loops", "Completions that end in a passage repeated over and over.")
REFUSALS = FindingKind("refusals", "Completions that refuse to answer, or that a filter stopped.")


@declare("question", "budget")
class ErrorBudget:
    """Where the lost points went: what was cut off, loops, is empty or refuses."""

    finds: ClassVar[tuple[FindingKind, ...]] = (EMPTY, CUT, LOOPS, REFUSALS)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """The four kinds, those of at least half a percent of the trials."""
        budget = rows.of(TrialBudget)
        if not len(budget.at):
            return
        empty, refused = budget.signs & Sign.EMPTY > 0, budget.classes == TrialClass.REFUSAL
        refused |= budget.signs & Sign.REFUSAL > 0
        if budget.evidence == "none":
            yield CUT.unchecked(NOT_RECORDED)
        else:
            where = "" if budget.limit[0] is None or budget.limit[1] else f" at {budget.limit[0]:,} tokens"
            parts = {"answers_empty": empty, "loops": budget.signs & Sign.LOOP > 0}
            same = {name: int((flags & budget.cut).sum()) for name, flags in parts.items()}  # as rows that are cut off
            mostly_text = 2 * same["answers_empty"] <= int(budget.cut.sum())
            explains = [name for name, n in same.items() if mostly_text and 2 * n > int(parts[name].sum())]
            yield from _finding(budget, CUT, budget.cut, f"cut off{where}", explains)
        for kind, flags, words in (
            (EMPTY, empty, "empty"),
            (LOOPS, budget.signs & Sign.LOOP > 0, "looping"),
            (REFUSALS, refused, "refusing"),
        ):
            if budget.has_texts or flags.any():
                yield from _finding(budget, kind, flags, words)
            else:
                yield kind.unchecked("there are no texts: map source.columns.raw_text")

    def argument(self, rows: LabelRows) -> Argument | None:
        """That too many did not finish, or that a pair depends on it."""
        budget = rows.of(TrialBudget)
        return Conclusion(budget).argument if len(budget.at) else None

    def document(self, rows: LabelRows) -> dict[str, Any]:
        """The budget as plain data."""
        budget = rows.of(TrialBudget)
        if not len(budget.at):
            return {}
        self.sections(rows)  # while the table can be read
        return {"budget": _document(budget)}

    def measured(self, rows: LabelRows, sample: Sample) -> dict[str, Any]:
        """The trials of the reference by their class, of the whole and of each cell."""
        if sample.reading.role != "reference":
            return {}
        return {"budget": rows.of(_by_cell).get(tuple(sample.cell.items()))}

    def sections(self, rows: LabelRows) -> list[Section]:
        """Tables, where a class besides right and wrong has half a percent of the trials."""
        budget = rows.of(TrialBudget)
        if not len(budget.at) or not shown_classes(budget.whole):
            return []
        return rows.of(_sections)


def _by_cell(rows: LabelRows) -> dict[tuple[Any, ...], CellTrials]:
    """The trials of each cell by what measurements call it, () of all."""
    budget = rows.of(TrialBudget)
    return budget.trials(budget.results.context.by)


def shown_classes(whole: CellBudget) -> list[TrialClass]:
    """The classes besides right and wrong with at least half a percent of the trials."""
    plain = (TrialClass.RIGHT, TrialClass.WRONG)
    return [kind for kind in TrialClass if kind not in plain and whole.classes[kind] >= LEAST * whole.n]


def _finding(
    budget: TrialBudget, kind: FindingKind, flags: Flags, words: str, explains: Sequence[str] = ()
) -> Iterator[Finding]:
    n, of = int(flags.sum()), budget.whole.n
    if n < LEAST * of or not n:
        return

    at = budget.at[flags]
    chosen = np.zeros(budget.rows.n, bool)
    chosen[at] = True
    lost = int((flags & (budget.classes != TrialClass.RIGHT)).sum())
    text = f"{n:,} of {some(of, 'completion')} {verb(n, 'is', 'are')} {words}, {n - lost:,} of them right."
    yield kind(
        n,
        of,
        text,
        points=100 * lost / of,
        cells=cell_counts(budget.rows, chosen),
        explains=explains,
        brief=f"{n:,} {'answers ' if words == 'empty' else ''}{words}",
        **located(budget.rows, at),
    )


# The file


def _document(budget: TrialBudget) -> dict[str, Any]:
    whole, (limit, assumed), about = budget.whole, budget.limit, budget.about
    names = {place: name for name, place in KINDS.items()}
    right = budget.classes == TrialClass.RIGHT
    ended = {}
    for code, name in names.items():
        flags = budget.ended == code
        if flags.any():
            ended[name] = [int(flags.sum()), int((flags & right).sum())]
    bounds = whole.bounds
    return {
        "reading": budget.rows.reference,
        "planned": whole.n,
        **({"absent": absent} if (absent := sum(n for n, _ in budget.absent)) else {}),
        "right": whole.classes[TrialClass.RIGHT],
        "classes": {kind.name.lower(): whole.classes[kind] for kind in TrialClass if kind},
        "ended": ended,
        "evidence": budget.evidence,
        "limit": {"value": limit, "assumed": assumed},
        "bounds": [100 * bounds.low, 100 * bounds.high],
        "interval": [100 * bounds.least, 100 * bounds.most],
        "estimate": None if budget.estimate is None else 100 * budget.estimate,
        "about_cut": None if about is None else list(about),
        "contradictions": budget.contradictions,
        "habits": sorted({str(sign.name).lower() for sign in budget.habits.values()}),
    }


# The report


def _sections(rows: LabelRows) -> list[Section]:
    budget = rows.of(TrialBudget)
    section = Section("Where the Points Went")
    section.blocks += [_lost(budget), *_endings(budget), _right(budget), *_gap(budget)]
    whole = budget.whole
    if budget.estimate is not None:
        text = "If the unfinished had done as the finished of equally hard items"
        section.blocks.append(Note(f"{text}: {percent(budget.estimate)} % right (an estimate on that assumption)."))
    if budget.about is not None:
        n, low, high = (round(number) for number in budget.about)
        text = "of the longest twentieth, by the share that breaks off"
        section.blocks.append(Note(f"About {n:,} [{low:,}, {high:,}] of {whole.n:,} texts were cut off: {text}."))
    return [section]


def _lost(budget: TrialBudget) -> Table:
    """Each class with an example, and how many of it another reading calls right."""
    whole, ids, rows = budget.whole, budget.rows.frame(["id"]).to_series(), []
    for kind in [*TrialClass][1:]:
        n = whole.classes[kind]
        if n:
            flags = budget.classes == kind
            first = np.flatnonzero(flags)[:1]
            example = "" if not len(first) else str(ids[int(budget.at[first[0]])])
            other = int((flags & budget.elsewhere[0]).sum())
            lost = percent(n / whole.lost)
            rows.append([kind.title, f"{n:,}", percent(n / whole.n), lost, f"{other:,}", example])
    heads = ["class", "n", "% of all", "% of the lost", "right elsewhere", "example"]
    caption = f"Where the lost points went ({budget.rows.reference}; {budget.evidence}{_limit(budget)})"
    return Table(heads, rows, "<>>>><", caption=caption)


def _limit(budget: TrialBudget) -> str:
    limit, assumed = budget.limit
    return "" if limit is None else f"; limit {limit:,} tokens{', assumed' if assumed else ''}"


def _endings(budget: TrialBudget) -> list[Table]:
    """How completions ended, where it is recorded of some."""
    right = budget.classes == TrialClass.RIGHT
    answered = right | (budget.classes == TrialClass.WRONG)
    rows = []
    for name, code in KINDS.items():
        flags = budget.ended == code
        n = int(flags.sum())
        if n:
            solved = int((flags & right).sum())
            share = percent(solved / n)
            rows.append(
                [
                    name,
                    f"{n:,}",
                    percent(n / len(budget.at)),
                    f"{solved:,}",
                    share,
                    f"{int((flags & answered).sum()):,}",
                ]
            )
    if len(rows) == int(np.any(budget.ended == KINDS["unknown"])):
        return []
    heads = ["ended", "n", "% of all", "right", "% right", "with an answer"]
    return [Table(heads, rows, "<>>>>>", caption="How completions ended")]


def _right(budget: TrialBudget) -> Table:
    """Right of all and of answered, and between which rates it is, of all trials and by cell."""
    names = [name.removeprefix("cell.") for name in budget.rows.by]
    cells = [({}, budget.whole), *budget.by_cell]
    most = 40
    rows = [[*_cell(names, cell), *_rates(one)] for cell, one in cells[:most]]
    heads = [*names, "n", "right of all", "answered", "right of answered", "if none was cut", "with its interval"]
    align = "<" * len(names) + ">" * 6
    return Table(heads, rows, align, caption="Right of all and of answered", left_out=max(0, len(cells) - most))


def _cell(names: Sequence[str], cell: Mapping[str, Any]) -> list[str]:
    return [str(cell[name]) if cell else "all" for name in cell] if cell else ["all"] * len(names)


def _rates(one: CellBudget) -> list[str]:
    right, answered, bounds = one.right, one.answered, one.bounds
    of_answered = "–"
    if answered is not None:
        of_answered = with_interval(percent(answered.share), 100 * answered.low, 100 * answered.high, 1)
    return [
        f"{one.n:,}",
        with_interval(percent(right.share), 100 * right.low, 100 * right.high, 1),
        percent(one.coverage),
        of_answered,
        f"{percent(bounds.low)} to {percent(bounds.high)}",
        f"[{percent(bounds.least)}, {percent(bounds.most)}]",
    ]


def _gap(budget: TrialBudget) -> list[Table | Note]:
    """The gap between two cells class by class, where a run has two."""
    if len(budget.by_cell) != 2:
        return []
    items = np.unique(budget.items, return_inverse=True)[1]
    number, sides = int(items.max()) + 1, budget.cell_numbers
    counts = np.zeros((2, number, len(TrialClass)), np.int64)
    np.add.at(counts, (sides, items, budget.classes), 1)
    kinds = [kind for kind in [*TrialClass][1:] if counts[:, :, kind].any()]
    trials = counts.sum(2)
    parts = gap_by_class(trials[0], counts[0][:, kinds], trials[1], counts[1][:, kinds])
    rows = [
        [kind.title, with_interval(fixed(100 * part.difference, 1, True), *_ends(part), 1)]
        for kind, part in zip(kinds, parts, strict=True)
    ]
    (a, one), (b, other) = budget.by_cell
    names = [", ".join(map(str, cell.values())) for cell in (a, b)]
    gap = fixed(100 * (one.right.share - other.right.share), 1, True)
    table = Table(["class", "points"], [*rows, ["gap", gap]], "<>", caption=f"Gap by class: {names[0]} less {names[1]}")
    ends = np.where(
        budget.classes == TrialClass.LOOP, 2, np.isin(budget.classes, [TrialClass.CUT_OFF, TrialClass.EMPTY])
    )
    both = np.zeros((2, 2, number, 3))
    np.add.at(both[0], (sides, items, ends.astype(np.int64)), 1)
    np.add.at(both[1], (sides, items, ends.astype(np.int64)), budget.classes == TrialClass.RIGHT)
    account = kitagawa(both[0], both[1])
    if account is None:
        return [table]
    text = f"If both had ended alike, on the {some(account.items, 'common item')}: {fixed(100 * account.rest, 1, True)}"
    return [table, Note(f"{text} of {fixed(100 * account.gap, 1, True)} points.")]


def _ends(part: Any) -> tuple[float | None, float | None]:
    return (None, None) if part.low is None else (100 * part.low, 100 * part.high)
