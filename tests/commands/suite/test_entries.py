"""Entries judged over finished runs: statuses by hand, and the same drop as `auditfw compare` pairs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sentences import commands as says
from suite_trials import audited, rows

from auditfw.commands.comparison.label_changes import accept
from auditfw.commands.comparison.pairing import paired_runs
from auditfw.commands.suite.command import judged
from auditfw.commands.suite.decision import SuiteDecision
from auditfw.commands.suite.settings import read_suite
from auditfw.core.errors import UsageError
from auditfw.formulas.student import t_quantile

Write = Callable[[str], Path]
OLD = "baseline: old"


def decided(write: Write, entries: str, more: str = "") -> SuiteDecision:
    return judged(read_suite(write(f"suite: {{entries: {{{entries}}}{more}}}")), None)


STATUSES = [
    (f"candidate: same, {OLD}, max_drop: 1", "held", ""),
    (f"candidate: same, {OLD}, max_drop: 0.5", "undecided", "a may have dropped by up to 0.8 (bound 0.5)"),
    (f"candidate: worse, {OLD}, max_drop: 1", "breach", "a dropped by 5.0 points [3.8, 6.2], more than 1"),
    (f"candidate: worse, {OLD}, max_drop: 1, metric: error_rate", "breach", "a dropped by 5.0 points"),
    (f"candidate: worse, {OLD}, max_drop: 7", "held", ""),
    (
        f"candidate: worse, {OLD}, max_relative: 4",
        "breach",
        "a dropped by 6.7 % of the baseline [5.1, 8.3], more than 4 %",
    ),
    (f"candidate: worse, {OLD}, max_relative: 4, relative_below: 50, max_drop: 7", "held", ""),
    (f"candidate: half, {OLD}, max_drop: 2.1", "undecided", "about 1,500 items decide if it stays 0.8"),
    (f"candidate: half, {OLD}, max_drop: 0.5", "undecided", "about 22,000 items decide"),
    (f"candidate: half, {OLD}, max_drop: 0.5, decide: value", "breach", says.BY_ITS_VALUE_ALONE),
    (f"candidate: half, {OLD}, max_drop: 0.8, decide: value", "held", ""),
    (f"candidate: half, {OLD}, max_drop: 0", "undecided", "no number of items decides a bound of 0"),
    ("candidate: old, min: 70", "held", ""),
    ("candidate: old, min: 74", "undecided", "a may be at 72.6 (min 74)"),
    ("candidate: old, min: 80", "breach", "a is at 75.0 [72.6, 77.2], below 80"),
    ("candidate: old, max: 70", "breach", "above 70"),
    ("candidate: old, metric: error_rate, max: 30", "held", ""),
    (f"candidate: nowhere, {OLD}, max_drop: 1", "missing", "a was not run (critical): no run at nowhere."),
    ("candidate: same, baseline: nowhere, max_drop: 1", "missing", "the baseline: no run at nowhere"),
    (f"candidate: wrose, {OLD}, max_drop: 1", "missing", "no run at wrose (did you mean 'worse'?)."),
    (f"candidate: worse/job/1, {OLD}, max_drop: 1", "missing", "no run at worse/job/1."),
    ("candidate: failed, min: 1", "missing", "a failed (critical): failed: no such file."),
    ("candidate: same, metric: kappa, min: 1", "missing", "a has no number (critical): same has no kappa."),
    ("candidate: same, metric: kappa@raw+none, min: 1", "missing", "same has no kappa"),
    (f"candidate: moved, {OLD}, max_drop: 1", "not comparable", says.FORTY_HAVE_ANOTHER_TRUTH),
]


@pytest.mark.parametrize(("entry", "status", "line"), STATUSES, ids=[one for one, *_ in STATUSES])
def test_a_status(at: Path, write: Write, entry: str, status: str, line: str) -> None:
    suite = decided(write, f"a: {{tier: critical, {entry}}}")
    assert [one.rule.status for one in suite.entries] == [status]
    assert line in " ".join(suite.because)
    assert bool(suite.because) == (status != "held")
    expected = {"held": "GO", "undecided": "INCONCLUSIVE"}.get(status, "NO-GO")
    assert suite.decision == expected, suite.headline


def test_the_drop_is_that_of_compare(at: Path, write: Write) -> None:
    """To the last bit; and in a run's own numbers where nothing is left out."""
    suite = decided(write, f"a: {{candidate: half, {OLD}, max_drop: 1}}")
    drop, pair = suite.entries[0].drop, paired_runs(at / "old", at / "half").paired()
    assert drop is not None
    assert drop.paired == pair
    assert drop.change == tuple(100 * end for end in (pair.rates.difference, pair.rates.low, pair.rates.high))
    assert (drop.items, drop.only, drop.n) == (1319, (0, 0), 1319)
    assert (drop.baseline, drop.candidate) == pytest.approx((100 * 989 / 1319, 100 * 979 / 1319))


REPEATS = [(3, 3), (3, 1), (2, 0), (1, 1), (3, 2), (0, 0), (3, 3), (2, 3)] * 5  # right of 3: before, now


def repeated(folder: Path, name: str, side: int, n: int = 40, k: int = 2) -> None:
    """A run of items with three repeats each, the right ones first, and the config of its metrics."""
    trials = [
        {"id": f"q{item}-{repeat}", "item": f"q{item}", "model": name, "question": f"Which is {item}?",
         "ground_truth": "yes", "raw_text": f"yes, {name}, {repeat}", "stored": int(repeat < both[side])}
        for item, both in enumerate(REPEATS[:n]) for repeat in range(3)
    ]  # fmt: skip
    metrics = {"all": {"use": "all_of_k", "k": k}, "any_of_k": {"use": "any_of_k", "k": 3}}
    audited(folder / name, trials, metrics=metrics)
    (folder / name / ".hydra").mkdir()
    (folder / name / ".hydra" / "config.yaml").write_text(json.dumps({"metrics": metrics}), "utf-8")


def test_repeats_are_paired_by_item(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of 2 of c right of 3 is 0, 0, 1/3, 1: of eight items 2, 2/3 lost, and 1 won."""
    monkeypatch.chdir(tmp_path)
    repeated(tmp_path, "old", 0)
    repeated(tmp_path, "new", 1, 38)
    lines = "{candidate: new, baseline: old, max_drop: 10, metric: %s}"
    suite = decided(write, f"a: {lines % 'all'}, b: {lines % 'any_of_k'}, c: {lines % 'all'}")
    one, other, _ = (entry.drop for entry in suite.entries)
    assert one is not None
    assert other is not None
    value = {0: 0.0, 1: 0.0, 2: 1 / 3, 3: 1.0}
    apart = [value[before] - value[now] for before, now in REPEATS[:38]]
    mean = sum(apart) / 38
    half = t_quantile(0.975, 37) * (sum((d - mean) ** 2 for d in apart) / 37 / 38) ** 0.5
    assert one.change == pytest.approx((100 * mean, 100 * (mean - half), 100 * (mean + half)))
    assert (one.items, one.only, one.paired) == (38, (2, 0), None)
    assert one.square == pytest.approx(sum(d * d for d in apart) / 38)
    assert (one.baseline, one.candidate) == pytest.approx(
        tuple(100 * sum(value[both[side]] for both in REPEATS[:38]) / 38 for side in (0, 1))
    )
    assert other.change[0] == pytest.approx(100 * 5 / 38), "one of eight has no right one any more"
    assert not [note for note in suite.notes if "as if independent" in note]
    repeated(tmp_path, "three", 1, k=3)
    [entry] = decided(write, "a: {candidate: three, baseline: old, max_drop: 10, metric: all}").entries
    assert (entry.rule.status, entry.why) == ("not comparable", says.OTHER_REPEATS)
    [entry] = decided(write, "a: {candidate: old, baseline: new, max_drop: 0.1, metric: any_of_k}").entries
    assert entry.drop is not None
    assert entry.drop.lost[0] < 0, "a gain"


def test_repeats_of_which_no_item_differs(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval is that of two items more, of which each side wins one: 2.02 √2/42."""
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        repeated(tmp_path, name, 0)
    [entry] = decided(write, "a: {candidate: new, baseline: old, max_drop: 5, metric: all, tier: critical}").entries
    half = 100 * t_quantile(0.975, 39) * 2**0.5 / 42
    assert entry.drop is not None
    assert entry.drop.lost == pytest.approx((0.0, -half, half))
    assert entry.rule.status == "undecided"


def test_what_only_one_side_has_is_told(at: Path, write: Write) -> None:
    suite = decided(write, f"a: {{candidate: part, {OLD}, max_drop: 3}}")
    assert says.MORE_ARE_ONLY_IN_THE_BASELINE in suite.notes
    assert suite.entries[0].drop is not None
    assert suite.entries[0].drop.items == 400


def test_equal_labels_hold_no_bound_that_is_too_fine(at: Path, write: Write) -> None:
    """Nothing discordant was seen: 400 items do not hold 0.2 points for all that."""
    suite = decided(write, f"a: {{candidate: part, {OLD}, max_drop: 0.2, tier: critical}}")
    assert suite.decision == "INCONCLUSIVE"
    holds, limit = suite.entries[0].holds, suite.entries[0].limits[0]
    assert holds == pytest.approx(1.0, abs=0.02)
    assert limit.needed is not None
    assert limit.needed > 400


@pytest.mark.parametrize(
    ("gates", "status"),
    [
        ("{g: {use: bound, metric: flips, max: 0}}", "held"),
        ("{g: {use: bound, metric: error_rate, reading: stored, max: 20}}", "breach"),
        ("{g: {use: bound, metric: error_rate, reading: stored, max: 26, decide: interval}}", "undecided"),
        ("{g: {use: bound, metric: kappa, max: 20}}", "missing"),
        ("{g: {use: findings, kinds: [cut_off]}}", "held"),
        ("{g: stable}", "undecided"),
    ],
)
def test_gates_are_asked_of_the_candidate(at: Path, write: Write, gates: str, status: str) -> None:
    suite = decided(write, "a: {candidate: old}", f", gates: {gates}")
    assert [one.rule.status for one in suite.entries] == [status], suite.because
    assert ("gate g" in suite.headline) == (status in ("breach", "undecided"))


def test_gates_of_the_whole(at: Path, write: Write) -> None:
    """An undecided supporting entry passes by its value, unless the suite may have none."""
    entry = f"a: {{candidate: same, {OLD}, max_drop: 0.5}}"
    assert decided(write, entry).decision == "GO"
    suite = decided(write, entry, ", gates: {all: {use: bound, metric: suite_undecided, max: 0}}")
    assert (suite.decision, suite.exit_code) == ("NO-GO", 1)
    assert suite.headline == says.GATE_ALL_FAILED


def test_an_accepted_run_is_a_baseline(at: Path, write: Write, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    accept(["old", f"baseline={file}"])
    suite = decided(write, f"a: {{candidate: half, baseline: {file}, metric: error_rate, max_drop: 1}}")
    drop, pair = suite.entries[0].drop, paired_runs(at / "old", at / "half").paired()
    assert drop is not None
    assert drop.paired is not None
    assert drop.paired.rates == pair.rates


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("candidate: old, baseline: old, max_drop: 1", "entries.a: both are old: one run against itself"),
        ("candidate: old/result.json, min: 1", "is a file, not the folder of a run (old/result.json)"),
        ("candidate: same, baseline: old/result.json, max_drop: 1", "entries.a.baseline: is no accepted run"),
        (f"candidate: same, {OLD}, metric: n, max_drop: 1", "entries.a.metric: neither more nor less of it is better"),
        (f"candidate: same, {OLD}, metric: right, max_drop: 1", "right"),
        ("jobs: 'true', candidate: 'true', min: 1", "is of the jobs of a sweep, and none is named"),
    ],
)
def test_a_mistake(at: Path, write: Write, entry: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        decided(write, f"a: {{{entry}}}")
    assert message in str(caught.value)


def test_what_is_no_run_is_missing(at: Path, write: Write) -> None:
    """A folder without a run never reads as held: its files are looked at as logs."""
    (at / "empty").mkdir(exist_ok=True)
    for place in ("empty", "."):
        suite = decided(write, f"a: {{candidate: {place}, min: 1}}, b: {{candidate: old, min: 1}}")
        assert ([one.rule.status for one in suite.entries], suite.decision) == (["missing", "held"], "NO-GO")


@pytest.mark.slow
def test_logs_are_audited(at: Path, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files of answers, or a file and a run: the same drop as of the runs of these answers."""
    monkeypatch.chdir(tmp_path)
    for name, turned in (("old", 0), ("new", 26)):
        trials = rows(range(turned), name)
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in trials), "utf-8")
    lines = "a: {candidate: new.jsonl, baseline: old.jsonl, max_drop: 1}"
    suite = decided(write, f"{lines}, b: {{candidate: new.jsonl, baseline: {at / 'old'}, max_drop: 1}}")
    drops = [entry.drop for entry in suite.entries]
    assert drops[0] is not None
    assert drops[1] is not None
    assert drops[0].paired == drops[1].paired
    assert drops[0].change[0] == pytest.approx(100 * (19 - 7) / 1319)
    assert len(list(tmp_path.glob("outputs/compare/*/*/*/result.json"))) == 2, "the candidate is audited once"


def test_the_code_of_a_run_that_failed(at: Path, write: Write) -> None:
    assert decided(write, "a: {candidate: failed, min: 1}, b: {candidate: old, min: 80}").exit_code == 3
    assert decided(write, "a: {candidate: failed, min: 1, tier: advisory}").exit_code == 0
    assert json.loads((at / "failed" / "error.json").read_text("utf-8"))["exit_code"] == 3
