"""The option of a multiple-choice question that a text chooses: the definition, by patterns of Python's re."""

from __future__ import annotations

import re
from functools import lru_cache

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTIONS = ALPHABET[:10]
ROMAN = re.compile(r"(?i)(?<!\w)ii(?!\w)")
ANNOUNCING = 2  # of the patterns, the first ones in which a word announces the letter
ROMAN_FREE = 3  # the first ones, which no Roman number looks like
FIRST = (0, 1, 3, 4)  # those that announce a letter, or call it correct
FOREIGN = (1, 4)  # those that nothing but characters beyond ASCII can match
SENTENCE = 8  # the last one: its letter counts where it is the only one

# Thai, Chinese, Japanese, Korean and their like, which set no blanks around a letter: nothing of them is a word's rest.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u318f\u31a0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
)
_WORD = rf"[^\W{_UNSPACED}]|['’]"
# White space but the end of a line: over several of these each line would be tried to the end of all of them.
LINE_BLANKS = r" \t\r\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_REASON = r"(?:because|since|as|over|rather|instead)\b"
# The pronoun, or an article: a capital I whose sentence goes on, or a small a or i, or a capital A, before a word.
_NO_ARTICLE = rf"(?!I,?[ \t]+[A-Za-z]|[ai]\s+[a-z]|A[^\S\n]+(?!{_REASON})[a-z])"
_VERB = r"(?:is|was|are|would|seems|looks|appears|can|could|must|should|may|might|does|did|do|has)"
_ADVERB = r"(?:be|been|clearly|also|simply|definitely|obviously|therefore|likely|probably|the)"
_DENIED = (
    rf"[)\]*_`]*\s+(?:{_VERB}\s+(?:{_ADVERB}\s+)*(?:not|never|wrong|incorrect|false|eliminated|excluded|ruled)\b"
    r"|cannot\b|(?:is|was|are|would|ca|could|should|does|did|do|wo)n['’]t\b)"
)
_DENIED_UNSPACED = (
    r"[)\]）】」]?(?:选项|選項|項|项|番|번)?\s*(?:(?:是|也|都|均|则|則|显然|明显|が|は|も|では|でも|가|이|는|은|도)\s*)?"
    r"(?:不|错|錯|误|誤|有误|有誤|非|没|沒|違|間違|なく|ない|ありません|아니|아닙|틀|오답|잘못)"
)
_REFUSED = r"(?<!not |nor )(?<!than |over )(?<!unlike )(?<!instead of )(?<!不是|不选|不選)(?<!不能选)"
_GAP = r"[\s:：*_`$\"“'‘]*(?:\\boxed\{)?[(\[（【「]?"
_IS = r"(?i:\s+(?:is|was|(?:would|should|must|will)\s+be)|\s*[:：=])"
_CHOOSE = r"(?i:choose|chose|pick|picked|select|selected|go\s+with|going\s+with)"
_ANSWER_UNSPACED = r"(?:答案|正解|正答|解答|回答|答え|答|정답|답변|답|선택(?!지))"
_NOTHING_DENIED = r"[^。．，,、；;！!？?\nA-Za-z0-9不非別别没沒析]{0,8}"
_CHOOSE_UNSPACED = (
    r"(?<![不别別非勿误誤错錯])(?<!不[能应應会會可])(?<!不应该)[选選](?![项項])"
    r"[\s:：择擇了的是为為定用“\"「『（(【]{0,4}"
)


@lru_cache(maxsize=64)
def option_patterns(letters: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of an option, the surest first.

    A letter beyond E is, in prose, more often something else than an option: an initial, a unit, an index, the word I.
    """
    either, upper = f"[{letters}{letters.lower()}]", f"[{letters}]"
    rare = set(letters) - set("ABCDE")
    later = f"[{''.join(sorted(rare))}{''.join(sorted(rare)).lower()}]" if rare else r"(?!)"
    no_initial = rf"(?!{later}\.\s?[A-Z]\.)"
    no_index = rf"(?!(?<=\w[(\[]){later})"
    no_unit = rf"(?!(?:(?<=[\d°])|(?<=\d )|(?<=[A-Z]\.)|(?<=[A-Z]\. )){later})"
    no_pronoun = r"(?!I(?!\s*[.*_`$)\]][\s.*_`$)\]]*\Z)(?!(?<=[*`$\"{]I)[*`$\"}]))"
    ends = rf"(?!{_WORD})"
    one = rf"{ends}(?!{_DENIED})(?!\s+(?:or|and)\s+[(\[]?{upper}(?!{_WORD})(?!\s+[a-z]))"
    only = rf"{one}(?!\s+(?!{_REASON})[a-z])"
    single = rf"{ends}(?!{_DENIED}|{_DENIED_UNSPACED})"
    named = rf"(?=[AaCcOo]){_REFUSED}(?i:answer|option|choice)"
    chosen = rf"(?=[CcGgPpSs])(?<!not )(?<!n['’]t ){_CHOOSE}(?i:\s+the)?(?i:\s+(?:answer|option|choice|letter))?"
    right = r"(?:(?:the|only|most|single|best|clearly|indeed|therefore|also)\s+)*(?:correct|right|best|answer|choice)\b"
    begins = rf"(?={upper})(?<!{_WORD})"
    alone = rf"{_REFUSED}{no_initial}{no_unit}{no_pronoun}"
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"{named}(?:{_IS}{_GAP}{_NO_ARTICLE}{no_initial}({either}){one}"
            rf"|{_GAP}{_NO_ARTICLE}{no_initial}({either}){only})"
            rf"|{chosen}(?=\s){_GAP}{_NO_ARTICLE}{no_initial}({upper}){only}",
            rf"{_ANSWER_UNSPACED}{_NOTHING_DENIED}({either}){single}|{_CHOOSE_UNSPACED}({either}){single}"
            rf"|(?:选项|選項|選択肢|보기|선택지)[\s:：]*[（(「『“\"]?({either}){single}(?![{_UNSPACED}])",
            rf"\A[\W_]*({either})[\W_]*\Z",
            rf"{begins}(?<!nor )(?<!or )(?<![Ii]f )(?<!ther )(?!I)({upper})[)\]*_`\"”]*\s+"
            rf"(?:is|was|must\s+be|would\s+be|seems|looks)\s+{right}",
            rf"{begins}({upper})[”\"」』)）】]?(?:选项|選項|选|项|項|番|번)?[”\"」』)）】]?\s*"
            r"(?:(?:[是为為がは가이는은]|最も|が最も)\s*)?"
            r"(?:正确|正確|正解|正しい|适合|適切|答案|答え|符合|を選|を選択|정답|맞|옳|[를을]\s*선택)",
            rf"(?=[(\[（【「]){_REFUSED}[(\[（【「]{no_index}({either})[)\]）】」]",
            rf"(?m)^[{LINE_BLANKS}*_`]*{no_initial}({upper})[.):：．）、]",
            rf"(?={upper})(?<![\w'’]){alone}({upper})(?![\w'’]|\s+[a-z])",
            rf"{begins}(?<!{upper} and )(?<!{upper} or ){alone}{_NO_ARTICLE}({upper}){single}"
            rf"(?!\s+(?:and|or)\s+{upper}{ends})",
        )
    )


# Capitals of other alphabets that look like Latin ones, but for those that are words, as a Russian preposition before
# its noun, or initials; and the letters of full width.
_LATIN = dict(zip("АВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTXIJSABEZHIKMNOPTYX", strict=True))
_LATIN |= {chr(0xFEE0 + ord(letter)): letter for letter in ALPHABET + ALPHABET.lower()}
_LOOKALIKE = re.compile(
    rf"[Ａ-Ｚａ-ｚ]|[{''.join(sign for sign in _LATIN if sign < '一')}](?<!(?:{_WORD}).)(?!{_WORD})"
    r"(?<![\u0370-\u052f]\..)(?<![\u0370-\u052f]\. .)"
    r"(?![^\S\n]+[\u0370-\u052f])(?!\.\s?[\u0370-\u052f]\.)"
)


def latin(text: str) -> str:
    """A text with the Latin letters that single letters of other alphabets look like."""
    return text if text.isascii() else _LOOKALIKE.sub(lambda sign: _LATIN[sign[0]], text)


def without_i(letters: str) -> str:
    """The letters of options in a text of Roman numbers; the only letter stays."""
    return letters.replace("I", "") or letters


def _option(text: str, letters: str) -> tuple[int, str]:
    """The number of the first pattern that finds an option, and its letter; "" where none does."""
    letters, text = letters.upper(), latin(text)
    options = without_i(letters) if "I" in letters and ROMAN.search(text) else letters  # II: Roman numbers
    for number, pattern in enumerate(option_patterns(letters)):
        matches = (pattern if number < ROMAN_FREE else option_patterns(options)[number]).finditer(text)
        chosen = [next(filter(None, match.groups())).upper() for match in matches]
        if chosen and (number < SENTENCE or chosen[0] == chosen[-1]):
            return number, chosen[-1]
    return len(ALPHABET), ""


def option_letter(text: str, letters: str) -> str:
    """The option a text chooses, as a capital letter, or "".

    Tried in this order, the last occurrence of each: "answer is (C)"; nothing but the letter; "C is correct"; "(C)";
    "C." at the start of a line; a capital letter by itself that is no article; one in a sentence, if all are the same.
    """
    return _option(text, letters)[1]


def announced_option(text: str, letters: str) -> str:
    """The option that a text announces, as in "answer is (C)"; or ""."""
    number, letter = _option(text, letters)
    return letter if number < ANNOUNCING else ""


def announced_first(text: str, letters: str) -> str:
    """The option that a text announces or calls correct first; or ""."""
    text, letters = latin(text), letters.upper()
    patterns = option_patterns(letters)
    matches = [match for number in FIRST if (match := patterns[number].search(text))]
    first = min(matches, key=lambda match: match.start(), default=None)
    return "" if first is None else next(filter(None, first.groups())).upper()


def option_beyond(text: str, letters: str) -> str:
    """The option that a text chooses if there are more than these letters, more surely than one of these; or ""."""
    known, beyond = _option(text, letters), _option(text, ALPHABET)
    return beyond[1] if beyond[0] < known[0] and beyond[1] not in letters.upper() else ""
