"""Signs in a completion's text that it is empty, breaks off, runs in a loop or refuses; and about how long it is.

Structure counts, and words of English: a text that stops within a sentence of another language shows no sign.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from sys import byteorder
from typing import NamedTuple

from auditfw.core.native import native_kernel

EMPTY, THINK, FENCE, JSON, LATEX, JOINED, LOOP, REFUSAL = (1 << bit for bit in range(8))

BLANKS = " \t\r\n\f\v\u00a0\u200b\u2028\u2029\u3000\ufeff"
_NAMES = ("eot_id", "im_end", "end", "endoftext", "end_of_text", "eos", "end▁of▁sentence", "return")
TURN_ENDS = ("</s>", "<end_of_turn>", *(f"<{a}{name}{b}>" for name in _NAMES for a in ("", "|") for b in ("", "|")))
THOUGHTS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<seed:think>", "</seed:think>"),
    ("<|channel|>analysis", "<|channel|>final"),
)
FUNCTION_WORDS = frozenset({
    "a", "an", "the", "of", "to", "and", "or", "but", "nor", "if", "because", "since", "while", "when", "where",
    "which", "that", "than", "as", "at", "by", "for", "from", "in", "into", "on", "onto", "with", "without", "within",
    "between", "per", "is", "are", "was", "were", "be", "am", "has", "have", "had", "will", "would", "can", "could",
    "should", "may", "might", "must", "shall", "their", "its", "our", "your", "my", "his", "whose", "we", "they", "he",
    "she",
})  # fmt: skip
JOINING = "([{=+/\\^&,<~→∈×÷≤≥≠"
SENTENCE_ENDS = ".!?。！？"
SHORTEST = 40  # characters of a text whose last word is looked at
WINDOW, TAIL, TIMES = 8_000, 40, 6  # of a loop: the last characters of a text, those that recur, and how often
SHORT, EARLY = 800, 200  # characters of a refusal, and those of them that say it

_CLOSED = "}])`" + SENTENCE_ENDS
_FENCES = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_FENCED = re.compile(r"`{3,}[A-Za-z0-9 ]*\n")
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]', re.DOTALL)
_BRACES = re.compile(r"[{}]")
_ENVIRONMENTS = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_MATHS = re.compile(r"[\\^_]")
_NEXT_SENTENCE = re.compile(r"[.!?]\s*[A-Z]")
_LAST_WORD = re.compile(r"(?<=\s)[^\W\d_]+\Z")
_WORD_END = -(max(map(len, FUNCTION_WORDS)) + 1)
_DIGITS = re.compile(r"[0-9]+")
_THOUGHT_END = re.compile("</thin[k\u212a]>", re.IGNORECASE | re.ASCII)  # the kelvin sign is a K, too
_CANNOT = (
    r"(?:cannot|can't|can not|could not|couldn't|am unable to|'m unable to|am not able to|'m not able to|won't"
    r"|will not|must decline to|have to decline to)"
)
_DO = (
    r"(?:help|assist|answer|provide|comply|fulfil+|continue|respond|engage|do that|discuss|create|generate|share|give"
    r"|offer|support|complete)"
)
_REFUSAL = re.compile(
    rf"\bi(?: really)?(?: am| ')?\s*(?:{_CANNOT})[^.!?\n]{{0,40}}\b{_DO}\b"
    rf"|\bas an? (?:ai|language model)\b[^.!?\n]{{0,80}}\b(?:{_CANNOT}|do not|don't)\b"
    r"|\bi(?: a|')m sorry,? but i\b"
    r"|\bi (?:do not|don't) feel comfortable\b"
    r"|\bmy guidelines (?:do not|don't) (?:allow|permit)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Za-z]+")
_COUNTED = re.compile(r"\n|[^\sA-Za-z]")
LETTERS_A_TOKEN = 6


def body(text: str) -> str:
    """A text without the white space and the marks of a turn's end that it ends in."""
    end = len(text.rstrip(BLANKS))
    while mark := next((mark for mark in TURN_ENDS if text.endswith(mark, 0, end)), ""):
        end -= len(mark)
        while end and text[end - 1] in BLANKS:
            end -= 1
    return text[:end]


def signs(body: str) -> int:
    """The signs in a text's body, a bit each: EMPTY, THINK, FENCE, JSON, LATEX, JOINED, LOOP, REFUSAL."""
    return sum(sign for sign, shows in _RULES if shows(body)) if body else EMPTY


def estimated_tokens(body: str) -> int:
    """About how many tokens a text has.

    A newline is one, and each character that is neither white space nor an ASCII letter; of each run of such letters
    every sixth begun.
    """
    words = sum(-(-len(word) // LETTERS_A_TOKEN) for word in _LETTERS.findall(body))
    return words + len(_COUNTED.findall(body))


def thinks(body: str) -> bool:
    """Whether after the last opener of a thought, in whatever case, no closer of its kind follows."""
    low = body.lower()
    return any(low.rfind(closer) < low.rfind(opener) for opener, closer in THOUGHTS)


def in_fence(body: str) -> bool:
    """Whether a code fence is left open, as CommonMark pairs them, and the last character ends nothing."""
    if body[-1] in _CLOSED or ("```" not in body and "~~~" not in body):
        return False
    opened = ""
    for fence, rest in _FENCES.findall(body):
        if not opened:
            opened = fence
        elif fence.startswith(opened) and not rest.strip():
            opened = ""
    return opened != ""


def in_json(body: str) -> bool:
    """Whether a text that begins as JSON, in a fence or not, never closes its first bracket outside strings."""
    text = body.lstrip()
    if fenced := _FENCED.match(text):
        text = text[fenced.end() :].lstrip()
    if text[:1] not in ("{", "[") or body[-1] in _CLOSED:
        return False
    if text.count("{") + text.count("[") <= text.count("}") + text.count("]"):
        return False
    depth = 0
    for token in _TOKENS.finditer(text):
        if (char := token[0][0]) != '"':
            depth += 1 if char in "{[" else -1
            if depth == 0:
                return False
    return True


def in_latex(body: str) -> bool:
    r"""Whether LaTeX is left open: a \boxed{, a \begin{X}, a \[ or \(, or a $ with maths after it in the last line.

    A text that ends as a JSON object or in a fence is none of LaTeX.
    """
    text = body.rstrip()
    if body.endswith("```") or (text.endswith("}") and text[:-1].rstrip().endswith('"')):
        return False
    if "\\" in body and (_box_open(body) or _environment_open(body)):
        return True
    if body.rfind("\\[") > body.rfind("\\]") or body.rfind("\\(") > body.rfind("\\)"):
        return True
    line = body[body.rfind("\n") + 1 :].replace("\\$", "")
    if line.count("$") % 2 == 0 or "$$" in line:
        return False
    tail = line[line.rfind("$") + 1 :]
    return _MATHS.search(tail) is not None and _NEXT_SENTENCE.search(tail) is None


def _box_open(body: str) -> bool:
    """Whether the last box is never closed."""
    at = body.rfind("\\boxed{")
    if at < 0:
        return False
    depth = 0
    for brace in _BRACES.finditer(body, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return False
    return True


def _environment_open(body: str) -> bool:
    """Whether an environment begins more often than it ends."""
    begun: dict[str, int] = {}
    for word, name in _ENVIRONMENTS.findall(body):
        begun[name] = begun.get(name, 0) + (1 if word == "begin" else -1)
    return any(times > 0 for times in begun.values())


def joins(body: str) -> bool:
    """Whether the last character, not doubled, or the last word needs another one after it.

    A word counts in lower case, or capitalised after the end of a sentence or at the beginning.
    """
    if body[-1] in JOINING and body[-2:-1] != body[-1]:
        return True
    last = _LAST_WORD.search(body[_WORD_END:]) if len(body) >= SHORTEST else None
    if last is None or (word := last[0]).lower() not in FUNCTION_WORDS:
        return False
    before = body[: -len(word)].rstrip(BLANKS)[-1:]
    return word.islower() or (len(word) > 1 and word.istitle() and before in ".!?:")


def loops(body: str) -> bool:
    """Whether the last characters recur again and again, as they stand or with every number the same."""
    text = body[-WINDOW:]
    return _recurs(text) or _recurs(_DIGITS.sub("0", text))


def _recurs(text: str) -> bool:
    return len(text) >= TAIL * TIMES and text.count(text[-TAIL:]) >= TIMES


def refuses(body: str) -> bool:
    """Whether a short text, after its thought, begins with the words of a refusal."""
    start = max((mark.end() for mark in _THOUGHT_END.finditer(body)), default=0)
    text = body[start:].strip()
    return len(text) <= SHORT and _REFUSAL.search(text[:EARLY].replace("’", "'")) is not None


_RULES: tuple[tuple[int, Callable[[str], bool]], ...] = (
    (THINK, thinks),
    (FENCE, in_fence),
    (JSON, in_json),
    (LATEX, in_latex),
    (JOINED, joins),
    (LOOP, loops),
    (REFUSAL, refuses),
)


# A text with its answer taken out: equal ones are of one template, or copies.

GAP = "_"

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_LETTER = re.compile(r"\([A-J]\)|(?<![A-Za-z'])(?:[B-J]|A(?! [a-z]))(?![A-Za-z'])")
_YES_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


def masked(body: str, given: Iterable[str]) -> str:
    """A text's body with the truth and the stored answer `given` taken out, then whatever else may be an answer.

    Each number becomes a 0; each of these texts that is longer than a character, each letter A to J alone (but "A" as
    an article) and each yes or no a gap. An answer that was not stored is not looked for.
    """
    for text in given:
        if len(text) > 1:
            body = body.replace(text, GAP)
    return _YES_NO.sub(GAP, _LETTER.sub(GAP, _NUMBER.sub("0", body)))


# What the label table holds of each text: its signs, its length, its hash, and those of its mask.

NO_TEXT = 255  # in place of the signs: an empty text has no others
WORDS = (TURN_ENDS, tuple(chain(*THOUGHTS)), tuple(sorted(FUNCTION_WORDS)), BLANKS, JOINING)  # for the kernel

Truth = str | Sequence[str] | None


class TextFacts(NamedTuple):
    """A number for each text; where there is none its signs are NO_TEXT and the others 0."""

    signs: bytes
    chars: array[int]
    est: array[int]
    text: array[int]
    mask: array[int]
    mask_chars: array[int]


def text_facts(texts: list[str | None], truths: Sequence[Truth], answers: Sequence[str | None]) -> TextFacts:
    """The facts of texts with their truths and their stored answers.

    `chars`, `est` and `text` are of the body: its code points, about how many tokens it has, and its hash; `mask` and
    `mask_chars` the hash and the code points of the body with truth and answer taken out.
    """
    kernel = native_kernel()
    if kernel is None:
        return _facts(texts, truths, answers)
    codes, *numbers, doubtful = kernel.facts(texts, list(truths), list(answers), WORDS)
    for row in doubtful:
        if refuses(body(texts[row] or "")):
            codes[row] |= REFUSAL
    return TextFacts(bytes(codes), *(array(kind, part) for kind, part in zip("IIQQI", numbers, strict=True)))


def _facts(texts: Sequence[str | None], truths: Sequence[Truth], answers: Sequence[str | None]) -> TextFacts:
    """The same by the definitions."""
    rows = []
    for text, truth, answer in zip(texts, truths, answers, strict=True):
        if text is None:
            rows.append((NO_TEXT, 0, 0, 0, 0, 0))
            continue
        own = body(text)
        mask = masked(own, [*((truth,) if isinstance(truth, str) else truth or ()), answer or ""])
        rows.append((signs(own), len(own), estimated_tokens(own), text_hash(own), text_hash(mask), len(mask)))
    columns = list(zip(*rows, strict=True)) or [()] * 6
    return TextFacts(bytes(columns[0]), *(array(kind, part) for kind, part in zip("IIQQI", columns[1:], strict=True)))


def text_hashes(texts: list[str]) -> array[int]:
    """The hashes of texts, none of which is empty, as `text_hash` gives them."""
    kernel = native_kernel()
    if kernel is None:
        return array("Q", map(text_hash, texts))
    hashes = array("Q", b"".join(word for word, _ in kernel.ranked(b"", texts, list(range(len(texts))), None)))
    if byteorder == "little":
        hashes.byteswap()
    return hashes


def text_hash(text: str) -> int:
    """The first eight bytes of BLAKE2b of a text, read as the ranks of draws are; half a character is a "?"."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
