"""The head of an Inspect log: what was run, with which scorers, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditfw.components.files.logs.conditions import sampling, versioned
from auditfw.core.errors import DataError

KNOWN_VERSIONS = (1, 2)
RUNNING = "started"
GOOD = "success"
SEVERAL = "multiple_correct"
SHOTS = ("num_fewshot", "fewshot", "shots", "num_shots", "n_shot")  # arguments of tasks
GRADER = "grader"  # the role of the model that grades


class LogScorer(NamedTuple):
    """A scorer as the head declares it: the key of its scores, the function it is, its options."""

    key: str
    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class LogHead:
    """What the head of a log says.

    `package` is the version of inspect_ai; `killed` says that the run ended before it wrote its head, of which the
    journal has the beginning; `expected` is how many samples there should be, None where that is not known; `several`
    says that the questions are multiple choice with more than one right option; `limit` is the most tokens of one
    answer; `conditions` are what else it says of how the log was made; `date` is that of the code, else of the run.
    """

    path: str
    status: str
    task: str
    model: str
    temperature: float | None
    eval_id: str
    task_id: str
    package: str
    scorers: tuple[LogScorer, ...]
    expected: int | None = None
    killed: bool = False
    several: bool = False
    limit: int | None = None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    date: str = ""

    def scorer(self, key: str) -> LogScorer:
        """The scorer of these scores; one that the head does not declare goes by the name of its scores."""
        declared = next((one for one in self.scorers if one.key == key), None)
        return declared or LogScorer(key, key.rstrip("0123456789") or key, {})

    def remarks(self, samples: int) -> Iterator[str]:
        """What there is to say of a log that holds so many samples."""
        whole = "" if self.expected in (None, samples) else f" of {self.expected:,}"
        held = f"{samples:,}{whole} {'sample is' if samples == 1 and not whole else 'samples are'} read"
        if self.unfinished:
            yield f"{self.path}: {self.unfinished}: {held}{', by its journal' if self.killed else ''}"
        elif whole:
            yield f"{self.path}: {held}"

    @property
    def unfinished(self) -> str:
        """How the run stands, where it has not ended well."""
        if self.killed:
            return "the run ended without writing the log's head"
        if self.status == GOOD:
            return ""
        return "the run is still running" if self.status == RUNNING else f"the run ended with status '{self.status}'"


def is_head(document: Any) -> bool:
    """Whether a JSON document could be the head of a log."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and "version" in document


def head_of(document: Any, path: str, killed: bool = False) -> LogHead:
    """Reads the head of a log. Raises DataError for what is none, and for a version that is not known."""
    if not is_head(document):
        detail = f"keys {', '.join(map(str, document))}" if isinstance(document, dict) else type(document).__name__
        raise DataError(path, "is not an Inspect log", detail, "an Inspect log has the keys version, status and eval")
    version = document["version"]
    if version not in KNOWN_VERSIONS:
        known = f"{' and '.join(map(str, KNOWN_VERSIONS))} are known"
        raise DataError(path, "the version of the log is not known", f"version {version}; {known}", "update")
    run = document["eval"]
    return LogHead(
        path=path,
        status=str(document.get("status") or RUNNING),
        task=_text(run.get("task")),
        model=_text(run.get("model")),
        temperature=_generation(document, "temperature"),
        eval_id=_text(run.get("eval_id") or run.get("run_id")),
        task_id=_text(run.get("task_id")),
        package=_text(_inner(run, "packages").get("inspect_ai")),
        scorers=tuple(_scorers(run, _inner(document, "results"))),
        expected=_expected(document),
        killed=killed,
        limit=_limit(document),
        conditions=_conditions(document),
        date=_text(_inner(run, "revision").get("date") or run.get("created"))[:10],
        several=any(_several(one) for one in _listed(_inner(document, "plan"), "steps")),
    )


def _several(step: Mapping[str, Any]) -> bool:
    """Whether a step of the plan lets models choose several options."""
    return _bare({"name": step.get("solver")}) == "multiple_choice" and _inner(step, "params").get(SEVERAL) is True


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _inner(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object inside another; an empty one where there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _listed(document: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """The objects of a list inside an object."""
    value = document.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _limit(document: Mapping[str, Any]) -> int | None:
    """The most tokens of an answer, if that is a whole number."""
    limit = _generation(document, "max_tokens")
    return int(limit) if limit is not None and limit == limit // 1 > 0 else None


def _generation(document: Mapping[str, Any], name: str) -> float | None:
    """A setting of the run's answers: as the plan has it, else as the model was set up."""
    for config in (_inner(_inner(document, "plan"), "config"), _inner(document["eval"], "model_generate_config")):
        value = config.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return None


def _expected(document: Mapping[str, Any]) -> int | None:
    """How many samples a whole run has."""
    total = _inner(document, "results").get("total_samples")
    if isinstance(total, int):
        return total
    samples = _inner(document["eval"], "dataset").get("samples")
    config = _inner(document["eval"], "config")
    if not isinstance(samples, int) or config.get("limit") is not None or config.get("sample_id") is not None:
        return None
    epochs = config.get("epochs")
    return samples * (epochs if isinstance(epochs, int) else 1)


def _scorers(run: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[LogScorer]:
    """The scorers in the order in which they ran, then those whose scores were added later.

    Several of one name have their number behind it: match, match1, match2.
    """
    declared = [(_bare(one), one.get("options")) for one in _listed(run, "scorers")]
    old = results.get("scorer")
    if not declared and isinstance(old, dict):
        declared = [(_bare(old), old.get("params"))]
    keys: dict[str, None] = {}
    for name, options in declared:
        key = _numbered(name, keys)
        yield LogScorer(key, name, options if isinstance(options, dict) else {})
    for one in _listed(results, "scores"):
        name = _bare({"name": one.get("scorer") or one.get("name")})
        if name not in keys and not any(known.rstrip("0123456789") == name for known in keys):
            keys[name] = None
            params = one.get("params")
            yield LogScorer(name, name.rstrip("0123456789") or name, params if isinstance(params, dict) else {})


def _bare(scorer: Mapping[str, Any]) -> str:
    """The name of a scorer without that of the package it is from."""
    return _text(scorer.get("name")).rpartition("/")[2]


def _numbered(name: str, keys: dict[str, None]) -> str:
    key, count = name, 0
    while key in keys:
        count += 1
        key = f"{name}{count}"
    keys[key] = None
    return key


# What the head says of how a log was made, but for the scorer.


def _conditions(document: Mapping[str, Any]) -> dict[str, Any]:
    """The conditions by the head alone."""
    run, plan = document["eval"], _inner(document, "plan")
    dataset, config, arguments = (_inner(run, name) for name in ("dataset", "config", "task_args"))
    scorers = _listed(run, "scorers")
    judged = [one for one in scorers if "model_graded" in str(one.get("name"))]
    roles = _inner(_inner(run, "model_roles"), GRADER).get("model")
    judges = [name for one in judged for name in _models(_inner(one, "options").get("model"))]
    return {
        "harness": versioned("inspect_ai", _inner(run, "packages").get("inspect_ai")),
        "task": run.get("task"),
        "task version": run.get("task_version"),
        "dataset": dataset.get("name") or dataset.get("location"),
        "split": arguments.get("split"),
        "model": run.get("model"),
        "shots": next((arguments[name] for name in SHOTS if type(arguments.get(name)) is int), None),
        **sampling(plan.get("config"), run.get("model_generate_config")),
        "repeats": config.get("epochs") or 1,
        "judge": (judges or [roles or run.get("model")]) if judged else "" if scorers else None,
    }


def _models(graders: Any) -> list[str]:
    """The names of the models that a scorer's option lists, without how each is set up."""
    several = graders if isinstance(graders, list) else [graders]
    return [str(one.get("model") if isinstance(one, dict) else one) for one in several if isinstance(one, str | dict)]
