"""The yardstick: each rule as one writes it in an afternoon, with json and re, in one process.

It shares no code with the rest of auditfw, but for the patterns of `choice_letter`, which are auditfw's own rule.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from auditfw.formulas.texts.options import OPTIONS, option_letter

FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
STRICT = re.compile(r"#### (\-?[0-9\.\,]+)")
HELM = re.compile(r"-?[\d,]+(?:.\d+)?")
OPENCOMPASS = re.compile(r"\-?\d+\.\d+|\-?\d+")
LINE = re.compile(r"^A:[ \t]*(\S.*)$", re.MULTILINE)
SIMPLE_LINE = re.compile(r"(?i)Answer\s*:\s*([^\n]+)")
SIMPLE_LETTER = re.compile(r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?")
INSPECT_LETTER = re.compile(r"(?is)ANSWER\s*:\s*([A-Za-z])(?:[^\w]|\n|$)(?!.*ANSWER\s*:)")
INSPECT_LINE = re.compile(r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z")
INSPECT_WORD = re.compile(r"(?is)ANSWER\s*:\s*(\S+?)(?=[.,;:!?]?\s*(?:\n|$))(?!.*ANSWER\s*:)")
MMLU = (re.compile(r"answer is \(?([A-J])\)?"), re.compile(r".*[aA]nswer:\s*([A-J])"), re.compile(r"\b[A-J]\b"))
BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
NUMBER = re.compile(
    r"[-−]?\$?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|(?<![\w.])\.[0-9]+)"
    r"(?:[eE][-−+]?[0-9]{1,3}(?![0-9]))?"
)
EDGES = string.whitespace + string.punctuation
SIGNS = {True: "1", False: "0", None: "-"}
MARKERS = (
    "passage:", "question:", "user:", "assistant:", "system:", "\nuser", "\nassistant", "article:", "movie title:",
    "movie plot:",
)  # fmt: skip


def last(pattern: re.Pattern[str], text: str, group: int = 0) -> str:
    """The last match of a pattern."""
    matches = list(pattern.finditer(text))
    return matches[-1][group] if matches else ""


def first(pattern: re.Pattern[str], text: str) -> str:
    """The first group of the first match of a pattern."""
    match = pattern.search(text)
    return match[1] if match else ""


def inspect_number(text: str) -> str:
    """The last word that is a number, without signs of money, thousands and Markdown, to five digits."""
    bare = re.sub(r"\.(?!\d)", "", re.sub(r"\\?[$,£€*_]", "", text))
    for word in reversed(bare.split()):
        try:
            return f"{float(word):.5g}"
        except ValueError:
            continue
    return ""


def harness(answer: str) -> str:
    """What lm-evaluation-harness ignores of an answer."""
    for pattern in (r",", r"\$", r"(?s).*#### ", r"\.$"):
        answer = re.sub(pattern, "", answer)
    return answer.lower()


def mmlu(text: str) -> str:
    """The three steps of MMLU-Pro."""
    return first(MMLU[0], text) or first(MMLU[1], text) or last(MMLU[2], text)


def choice(text: str) -> str:
    """The letter that a text chooses."""
    return option_letter(text, OPTIONS)


def answer_v2(text: str) -> str:
    """What is after the last think delimiter and before the first marker."""
    text = text.strip()
    at = text.lower().rfind("</think>")
    text = text[at + len("</think>") :].strip() if at >= 0 else text
    low = text.lower()
    places = [place for place in map(low.find, MARKERS) if place > 0]
    return text[: min(places)].strip() if places else text


def opencompass(text: str) -> str:
    """The last number before the next question."""
    return last(OPENCOMPASS, text.split("Question:", maxsplit=1)[0]) or "NULL"


def near(answer: str, truth: str) -> bool:
    """Whether two numbers are equal as OpenCompass compares them."""
    try:
        return answer == truth or abs(float(answer) - int(truth)) < 1e-6
    except ValueError:
        return False


RULES: Mapping[str, Callable[[str, str], bool | None]] = {
    "flexible_extract": lambda text, truth: last(FLEXIBLE, text).strip() == truth,
    "lm_eval_flexible_extract": lambda text, truth: harness(last(FLEXIBLE, text) or "[invalid]") == harness(truth),
    "strict_match": lambda text, truth: first(STRICT, text).strip() == truth,
    "lm_eval_strict_match": lambda text, truth: harness(first(STRICT, text) or "[invalid]") == harness(truth),
    "last_number": lambda text, truth: last(NUMBER, text) == truth,
    "helm_final_number": lambda text, truth: last(HELM, text).replace(",", "").strip() == truth,
    "opencompass_gsm8k": lambda text, truth: near(opencompass(text).replace(",", ""), truth),
    "inspect_match_numeric": lambda text, truth: (
        inspect_number(text) == f"{float(truth):.5g}"
        if truth.isdigit()
        else text.strip(EDGES).lower().endswith(truth.lower())
    ),
    "answer_line": lambda text, truth: last(LINE, text, 1).strip() == truth,
    "boxed": lambda text, truth: last(BOXED, text, 1).strip() == truth,
    "simple_evals_line": lambda text, truth: first(SIMPLE_LINE, text) == truth,
    "simple_evals_mcq": lambda text, truth: first(SIMPLE_LETTER, text) == truth,
    "inspect_answer_letter": lambda text, truth: first(INSPECT_LETTER, text).lower() == truth.lower(),
    "inspect_answer_line": lambda text, truth: first(INSPECT_LINE, text).lower() == truth.lower(),
    "inspect_answer_word": lambda text, truth: first(INSPECT_WORD, text).lower() == truth.lower(),
    "mmlu_pro_three_step": lambda text, truth: mmlu(text) == truth,
    "choice_letter": lambda text, truth: choice(text) == truth,
    "choice": lambda text, truth: choice(text) == truth if truth in OPTIONS else None,
    "answer_v2": lambda text, truth: answer_v2(text) == truth,
}


def main(arguments: Sequence[str]) -> None:
    """Labels the first rows of a file by rules, all in one reading, and writes a line for each: a sign for each row."""
    path, out, rows, *names = arguments
    deciding = [RULES[name] for name in names]
    labels: list[list[str]] = [[] for _ in names]
    with open(path, encoding="utf-8") as lines:
        for line in islice(lines, int(rows)):
            row = json.loads(line)
            for decide, kept in zip(deciding, labels, strict=True):
                kept.append(SIGNS[decide(row["completion"], row["answer"])])
    with open(out, "w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{''.join(kept)}\n" for kept in labels)
