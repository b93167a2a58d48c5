"""Hard completions and targets for the rules of the field's scorers, drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

BLANKS = (" ", "  ", "\n", "\n\n", "\t", "", "", "", "\u00a0", "\u2028", "\x1c", "\r\n")
MARKS = (*"*_`~#.,;:!?()[]{}\"'$-=", "**", "__", "\\(", "\\)", "###", "- ", "...", "“", "”", "…", "。")
THINK = ("<think>", "</think>", "<think>\nOr ANSWER: D?\n</think>\n", "Question:", "Question: next", "user:")
LETTERS = (
    *"ABCDEFGHIJKZabcdez",
    "(A)",
    "(b)",
    "**C**",
    "$D$",
    "$\\boxed{B}$",
    "B²",
    "H₂",
    "A\u0301",
    "Ａ",
    "É",
    "ß",
    "ſ",
    "K",
)
SAID = (
    "ANSWER:", "ANSWER: ", "Answer: ", "answer : ", "\nANSWER: ", "\nAnswer:\n", "ANſWER: ", "**ANSWER:** ",
    "**Answer: ",
    "Answer:\t$", "the answer is ", "The answer is (", "The answer is: ", "the option is ", "#### ", "\n#### ", "= ",
    "x =", " and ", "ANSWER: A, B", "ANSWER: A and C", "ANSWER: (C).", "\nANSWER: **B**\n", "ANSWER: $A$", "ANSWER: D,",
    "Answer:\u00a0A",
)  # fmt: skip
WORDS = (
    "Paris", "paris", "PARIS", "the", "a", "An", "New York", "new  york", "yes", "No", "Straße", "STRASSE", "naïve",
    "café", "cafe\u0301", "日本", "x", "it's", "don't", "İstanbul", "ı", "42nd", "A.", "Iran",
)  # fmt: skip
NUMBERS = (
    "5", "12", "18", "-5", "1,000", "1000", "1,234.50", "1234.5", "1 000", "$18", "$18.00", "18.0", "18.", "3.14159",
    "3.141592653", "0.5", ".5", ",.5", ",", "-", "-.5", "1e3", "½", "2½", "3²", "٣", "１２", "十二", "−5", "50%",
    "\\$20", "€1.000,5", "5 12", "1/2", "1_000", "007", "1e400", "nan", "inf", "12abc", "(42)", "42!", "<42", "$",
    "1,2,3", "5-",
)  # fmt: skip
TEXT_TARGETS = (
    *WORDS,
    "5",
    "18",
    "A",
    "B",
    "+",
    ".",
    "the",
    "Paris.",
    "**paris**",
    "New York",
    " x ",
    "answer",
    "A and C",
)
WORD_TARGETS = (
    *TEXT_TARGETS, "the", "-", "New York yes", "yes New York", "x x", "x", "3.14159", "42", "(42)", "18.0", "nan",
    "new-york", "a",
)  # fmt: skip
NUMBER_TARGETS = (
    "5", "12", "18", "-5", "1000", "1,000", "1234.5", "0.5", "3.1416", "3.14159", "20", "42", "$18", "12abc", "½", "x",
    "#### 18", "so 5.\n#### 12", "#### 1,000", "9 #### 5 #### 6", "no number", "7", "3", "9", "2.5", "60%",
)  # fmt: skip
LETTER_TARGETS = (*"ABCDEJ", "a", "c", "Paris", "Z")
OPTION_TARGETS = (*"ABCD", "b", "A,B", "AC", "A C", "D, A", "BA")
GSM8K_TARGETS = ("#### 5", "a #### 12", "x\n#### 18", "#### 1,000", "#### -5", "#### 0", "1 #### 3 #### 4", "#### 1234")


FORMULAS = (
    "\\frac12", "\\frac{1}{2}", "\\dfrac12", "\\tfrac{a}b", "\\frac1{72}", "\\frac", "\\frac1", "\\sqrt3", "\\sqrt{3}",
    "\\sqrt", "1/2", "-3/4", "+3/4", "x/2", "1_0/2", "\u0661/2", "0.5", ".5", "0.50", "x=", "x = ", "=", "5", "-3",
    "\\pi", "2\\sqrt2", "\\text{ cm}", "\\text{ m}", "\\text{even}", "\\%", "%", "\\$", "^\\circ", "^{\\circ}",
    "\\left(", "\\right)", "\\!", "\\\\", "\n", " ", "{.5}", "(1,2)", "the answer is ", "12/3/4", "\t1/2", "12",
)  # fmt: skip
SOLUTIONS = ("So $x$ is $\\boxed{{{}}}$.", "${}$", "{}", "1 + 1 = 2, and $\\boxed{{{}}}.$")
SAME_FORMULA = (
    ("\\frac{1}{2}", "\\frac12"), ("\\frac{1}{2}", "1/2"), ("1/2", "\\frac{1}{2}"), ("\\sqrt{3}", "\\sqrt3"), (" ", ""),
    ("frac", "dfrac"), ("\\left(", "("), ("", " "), ("0.5", ".5"), ("x=", ""),
)  # fmt: skip


def formulas(random: Random, number: int) -> list[tuple[str, list[str]]]:
    """Pairs of a text with a formula and one that is to be the same, about every second the same in other words."""
    pairs = []
    for _ in range(number):
        truth, other = ("".join(random.choices(FORMULAS, k=random.randint(1, 4))) for _ in range(2))
        other = random.choice([other, f"\\boxed{{{other}}}", f"{other}}}"])
        answer = random.choice([other, truth, truth.replace(*random.choice(SAME_FORMULA))])
        shown = random.choice(
            [answer, f"${answer}$", f"So $x$ is ${answer}$.", f"it is ${answer}$ .", f" {answer}", f"${answer}"]
        )
        pairs.append((shown, [truth]))
    return pairs


def cases(rule: str, number: int = 400) -> list[tuple[str, list[str]]]:
    """Pairs of a completion and one to three targets; about every third holds a target's own words."""
    random = Random(f"{rule} {number}")
    if "math" in rule:
        pairs = formulas(random, number)
        shown = SOLUTIONS if "minerva" in rule else ("{}",)
        return [(text, [random.choice(shown).format(truth) for truth in truths]) for text, truths in pairs]
    targets = targets_of(rule)
    pairs = []
    for _ in range(number):
        wanted = random.sample(targets, 1 if random.random() < 0.6 or "choice" in rule or "all" in rule else 3)
        pairs.append((completion(random, wanted), wanted))
    return pairs


def targets_of(rule: str) -> Sequence[str]:
    if "choice" in rule:
        return [target for target in OPTION_TARGETS if target.isalpha() or "2025" not in rule]  # others failed then
    if "opencompass" in rule:
        return GSM8K_TARGETS
    if any(part in rule for part in ("letter", "mcq", "mmlu")):
        return LETTER_TARGETS
    if "exact_0" in rule or rule in ("inspect_exact", "inspect_f1") or "f1_0" in rule:
        return WORD_TARGETS
    return NUMBER_TARGETS if any(part in rule for part in ("lm_eval", "numeric", "number")) else TEXT_TARGETS


def completion(random: Random, wanted: Sequence[str]) -> str:
    """A text of pieces, as a rule with a target in it: by itself, first, last or anywhere; never empty."""
    kinds = [WORDS, NUMBERS, LETTERS, SAID, SAID, MARKS, THINK, WORDS, NUMBERS]
    pieces: list[str] = []
    for _ in range(random.randint(0, 9)):
        pieces += [random.choice(random.choice(kinds)), random.choice(BLANKS)]
    target = random.choice(wanted)
    said = random.choice([*SAID, *("ANSWER: ", "Answer: ", "\nanswer: ", "answer is ", f"{target} and ") * 4])
    mark = random.choice(["", "", "", " ", "\n", ".", "**", ")", "!", "\u00a0", "\x1c", ". "])
    shown = random.choice(
        [target, target, target, target.upper(), target.lower(), f"**{target}**", f"({target})", f"${target}"]
    )
    where = random.choice(["alone", "alone", "first", "last", "last", "last", "anywhere", "nowhere", "plain"])
    if where == "alone":
        pieces = [random.choice(["", " ", "\n", said, said]), shown, mark]
    elif where == "plain":
        start = random.choice(["ANSWER: ", "Answer: ", "answer is ", f"{target} and ", " ", "</think>ANSWER: "])
        pieces = [start, random.choice([target, target.upper(), target.lower()])]
    elif where == "first":
        pieces = [shown, mark, *pieces]
    elif where == "last":
        pieces = [*pieces, said, shown, mark]
    elif where == "anywhere":
        pieces.insert(random.randint(0, len(pieces)), said + shown + mark)
    return "".join(pieces) or "."
