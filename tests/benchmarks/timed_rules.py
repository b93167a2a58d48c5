"""The rules that are timed, the completions that each is for, and the command that a user would type for some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from auditfw.core.escaping import quoted

from .data.completions import CompletionKind
from .harness import command as typed


class TimedRule(NamedTuple):
    """A shipped rule: the kind of completions that it is for, and its reading."""

    name: str
    kind: CompletionKind
    normalizer: str = "none"
    matcher: str = "exact"
    parser: str = ""  # where the rule is not named by it

    @property
    def read_by(self) -> str:
        """The name of the parser."""
        return self.parser or self.name


HASHES, LINE, BOXED = CompletionKind("hashes", False), CompletionKind("line", False), CompletionKind("boxed", False)
WORD, CAPITALS, SENTENCE, THINK = (
    CompletionKind("Answer", True),
    CompletionKind("ANSWER", True),
    CompletionKind("answer is", True),
    CompletionKind("think", False),
)
RULES = (
    TimedRule("flexible_extract", HASHES),
    TimedRule("lm_eval_flexible_extract", HASHES, "lm_eval_flexible_extract"),
    TimedRule("strict_match", HASHES),
    TimedRule("lm_eval_strict_match", HASHES, "lm_eval_strict_match"),
    TimedRule("last_number", HASHES),
    TimedRule("helm_final_number", HASHES, matcher="helm_final_number"),
    TimedRule("opencompass_gsm8k", HASHES, matcher="opencompass_gsm8k"),
    TimedRule("inspect_match_numeric", HASHES, matcher="inspect_match_numeric", parser="raw"),
    TimedRule("answer_line", LINE),
    TimedRule("boxed", BOXED),
    TimedRule("simple_evals_line", WORD),
    TimedRule("simple_evals_mcq", WORD),
    TimedRule("inspect_answer_letter", CAPITALS, "inspect_answer_letter"),
    TimedRule("inspect_answer_line", CAPITALS, "inspect_answer_line"),
    TimedRule("inspect_answer_word", CAPITALS, "inspect_answer_word"),
    TimedRule("mmlu_pro_three_step", SENTENCE),
    TimedRule("choice_letter", SENTENCE),
    TimedRule("choice", SENTENCE, matcher="choice", parser="raw"),
    TimedRule("answer_v2", THINK),
)
ALONE = ("audit.baseline=null", "audit.probe=0")


def command(rules: Sequence[TimedRule], data: Path, folder: Path, workers: int) -> list[str]:
    """The command that gives a file's labels by these rules, with its run folder."""
    where = [f"source.path={quoted(str(data))}", f"hydra.run.dir={quoted(str(folder))}"]
    columns = "source.columns={id: id, raw_text: completion, ground_truth: answer, stored: label}"
    reading = [
        f"parser={_several(rule.read_by for rule in rules)}",
        f"normalizer={_several(rule.normalizer for rule in rules)}",
        f"matcher={_several(rule.matcher for rule in rules)}",
        f"audit.readings={_several(reading_names(rules))}",
    ]
    rest = ["gate=[]", f"engine.workers={workers}", "report=[json]"]
    return typed("experiment=answer_parsing", "source=jsonl", *where, columns, *reading, *rest)


def reading_names(rules: Sequence[TimedRule]) -> list[str]:
    """The names of these rules' readings: where they share a matcher it is not named."""
    shared = len({rule.matcher for rule in rules}) == 1
    names = [(rule.read_by, rule.normalizer, *(() if shared else (rule.matcher,))) for rule in rules]
    return ["+".join(parts) for parts in names]


def _several(names: Iterable[str]) -> str:
    return f"[{','.join(dict.fromkeys(names))}]"
