"""A model in twenty lines: it adds, explains itself at some length, and errs where a hash of its prompt says so."""

import re
from hashlib import blake2b

LEAD = re.compile(r"What is (\d+) \+ (\d+)\?")


def reply(prompt: str, limit: int | None, stops: list[str] | tuple[str, ...] = ()) -> tuple[str, bool]:
    """The answer to the last sum of a prompt, and whether the limit, in words, cut it."""
    left, right = map(int, LEAD.findall(prompt)[-1])
    draw = int.from_bytes(blake2b(prompt.encode(), digest_size=4).digest(), "big")
    value = left + right + (10 if draw % 5 == 0 else 0)
    tens, ones = f"The tens of {left} and {right} come first, ", "then the ones, and then what is carried over. "
    style = draw // 5 % 4
    end = f"So {left} + {right} = {value}.\n#### {value}" if style else f"I think it is {value}."
    text = f"{tens if style > 1 else ''}{ones * (style % 3)}{end}"
    for stop in stops:
        text = text.split(stop, maxsplit=1)[0]
    words = re.findall(r"\S+\s*", text)
    cut = limit is not None and len(words) > limit
    return "".join(words[:limit]).rstrip() if cut else text, cut


def sums() -> list[dict[str, str]]:
    """The sums that are asked, 44 of them; the last four are for examples."""
    pairs = [(7 * i % 90 + 3, 11 * i % 80 + 12) for i in range(44)]
    return [{"question": f"What is {a} + {b}?", "answer": str(a + b)} for a, b in pairs]
