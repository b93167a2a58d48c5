"""What newer versions of a scorer make of stored answers: the labels that each of its changes turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from auditfw.audits.parsing.questions.label_rows import ParsingRows, label_rows
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.scorer_changes import ScorerChange, Upgrade
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.imports import NDArray, np

WRONG = (0, 2)  # label codes


@dataclass(frozen=True)
class UpgradeStep:
    """From one state of a scorer to the next: what changed, and how many labels became right and wrong."""

    changes: Sequence[ScorerChange]
    to_right: int
    to_wrong: int


@dataclass(frozen=True)
class UpgradeLabels:
    """The steps of a run from one state of a scorer to the next, and from the first to the last; of `n` answers."""

    setting: Upgrade
    steps: Sequence[UpgradeStep]
    whole: UpgradeStep
    n: int


def ask(results: ParsingResults) -> UpgradeLabels | None:
    """What the table of labels says of the states; None where the run has none. It is asked while it can be read."""
    upgrade = results.settings.upgrade
    if upgrade is None:
        return None
    rows, states = results.of(label_rows), upgrade.versions
    steps = [
        UpgradeStep(upgrade.changes(states[old], states[new]), *_turned(rows, old, new))
        for old, new in pairwise(states)
    ]
    whole = UpgradeStep((), *_turned(rows, *list(states)[:: len(states) - 1]))
    return UpgradeLabels(upgrade, steps, whole, results.counts["audited"])


def section(facts: UpgradeLabels) -> Section:
    """The sentence on all changes together, and a table of them one by one."""
    upgrade, n = facts.setting, facts.n
    table = [
        [
            "; ".join(dict.fromkeys(change.version for change in step.changes)),
            "; ".join(change.brief for change in step.changes),
            f"{step.to_right:,}",
            f"{step.to_wrong:,}",
            fixed(100 * (step.to_right - step.to_wrong) / n, 2, signed=True) if n else "–",
        ]
        for step in facts.steps
    ]
    heads = ["since", "change", "to right", "to wrong", "points"]
    title = f"{upgrade.scorer} of {upgrade.harness} from {upgrade.before} to {upgrade.to}"
    return Section(title, [Note(sentence(facts)), Table(heads, table, "<<>>>")], screen="who")


def sentence(facts: UpgradeLabels) -> str:
    """By how many points fewer or more are right, and by which change most of all."""
    upgrade, steps, whole, n = facts.setting, facts.steps, facts.whole, facts.n
    name, between = f"`{upgrade.scorer}`", f"from {upgrade.before} to {upgrade.to}"
    up, down = whole.to_right, whole.to_wrong
    if not up + down:
        changed = "; ".join(change.brief for step in steps for change in step.changes)
        return f"No label of {some(n, 'answer')} is another one {between}, though {name} changed ({changed})."
    if up == down:
        turned = f"{some(up, 'label')} {verb(up, 'becomes', 'become')} right, {down:,} wrong"
        return f"As many are right {between}, though not the same: by {name} {turned}."
    fewer = down > up
    led = max(steps, key=lambda one: one.to_wrong if fewer else one.to_right)
    own, most, back = (led.to_wrong, down, up) if fewer else (led.to_right, up, down)
    points = fixed(100 * abs(down - up) / n, 2)
    why = next((one for one in led.changes if one.effect in ("-" if fewer else "+", "+-")), led.changes[0])
    text = f"{points} points {'fewer' if fewer else 'more'} right {between}: {name} {why.brief}"
    if own != most:
        of_all = f"all changes together: {up:,} to right, {down:,} to wrong"
        return f"{text} ({some(own, 'label')} in {why.version}; {of_all})."
    other = f"; {back:,} {verb(back, 'goes', 'go')} the other way" if back else ""
    return f"{text} ({some(own, 'label')}){other}."


def _turned(rows: ParsingRows, old: str, new: str) -> tuple[int, int]:
    """How many trials are right under the second reading alone, and under the first alone."""
    before, after = (rows.numbers(f"code.{name}") for name in (old, new))
    return _both(_wrong(before), after == 1), _both(before == 1, _wrong(after))


def _wrong(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.isin(codes, WRONG)


def _both(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> int:
    return int((one & other).sum())
