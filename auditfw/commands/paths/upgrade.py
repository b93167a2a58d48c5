"""`auditfw upgrade LOG`: the rule that scored a log against the rule of a newer version of its program."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from packaging.version import Version

from auditfw.audits.scorer_changes import (
    EFFECTS,
    LAST,
    ScorerChange,
    Upgrade,
    changes_between,
    scorer_changes,
    version_at,
    version_with,
)
from auditfw.commands.completion.candidates import UPGRADE
from auditfw.commands.error_output import warn
from auditfw.components.files.logs.lm_eval_results import NAME as FILTER_SCORER
from auditfw.components.files.logs.lm_eval_results import NAMED, name_facts
from auditfw.components.report.console import printing
from auditfw.config.variants import variants
from auditfw.core.document import Table, some
from auditfw.core.errors import DataError, UsageError
from auditfw.core.escaping import terminal, value
from auditfw.core.remote.places import typed_again
from auditfw.formulas.texts.pattern_bounds import compiled
from auditfw.formulas.texts.patterns import as_re
from auditfw.kinds.evidence import ScorerRule

from .bare_words import check_bare_words
from .command import check_no_path, kept, named_paths, recognised
from .field_logs import log_rules
from .proposal import Own, Proposal, spelt
from .sources import LogRule, release, states_of

LIST = "--list"
HARNESSES = {"inspect": ("inspect_ai", "source.scorer"), "lm_eval": ("lm_eval", "source.filter")}  # by the source of
# their logs, with the setting that chooses one of several rules
EXAMPLES = {"inspect_ai": "0.3.200", "lm_eval": "0.4.1"}
WRITE = "write auditfw upgrade LOG [from=VERSION] [to=VERSION]"
INSTALLED = "compare two installations: audit.published, or report=[texts]"
OURS = ("scorer", "parser", "audit.baseline", "audit.labels")  # settings of the run of a log that are others here


def upgrade(argv: Sequence[str]) -> list[str] | None:
    """`auditfw upgrade LOG [from=VERSION] [to=VERSION] [OVERRIDES]`: what newer scorers make of a log's answers.

    The words of the run that it stands for; None where nothing is left to run: with `--list`, which prints the known
    changes, and where no change is known between the versions. Raises UsageError, and DataError for a log that names no
    version.
    """
    if LIST in argv:
        if len(argv) > 1:
            raise UsageError(LIST, "stands alone", " ".join(argv), f"write auditfw upgrade {LIST}")
        _print_list()
        return None
    versions = dict(word.split("=", 1) for word in argv if word.startswith(("from=", "to=")))
    named = named_paths([word for word in argv if word.partition("=")[0] not in versions])
    check_bare_words(named.rest, verb=UPGRADE)
    check_no_path(named.rest, named.paths)
    if not named.paths:
        raise UsageError(UPGRADE, "needs a log first", " ".join(argv) or None, WRITE)
    own: Own = {key.lstrip("+~"): text for key, _, text in (word.partition("=") for word in named.rest)}
    scan, proposed = recognised(named.paths, named.rest)
    scored = _scored(named.paths[0], scan.logs, own)
    before, after = _between(scored, versions)
    states = _states(scored, before, after)
    if states is None:
        print(_unchanged(scored, before, after))
        return None
    run = _run(proposed[0], states)
    words = [*typed_again(kept(run, named.rest)), *named.rest]
    print(terminal(f"auditfw: {run.what}: {spelt(words)}"), file=sys.stderr)
    return words


@dataclass(frozen=True)
class ScoredLog:
    """Logs of one program and one rule; the first of `names` is what its scorer is called in sentences."""

    path: str
    harness: str
    rule: ScorerRule
    names: tuple[str, ...]
    states: Sequence[LogRule]
    tasks: Sequence[str] = ()

    def state(self, version: str) -> LogRule | None:
        """The shipped rule that holds at a version; None without one."""
        return next((one for one in self.states if one.name and one.holds(Version(version))), None)

    @property
    def is_known(self) -> bool:
        """Whether the table of changes would have those of the scorer: it is the program's own."""
        listed = {one.scorer for one in scorer_changes() if one.harness == self.harness}
        return not listed.isdisjoint(self.names) or any(one.name for one in self.states)


def _scored(path: str, logs: Mapping[str, list[str]], own: Own) -> ScoredLog:
    """The logs with the one rule that scored them. Raises UsageError."""
    known = [source for source in logs if source in HARNESSES]
    if len(logs) != 1 or not known:
        what = "are logs of several programs" if len(logs) > 1 else "is no log of a program whose scorers are known"
        raise UsageError(path, what, ", ".join(logs) or None, "name logs of Inspect AI or lm-evaluation-harness")
    [source] = known
    rules = log_rules(source, logs[source], own)
    distinct = list({repr(rule): rule for rule in rules.values()}.values())
    if len(distinct) > 1:
        listed = ", ".join(f"{name} of {rule.version}" if rule.version else name for name, rule in rules.items())
        do = f"name logs of one rule and version, or choose one: {HARNESSES[source][1]}=NAME"
        raise UsageError(path, "was scored by several rules", listed, do)
    if not distinct:
        raise UsageError(path, "does not say how it was scored", None, "name a log with scores")
    [rule] = distinct
    tasks = [str(name_facts(file)["task"]) for file in logs[source]] if source == "lm_eval" else []
    states = states_of(source, rule)
    if {*tasks} == {"gsm8k"} and states[0].name == FILTER_SCORER:
        states = [LogRule(NAMED.get(rule.name, NAMED["strict-match"])), *states]  # the task's filters since version 3
    scored = ScoredLog(path, HARNESSES[source][0], rule, names_of(rule, tasks), states, tasks)
    if not scored.is_known:
        what = f"the scorer `{rule.name}` is none of {scored.harness}, so its changes are not known"
        raise UsageError(path, what, None, INSTALLED)
    return scored


def names_of(rule: ScorerRule, tasks: Sequence[str] = ()) -> tuple[str, ...]:
    """How the table of changes calls a scorer with its options; the first is its name in sentences.

    Filters of lm-evaluation-harness go by their `tasks`, by the functions that they call, and by their metrics.
    """
    name, options = rule.name, rule.options
    if tasks:
        listed = [one.scorer for one in scorer_changes() if one.harness == "lm_eval"]
        of_tasks = [one for one in listed if all(task.startswith(one) for task in tasks)]
        called = [str(one.get("function")) for one in options.get("steps") or ()]
        metrics = [str(one.get("metric")) for one in options.get("metrics") or ()]
        return tuple(dict.fromkeys([*of_tasks, *({*tasks} if not of_tasks else ()), *called, *metrics]))
    if name == "match":
        return ("match(numeric)" if options.get("numeric") else name,)
    if name == "answer":
        return (f"answer({options.get('pattern')})",)
    if name == "choice":
        return (name, "choice(several)" if options.get("multiple_correct") else "choice(single)")
    if name == "pattern":
        groups = compiled(as_re(str(options.get("pattern", "()")))).groups
        form = "match_all" if options.get("match_all") else "no group" if not groups else ""
        return (name, *([f"pattern({form})"] if form else []))
    return ("graded",) if "model_graded" in name else (name,)


@dataclass(frozen=True)
class States:
    """The states of a scorer from the version of a log on: the setting that says what they are, and their rules."""

    setting: Upgrade
    rules: Sequence[LogRule]

    def words(self) -> Iterator[str]:
        """The words that make them readings; the newest decides against the first."""
        names = [one.name for one in self.rules]
        yield f"scorer=[{','.join(names)}]"
        yield "parser=[]"
        yield f"audit.baseline={names[0]}"
        yield f"audit.reference={names[0]}"
        yield f"audit.decides=[{names[-1]}]"
        for one in self.rules:
            yield from one.words()
        versions = ", ".join(f"{name}: {value(version)}" for name, version in self.setting.versions.items())
        also = f", also: [{', '.join(map(value, self.setting.also))}]" if self.setting.also else ""
        scorer = f"scorer: {value(self.setting.scorer)}, to: {value(self.setting.to)}, harness: {self.setting.harness}"
        yield f"audit.upgrade={{{scorer}{also}, versions: {{{versions}}}}}"


def _states(scored: ScoredLog, before: str, after: str) -> States | None:
    """The states between two versions; None where no change is known. Raises UsageError for a rule without a file."""
    name, *also = scored.names
    changes = changes_between(scored.harness, scored.names, before, after)
    if not changes:
        return None
    begins = [before, *dict.fromkeys(change.version for change in changes)]
    at = {version: scored.state(version) for version in begins}
    states = {one.name: (one, version) for version, one in reversed(at.items()) if one is not None}
    if len(states) < 2 or at[before] is None or at[begins[-1]] is None:
        _print_changes(scored.harness, list(reversed(changes)), f"{name} of {scored.harness} from {before} to {after}")
        first = next(change for change in changes if at[before] is None or change.version != before)
        since = next((version for version, one in at.items() if one is not None), None)
        shipped = f"rules are shipped since {since} (from={since}); or " if len(states) > 1 and at[begins[-1]] else ""
        words = f"{first.version}: {first.change}"
        what = f"a rule of `{name}` between {before} and {after} is not shipped"
        raise UsageError(scored.path, what, words, f"{shipped}{INSTALLED}")
    ordered = list(reversed(states.values()))
    versions = {one.name: version for one, version in ordered}
    return States(Upgrade(name, after, versions, scored.harness, tuple(also)), [one for one, _ in ordered])


def _between(scored: ScoredLog, words: Mapping[str, str]) -> tuple[str, str]:
    """The version of a log and the newer one. Raises UsageError, and DataError for a log that names none."""
    harness, last = scored.harness, LAST[scored.harness]
    named = {"from": words.get("from") or scored.rule.version or _without_version(scored), "to": words.get("to", last)}
    releases = {word: release(text) for word, text in named.items()}
    for word, at in releases.items():
        if at is None:
            raise UsageError(f"{word}={named[word]}", f"is no version of {harness}", None, f"write {word}={last}")
    before, after = releases.values()
    if before is not None and after is not None and after < before:
        what = f"is before {before}, the version {'of the log' if 'from' not in words else 'that from= names'}"
        raise UsageError(f"to={after}", what, None, f"write to={last}, or leave it out")
    return str(before), str(after)


def _without_version(scored: ScoredLog) -> str:
    """The version of a log that names none, by its date or its tasks' version. Raises DataError where none tells it."""
    none, rule = f"the log names no version of {scored.harness}", scored.rule
    version = version_with(scored.harness, scored.tasks, rule.task_version)
    if version is not None:
        first = f"the first with version {rule.task_version} of its task"
        warn(f"{none}: {version} is taken, {first}; from=VERSION says otherwise")
        return version
    date = rule.date
    version = version_at(scored.harness, date)
    if version is None:
        raise DataError("", none, None, f"write from={EXAMPLES[scored.harness]}")
    warn(f"{none}: {version} is taken, the newest that turned labels on its date, {date}; from=VERSION says otherwise")
    return version


def _run(proposed: Proposal, states: States) -> Proposal:
    """The run of a log with the states of its scorer as readings."""
    others = [word for word in proposed.words if word.partition("=")[0] not in OURS and "audit.scorers." not in word]
    return replace(proposed, words=(*others, *states.words()))


def _unchanged(scored: ScoredLog, before: str, after: str) -> str:
    """That no change is known, and how far the table goes: what is newer may have changed."""
    harness, last = scored.harness, LAST[scored.harness]
    others = changes_between(harness, scored.names, before, after, labels=False)
    kept = f"; {some(len(others), 'change')} that no label turns on: auditfw upgrade {LIST}" if others else ""
    beyond = f"; what came after {last} is not known" if Version(after) > Version(last) else ""
    text = f"no change of `{scored.names[0]}` between {before} and {after}"
    return f"{text} is known (changelogs and sources of {harness} up to {last}{beyond}{kept})"


def _print_list() -> None:
    """Every known change, and the rules that ship."""
    for harness, last in LAST.items():
        changes = [one for one in scorer_changes() if one.harness == harness]
        _print_changes(harness, changes, f"Known changes of the scorers of {harness} up to {last}")
    holding = {name: one.settings.get("holds") or {} for name, one in variants("scorer").items()}
    rules = [[name, f"{program} {versions}"] for name, one in holding.items() for program, versions in one.items()]
    with printing() as page:
        page.head("Shipped rules that hold for some versions; the others hold for all")
        page.rows(Table(["rule", "holds for"], rules, "<<"), 1)


def _print_changes(harness: str, changes: Sequence[ScorerChange], head: str) -> None:
    rows = [[one.version, one.scorer, EFFECTS[one.effect], one.change] for one in changes]
    with printing() as page:
        page.head(head)
        page.rows(Table(["since", "scorer", "labels", "change"], rows, "<<<<"), 2)
