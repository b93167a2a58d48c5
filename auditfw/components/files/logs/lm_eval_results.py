"""The results file beside the samples of lm-evaluation-harness: the model, and the rule of each filter."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from auditfw.core.escaping import quoted
from auditfw.core.shapes import declared
from auditfw.formulas.texts.pattern_bounds import PatternError, compiled
from auditfw.formulas.texts.patterns import as_re
from auditfw.kinds.evidence import ScorerRule, ShippedScorer

from .converted import a_list, an_object, objects
from .lm_eval_parts import NO_FILTER, limit_in

SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl(?:\.gz|\.zst)?")
RESULTS = re.compile(r"results_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.json")
DESCRIBED = re.compile(
    r"v?(0\.[34](?:\.\d+)*)(?:-\d+-g[0-9a-f]+)?"
)  # a commit, as git describes it by the last release
VOTES = frozenset(("majority_vote",))  # what makes one answer of several repeats


def name_facts(path: str) -> dict[str, Any]:
    """The task and the date that the name of a file of samples says; the task is its stem where it says none."""
    name = os.path.basename(path)
    match = SAMPLES.fullmatch(name)
    return match.groupdict() if match else {"task": name.partition(".")[0].removeprefix("samples_"), "date": None}


def results_path(path: str) -> str | None:
    """The results file that the harness wrote with a file of samples; None where it is not there."""
    date = name_facts(path)["date"]
    beside = os.path.join(os.path.dirname(path), f"results_{date}.json")
    return beside if date and os.path.isfile(beside) else None


def samples_beside(path: str) -> list[str]:
    """The files of samples that the harness wrote with a results file, by name; none where there are none."""
    match = RESULTS.fullmatch(os.path.basename(path))
    if match is None:
        return []
    names = sorted(os.listdir(os.path.dirname(path) or "."))
    return [os.path.join(os.path.dirname(path), one) for one in names if name_facts(one)["date"] == match["date"]]


class ResultsFilter(TypedDict, total=False):
    """A filter of a task."""

    name: str
    filter: list[ResultsStep] | None


class ResultsStep(TypedDict, total=False):
    """A step of a filter."""

    function: str | None
    regex_pattern: str | None
    group_select: int | None
    fallback: str | int | float | None


class ResultsMetric(TypedDict, total=False):
    """A metric of a task."""

    metric: str | None
    ignore_case: bool | None
    ignore_punctuation: bool | None
    ignore_numbers: bool | None
    regexes_to_ignore: list[str] | None


class ResultsTask(TypedDict, total=False):
    """What is read of the configuration of a task."""

    output_type: str | None
    target_delimiter: str | None
    repeats: int | None
    generation_kwargs: dict[str, Any] | None
    filter_list: list[ResultsFilter] | None
    metric_list: list[ResultsMetric] | None


def check_results(path: str, whole: Mapping[str, Any], task: str) -> None:
    """Raises DataError where the configuration of a task is not of the declared shape."""
    configs = declared(dict[str, Any], whole.get("configs") or {}, path, "configs")
    declared(ResultsTask, configs.get(task) or {}, path, f"configs.{task}")


def model_of(whole: Mapping[str, Any]) -> Any:
    """The name of the model: as it was named, else the kind of model."""
    config = an_object(whole.get("config"))
    return whole.get("model_name") or an_object(config.get("model_args")).get("pretrained") or config.get("model")


def task_config(whole: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    """The configuration of a task; empty where the file does not know it."""
    return an_object(an_object(whole.get("configs")).get(task))


def limit_of(whole: Mapping[str, Any], task: str) -> int | None:
    """The most tokens of an answer, as the run or the task sets it; None where they do not."""
    run = limit_in(an_object(whole.get("config")).get("gen_kwargs"))
    return run or limit_in(task_config(whole, task).get("generation_kwargs"))


def documents_of(whole: Mapping[str, Any], task: str) -> int | None:
    """How many documents of a task were asked, once for each of its filters; None where that is not known."""
    asked = an_object(an_object(whole.get("n-samples")).get(task)).get("effective")
    return asked * max(1, len(filters(task_config(whole, task)))) if type(asked) is int and asked > 0 else None


def voting(config: Mapping[str, Any]) -> frozenset[str]:
    """The filters of a task that let the repeats vote."""
    return frozenset(name for name, steps in filters(config).items() if any(s.get("function") in VOTES for s in steps))


def filters(config: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The steps of each filter of a task."""
    listed = config.get("filter_list")
    named = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {str(one.get("name")): [dict(s) for s in one.get("filter") or () if isinstance(s, dict)] for one in named}


def rules(whole: Mapping[str, Any], task: str) -> dict[str, ScorerRule]:
    """The rule of each filter of a task: its steps, the metrics with their settings, and how answers were generated."""
    config = task_config(whole, task)
    if not config:
        return {}
    shared = {
        "output_type": config.get("output_type"),
        "metrics": config.get("metric_list") or [],
        "generation": config.get("generation_kwargs") or {},
        "repeats": config.get("repeats"),
    }
    own = next((one for one in OWN if config.get(FUNCTION) and task.startswith(one)), None)
    shared |= {} if own is None else {FUNCTION: own}
    version, of_task = version_of(whole), an_object(whole.get("versions")).get(task)
    version_of_task = f"{float(of_task)}" if not version and isinstance(of_task, int | float) else ""
    steps_of = filters(config) or {NO_FILTER: []}
    return {
        name: ScorerRule(name, {"steps": steps, **shared}, version, task_version=version_of_task)
        for name, steps in steps_of.items()
    }


def version_of(whole: Mapping[str, Any]) -> str:
    """The version of the harness: as it is named, else the release that its commit is described by; "" without one."""
    described = DESCRIBED.fullmatch(str(whole.get("git_hash") or ""))
    return str(whole.get("lm_eval_version") or (described[1] if described is not None else ""))


def patterns_of(rule: ScorerRule) -> list[Any]:
    """The patterns of a filter and of its metrics."""
    steps, metrics = objects(rule.options["steps"]), objects(rule.options["metrics"])
    ignored = [one.get("regexes_to_ignore") for one in metrics]
    return [one.get("regex_pattern") for one in steps] + [one for some in ignored for one in a_list(some)]


# The shipped scorers for filters of lm-evaluation-harness, by the configuration of a task.

PATTERN = "#### (\\-?[0-9\\.\\,]+)"  # of a filter `regex` that names none
INVALID = "[invalid]"  # its fallback
GSM8K_IGNORED = [",", "\\$", "(?s).*#### ", "\\.$"]
SHIPPED = {  # filters of GSM8K, by their pattern and the place of the match
    (PATTERN, 0): "lm_eval_strict_match",
    ("(-?[$0-9.,]{2,})|(-?[0-9]+)", -1): "lm_eval_flexible_extract",
}
NAMED = {"strict-match": "lm_eval_strict_match", "flexible-extract": "lm_eval_flexible_extract"}
FUNCTION = "process_results"  # by which a task scores its answers itself
OWN = ("hendrycks_math",)  # tasks with such a function that a shipped scorer is, by the beginning of their names
NAME = "lm_eval_filter"  # a scorer whose steps are set by overrides
BY_NAME = {"remove_whitespace": "strip", "lowercase": "lower", "uppercase": "upper"}


def filter_scorer(rule: ScorerRule) -> ShippedScorer:
    """The scorer for a filter and exact_match as a task sets them; or why there is none.

    Of log-likelihoods the text is the likeliest choice. Where the task is not known, the name of the filter says it.
    """
    if rule.options.get("output_type") == "multiple_choice":
        return ShippedScorer("stored_exact")
    if rule.options.get(FUNCTION) in OWN:
        return ShippedScorer(str(rule.options[FUNCTION]))
    no_rule = f"the filter {rule.name} has no shipped rule"
    if not rule.options.get("declared", True):
        name = NAMED.get(rule.name)
        return ShippedScorer(name) if name else ShippedScorer(why=no_rule)
    metric = next((one for one in rule.options.get("metrics") or [] if one.get("metric") == "exact_match"), None)
    if metric is None:
        return ShippedScorer(why=f"{no_rule}: its metric is not exact_match")
    functions = [one for one in rule.options.get("steps") or [] if one.get("function") != "take_first"]
    shipped = _shipped(functions, metric)
    if shipped is not None:
        return ShippedScorer(shipped)
    steps = [_step(one) for one in functions]
    if None in steps:
        unknown = functions[steps.index(None)].get("function")
        return ShippedScorer(why=f"{no_rule}: nothing here does what {unknown} does")
    parser, normalizer = ", ".join(filter(None, steps)), ", ".join(_comparable(metric))
    return ShippedScorer(NAME, (f"parser.steps=[{parser}]", f"normalizer.steps=[{normalizer}]"))


def _shipped(functions: Sequence[Mapping[str, Any]], metric: Mapping[str, Any]) -> str | None:
    """The name of the shipped rule that is the same."""
    usual = metric.get("ignore_case") and not metric.get("ignore_punctuation") and not metric.get("ignore_numbers")
    if len(functions) != 1 or not usual or metric.get("regexes_to_ignore") != GSM8K_IGNORED:
        return None
    [one] = functions
    if one.get("function") != "regex" or one.get("fallback", INVALID) != INVALID:
        return None
    return SHIPPED.get((str(one.get("regex_pattern", PATTERN)), one.get("group_select", 0)))


def _step(function: Mapping[str, Any]) -> str | None:
    """The steps of the parser that do what a function of a filter does, as words of an override."""
    name = str(function.get("function"))
    if name in BY_NAME:
        return BY_NAME[name]
    if name != "regex":
        return None
    pattern = str(function.get("regex_pattern", PATTERN))
    try:
        groups = compiled(as_re(pattern), rewritten=True).groups
    except PatternError:
        return None
    group = "filled" if groups else 0
    which, fallback = int(function.get("group_select", 0)), quoted(str(function.get("fallback", INVALID)))
    what = f"pattern: {quoted(pattern)}, group: {group}, which: {which}, fallback: {fallback}"
    return f"{{use: capture, {what}, classes: re}}, strip"


def _comparable(metric: Mapping[str, Any]) -> list[str]:
    """The steps of the normalizer that do what the settings of exact_match ask for, in the order of the harness."""
    ignored = metric.get("regexes_to_ignore") or []
    steps = [f"{{use: substitute, pattern: {quoted(str(pattern))}, classes: re}}" for pattern in ignored]
    steps += ["lower"] if metric.get("ignore_case") else []
    steps += ["remove_characters"] if metric.get("ignore_punctuation") else []
    numbers = f"{{use: remove_characters, characters: '{string.digits}'}}"
    return [*steps, numbers] if metric.get("ignore_numbers") else steps
