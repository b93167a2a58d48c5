"""Two sides as the formulas of a gap take them: the label of each trial by the rule and the truth of either side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from auditfw.audits.parsing.engine.reference import Truth, read
from auditfw.commands.labelling.sources import ID, PARSED, TrialText, opened_texts
from auditfw.commands.labelling.texts import batches_of, check_inputs, stored_audit
from auditfw.core.errors import AuditError, DataError
from auditfw.core.imports import np
from auditfw.formulas.gaps.two_logs import TwoLogs
from auditfw.kinds.capabilities import capability

from .ends import TEXT, ends_of, unfinished
from .items import labels_of
from .pairing import PairedSides
from .rules import SideRule, chosen_rules, name_on, rules_of
from .sides import ComparedSide

Rules = tuple[SideRule | None, SideRule | None]


@dataclass(frozen=True)
class ComparedTrials:
    """The trials of two sides, and why some of it is not known.

    - `rules`: of each side the rule, None where it is not known;
    - `why`: by part (`truths`, `scoring`, `ended`) what is not known, in words;
    - `unfinished`: of each side the share of common trials that did not finish; None where ends are not known.
    """

    logs: TwoLogs
    rules: Rules
    why: Mapping[str, str]
    unfinished: tuple[float, float] | None

    @property
    def same_rule(self) -> bool:
        return "rules" in self.logs.same

    @property
    def texts_same(self) -> bool:
        return "texts" in self.logs.same

    def without_ends(self, why: str) -> ComparedTrials:
        """The same where their texts do not tell how they ended: what was cut off is in the rest."""
        return replace(self, logs=replace(self.logs, ends=None), why={**self.why, "ended": why}, unfinished=None)


def compared_trials(both: PairedSides, sides: tuple[ComparedSide, ComparedSide]) -> ComparedTrials:
    """The trials that count, with what is known of them."""
    why: dict[str, str] = {}
    labels = CornerLabels(both, sides, _rules(sides, why), why)
    labels.by_other_rules()
    one, other = labels.rules
    same = {"rules"} if one is not None and other is not None and one.parts == other.parts else set[str]()
    if not both.matched.truths_known:
        why["truths"] = "truths are not stored on both sides"
    elif (both.matched.other_truth & both.common).any():
        labels.by_other_truths()
    else:
        same.add("truths")
    same |= {"texts"} if _texts_same(both) else set()
    ends = [ends_of(side) for side in both.sides]
    if any(one is None for one in ends):
        why["ended"] = "neither texts nor finish reasons are stored on both sides"
    known = any(one is None for one in ends)
    apart = None if known else np.concatenate([ends[side][both.counted[side]] for side in (0, 1)])
    logs = TwoLogs(labels.numbers, labels.place, labels.right, apart, labels.known, frozenset(same))
    return ComparedTrials(logs, labels.rules, why, unfinished(both, ends))


def _rules(sides: Sequence[ComparedSide], why: dict[str, str]) -> Rules:
    searches = []
    for side in sides:
        if side.audit is None:
            why["scoring"] = f"the settings of {side.letter} are not kept, or not trusted"
            return None, None
        searches.append(rules_of(side.audit, side.labels))
    for side, one in zip(sides, searches, strict=True):
        if one.why:
            why.setdefault("scoring", f"the rule of {side.letter} is not known: {one.why}")
    return chosen_rules(*searches)


def _texts_same(both: PairedSides) -> bool:
    """Whether each common item has the same texts on both sides."""
    columns = []
    for side in (0, 1):
        if not both.sides[side].has(TEXT):
            return False
        rows = both.counted[side]
        rows = rows[both.common[both.matched.numbers[side][rows]]]
        texts = both.sides[side].frame[TEXT].gather(rows)
        if texts.null_count():
            return False
        columns.append((both.matched.numbers[side][rows], texts.to_numpy()))
    (ours, one), (theirs, other) = columns
    if len(one) != len(other) or np.bitwise_xor.reduce(one) != np.bitwise_xor.reduce(other):
        return False
    orders = np.lexsort((one, ours)), np.lexsort((other, theirs))
    pairs = (ours, theirs), (one, other)
    return all(np.array_equal(a[orders[0]], b[orders[1]]) for a, b in pairs)


@dataclass(frozen=True)
class CornerLabels:
    """The labels of the trials that count, those of A first, as `TwoLogs` takes them: at first the stored ones."""

    both: PairedSides
    sides: tuple[ComparedSide, ComparedSide]
    rules: Rules
    why: dict[str, str]
    known: Any = field(default_factory=lambda: np.zeros((2, 2, 2), bool))

    @cached_property
    def place(self) -> Any:
        """The side of each trial."""
        return np.repeat([0, 1], [len(rows) for rows in self.both.counted])

    @cached_property
    def numbers(self) -> Any:
        """The item of each trial."""
        return np.concatenate([self.both.matched.numbers[side][self.both.counted[side]] for side in (0, 1)])

    @cached_property
    def right(self) -> Any:
        """Flags, trials × rules × truths."""
        stored = [self.both.labels[side][self.both.counted[side]] == 1 for side in (0, 1)]
        return np.repeat(np.concatenate(stored), 4).reshape(-1, 2, 2)

    def by_other_rules(self) -> None:
        """Puts in the labels of each side's trials by the rule of the other, where they were computed."""
        for side in (0, 1):
            labelled, rows, other = self.both.sides[side], self.both.counted[side], 1 - side
            self.known[side, side, side] = True
            name = name_on(self.sides[side].audit, labelled, self.rules[other])
            if name is not None:
                labels = labels_of(labelled.frame, name)[rows] == 1
                self.right[self.place == side, other] = labels[:, None]
            elif self.rules[other] is not None:
                what = f"the rule of {self.sides[other].letter} was not computed on the texts of"
                self.why.setdefault("scoring", f"{what} {self.sides[side].letter}")
            self.known[other, side, side] = name is not None
        if not self.both.matched.truths_known:
            return
        for side in (0, 1):
            self.known[:, 1 - side, side] = self.known[:, side, side]

    def by_other_truths(self) -> None:
        """Puts in the labels by the other side's truth, of the trials of items that have another one there.

        They are computed from the texts alone, which are read again; where that cannot be, these corners are not known.
        """
        for side in (0, 1):
            self.known[:, 1 - side, side] = False
        beside = next((one.name for one in self.rules if one is not None and capability(one.parser, "needs", ())), None)
        if beside is not None:
            self.why["truths"] = f"the rule {beside} reads more than the text"
            return
        try:
            texts = [self._texts(side) for side in (0, 1)]
        except AuditError as error:
            self.why["truths"] = f"the texts cannot be read again: {error}"
            return
        truths = [self._truths(side, texts[side]) for side in (0, 1)]
        for side in (0, 1):
            for rule, reading in enumerate(self.rules):
                if reading is None or not self.known[rule, side, side]:
                    self.why.setdefault("truths", f"the rule of {self.sides[rule].letter} is not known")
                    continue
                for row, name in self._changed(side):
                    text = _text(texts[side][name], reading)
                    truth = truths[1 - side][int(self.numbers[row])]
                    self.right[row, rule, 1 - side] = text is not None and read(text, truth, *reading.parts) is True
                self.known[rule, 1 - side, side] = True

    def _changed(self, side: int) -> list[tuple[int, str]]:
        """The trials of a side whose item has another truth on the other side: their row here, and their id."""
        changed = self.both.matched.other_truth & self.both.common
        rows = np.flatnonzero((self.place == side) & changed[self.numbers])
        start = 0 if side == 0 else len(self.both.counted[0])
        ids = self.both.sides[side].frame[ID].gather(self.both.counted[side][rows - start]).to_list()
        return list(zip(rows.tolist(), ids, strict=True))

    def _texts(self, side: int) -> dict[str, TrialText]:
        """The texts of these trials by id, read from their source again. Raises AuditError."""
        run = self.sides[side].run
        wanted = {name for _, name in self._changed(side)}
        show = [PARSED] if any(one is not None and one.parser.column == PARSED for one in self.rules) else []
        opened = opened_texts(stored_audit(run.folder), show)
        texts: dict[str, TrialText] = {}
        for columns in batches_of(opened.evidence):
            places = [row for row, name in enumerate(columns[ID]) if name in wanted]
            if places:
                texts |= opened.read({name: [values[row] for row in places] for name, values in columns.items()})
        check_inputs(run, opened.evidence)
        lacking = next((name for name in wanted if name not in texts), None)
        if lacking is not None:
            raise DataError(self.sides[side].called, f"the trial '{lacking}' is not there any more")
        return texts

    def _truths(self, side: int, texts: Mapping[str, TrialText]) -> dict[int, Truth]:
        """The truth of each of these items."""
        truths: dict[int, Truth] = {}
        for row, name in self._changed(side):
            expected = tuple(texts[name].expected)
            truths[int(self.numbers[row])] = expected if len(expected) != 1 else expected[0]
        return truths


def _text(text: TrialText, rule: SideRule) -> str | None:
    return text.further[PARSED] if rule.parser.column == PARSED else text.answer
