"""Labels by the field's own programs, in an environment where these are installed: pairs on standard input, labels out.

Nothing of auditfw is imported. What does not install within a minute is taken out of its wheel by name and run alone.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import string
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def inspect_rule(name: str, wheels: Path) -> Any:
    """A scorer of Inspect AI as a function of completion and targets; past ones are in a wheel that is unpacked."""
    past = re.search(r"_(2025|0_3_\d+)$", name)
    if past is not None:
        folder = "inspect_ai" if past[1] == "2025" else f"inspect_ai-{past[1].replace('_', '.')}"
        sys.path.insert(0, str(wheels / folder))
    from inspect_ai import scorer
    from inspect_ai.solver import _multiple_choice
    from inspect_ai.solver._task_state import Choices

    plain = name.removesuffix(past[0] if past is not None else "").removeprefix("inspect_")
    several = plain == "choice_several"
    settings: dict[str, Any] = {
        "match": {},
        "match_begin": {"location": "begin"},
        "match_any": {"location": "any"},
        "match_exact": {"location": "exact"},
        "match_numeric": {"numeric": True},
        "match_numeric_begin": {"numeric": True, "location": "begin"},
        "match_numeric_any": {"numeric": True, "location": "any"},
        "match_numeric_exact": {"numeric": True, "location": "exact"},
        "match_case": {"ignore_case": False},
        "includes_case": {"ignore_case": False},
        "answer_letter": {"pattern": "letter"},
        "answer_word": {"pattern": "word"},
        "answer_line": {"pattern": "line"},
        "pattern": {"pattern": r"(?:answer|option) is\s*(\w+)|=\s*(-?\d+)\b"},
        "pattern_all": {"pattern": r"(\w+) and (\w+)", "ignore_case": False, "match_all": True},
    }
    made = getattr(scorer, plain.split("_")[0])(**settings.get(plain, {}))

    def label(text: str, targets: list[str]) -> Any:
        state: Any = SimpleNamespace(output=SimpleNamespace(completion=text), choices=Choices(list("wxyz")))
        if plain.startswith("choice"):
            answers = _multiple_choice.parse_answers(state, several)
            if answers:
                _multiple_choice.set_choices_based_on_generated_response(state, answers)
        try:
            value = asyncio.run(made(state, scorer.Target(targets))).value
            return value >= 0.5 if plain == "f1" else value == "C"
        except ValueError:
            return None

    return label


def lm_eval_rule(name: str, wheels: Path) -> Any:
    """The filters and the metric of GSM8K in lm-evaluation-harness, as its task has them."""
    import lm_eval
    import yaml
    from lm_eval.api.metrics import exact_match_hf_evaluate
    from lm_eval.filters.extraction import RegexFilter

    task = yaml.safe_load((Path(lm_eval.__file__).parent / "tasks/gsm8k/gsm8k.yaml").read_text("utf-8"))
    wanted = name.removeprefix("lm_eval_").replace("_", "-")
    [cut] = [dict(each["filter"][0]) for each in task["filter_list"] if each["name"] == wanted]
    del cut["function"]
    how = {key: value for key, value in task["metric_list"][0].items() if key.startswith(("ignore", "regexes"))}

    def label(text: str, targets: list[str]) -> bool:
        [[answer]] = RegexFilter(**cut).apply([[text]], [{}])
        return any(exact_match_hf_evaluate([answer], [target], **how)["exact_match"] == 1.0 for target in targets)

    return label


def hendrycks_rule(name: str, wheels: Path) -> Any:
    """MATH in lm-evaluation-harness, its wheel unpacked: the truth is boxed in the solution."""
    names = "process_results is_equiv remove_boxed last_boxed_only_string fix_fracs fix_a_slash_b remove_right_units"
    file = wheels / "lm_eval/tasks/hendrycks_math/utils.py"
    known = {"Dict": dict, "List": list, "datasets": None}
    score = parts(file, *names.split(), "fix_sqrt", "strip_string", **known)["process_results"]

    def label(text: str, targets: list[str]) -> bool:
        return any(score({"solution": f"\\boxed{{{target}}}"}, [text])["exact_match"] for target in targets)

    return label


def minerva_rule(name: str, wheels: Path) -> Any:
    """The metric math_verify of minerva_math, its wheel unpacked; the other metric, which needs more, is left out."""
    from math_verify import parse, verify

    known = {"parse": parse, "verify": verify, "is_equiv": lambda *_: False}
    known |= dict.fromkeys(("get_unnormalized_answer", "normalize_final_answer"), str)
    score = parts(wheels / "lm_eval/tasks/minerva_math/utils.py", "process_results", **known)["process_results"]

    def label(text: str, targets: list[str]) -> bool:
        return any(score({"solution": target, "answer": ""}, [text])["math_verify"] for target in targets)

    return label


def parts(file: Path, *names: str, **known: Any) -> dict[str, Any]:
    """Functions and classes of a module, without its imports, decorators and bases; `known` is what they need."""
    kept: list[ast.stmt] = []
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
            node.decorator_list = []
            if isinstance(node, ast.ClassDef):
                node.bases = []
            kept.append(node)
        elif isinstance(node, ast.ImportFrom) and node.module in ("__future__", "typing"):
            kept.append(node)
    space: dict[str, Any] = {"re": re, "string": string, **known}
    exec(compile(ast.Module(kept, []), str(file), "exec"), space)
    return space


def helm_rule(name: str, wheels: Path) -> Any:
    file = wheels / "crfm_helm/helm/benchmark/metrics/evaluate_reference_metrics.py"
    metric = {"exact": "exact_match", "quasi_exact": "quasi_exact_match", "final_number": "final_number_exact_match"}
    wanted = metric[name.removeprefix("helm_")]
    function = parts(file, "normalize_text", "exact_match", wanted)[wanted]
    return lambda text, targets: max(function(target, text.strip()) for target in targets) == 1


def opencompass_rule(name: str, wheels: Path) -> Any:
    names = ("gsm8k_postprocess", "gsm8k_dataset_postprocess", "Gsm8kEvaluator")
    space = parts(wheels / "opencompass/opencompass/datasets/gsm8k.py", *names)
    cut, cut_truth = space["gsm8k_postprocess"], space["gsm8k_dataset_postprocess"]
    evaluator = space["Gsm8kEvaluator"]()
    return lambda text, targets: any(evaluator.is_equal(cut(text), cut_truth(target)) for target in targets)


def openai_evals_rule(name: str, wheels: Path) -> Any:
    known = {"record_match": lambda *a, **k: None}
    check = parts(wheels / "evals/evals/api.py", "record_and_check_match", **known)["record_and_check_match"]
    return lambda text, targets: check(prompt="", sampled=text, expected=targets) in targets


def simple_evals_rule(name: str, wheels: Path) -> Any:
    """No package: the expressions of common.py, with Python's re, as gpqa_eval.py uses them."""
    pattern = {
        "simple_evals_mcq": r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?",
        "simple_evals_line": r"(?i)Answer\s*:\s*([^\n]+)",
    }[name]

    def label(text: str, targets: list[str]) -> bool:
        match = re.search(pattern, text)
        return match is not None and match[1] in targets

    return label


def mmlu_pro_rule(name: str, wheels: Path) -> Any:
    """No package: the three expressions of evaluate_from_api.py, with Python's re."""

    def label(text: str, targets: list[str]) -> bool:
        match = re.search(r"answer is \(?([A-J])\)?", text) or re.search(r".*[aA]nswer:\s*([A-J])", text)
        match = match or re.search(r"(\b[A-J]\b)(?!.*\b[A-J]\b)", text, re.DOTALL)
        return match is not None and match[1] in targets

    return label


RULES = {
    "inspect": inspect_rule,
    "lm_eval": lm_eval_rule,
    "hendrycks": hendrycks_rule,
    "minerva": minerva_rule,
    "helm": helm_rule,
    "opencompass": opencompass_rule,
    "openai_evals": openai_evals_rule,
    "simple_evals": simple_evals_rule,
    "mmlu_pro": mmlu_pro_rule,
}


def main() -> None:
    wheels = Path(sys.argv[1])
    asked: dict[str, list[tuple[str, list[str]]]] = json.load(sys.stdin)
    labels = {}
    for name, pairs in asked.items():
        [make] = [make for start, make in RULES.items() if name.startswith(start)]
        label = make(name, wheels)
        labels[name] = [label(text, targets) for text, targets in pairs]
    json.dump(labels, sys.stdout)


if __name__ == "__main__":
    main()
