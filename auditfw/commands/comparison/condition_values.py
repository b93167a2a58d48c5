"""Values of conditions: which are the same, how they read, and what prompts show of how they were made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from auditfw.components.report.wording import NONE
from auditfw.core.errors import brief

Status = Literal["same", "differs", "not_recorded"]
MARKS = ("<|im_start|>", "<|start_header_id|>", "[INST]", "<|user|>", "<start_of_turn>", "<|begin_of_text|>")
_STARTS = ("<|begin_of_text|>", "<s>", "<bos>", "<|startoftext|>", "<｜begin▁of▁sentence｜>")
_TWICE = re.compile(rf"\s*(?P<start>{'|'.join(map(re.escape, _STARTS))})\s*(?P=start)")
_LEAD = re.compile(r"[^\W\d_][^:\n]{0,30}:")  # what a question begins with, as in "Question:"
IDLE = frozenset(("aggregation", "higher_is_better", "output_type"))  # settings of a metric that score nothing


@dataclass(frozen=True)
class AssumedValue:
    """A value that no log records: it is one of its harness's defaults."""

    value: Any

    def __str__(self) -> str:
        return f"{self.value} (assumed)"


def canonical(value: Any) -> str:
    """A text that equal values have alike: 1 is 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, Mapping):
        kept = {str(key): canonical(one) for key, one in value.items() if key not in IDLE}
        return json.dumps(kept, sort_keys=True)
    return json.dumps([canonical(one) for one in value]) if isinstance(value, list | tuple) else json.dumps(value)


def status_of(values: Sequence[Any]) -> Status:
    if any(value is None or isinstance(value, AssumedValue) for value in values):
        return "not_recorded"
    return "same" if len(set(map(canonical, values))) == 1 else "differs"


def are_settings(values: Sequence[Any]) -> bool:
    """Whether all values are settings of something of one name, and not all the same."""
    there = all(isinstance(value, Mapping) and "name" in value for value in values)
    return there and len({value["name"] for value in values}) == 1 and len(set(map(canonical, values))) > 1


def differing_settings(values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The settings without those that are the same everywhere."""
    keys = dict.fromkeys(key for value in values for key in value)
    kept = [key for key in keys if key == "name" or len({canonical(value.get(key)) for value in values}) > 1]
    return [{key: value[key] for key in kept if key in value} for value in values]


def text_of(value: Any) -> str:
    """A value as text: "–" where it is not recorded, "none" where there is none."""
    if value is None or value == "":
        return NONE if value is None else "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        kept = {key: one for key, one in value.items() if key not in IDLE and key != "name"}
        settings = ", ".join(f"{key} {text_of(one)}" for key, one in kept.items())
        return settings if "name" not in value else f"{value['name']} ({settings})" if settings else str(value["name"])
    if isinstance(value, list | tuple):
        return ", ".join(json.dumps(one, ensure_ascii=False) if _blank(one) else text_of(one) for one in value)
    return str(value)


def _blank(value: Any) -> bool:
    """Whether a text shows too little as it is: blanks and line ends."""
    return isinstance(value, str) and value != value.strip()


def shots_in(prompts: Sequence[str]) -> int | None:
    """How many examples stand before the question: lines that begin as the last question does, less one; the median."""
    counts = []
    for prompt in prompts:
        leads = [lead[0] for line in prompt.splitlines() if (lead := _LEAD.match(line.lstrip()))]
        asked = next((lead for lead in reversed(leads) if not lead.casefold().startswith(("answer", "a:"))), None)
        if asked is not None:
            counts.append(leads.count(asked) - 1)
    return None if not counts else int(median(counts))


def marks_in(prompts: Sequence[str]) -> tuple[int, int] | None:
    """In how many of a hundred prompts there are marks of a chat template, and a start token twice at the start."""
    if not prompts:
        return None
    marked = sum(any(mark in prompt for mark in MARKS) for prompt in prompts)
    twice = sum(_TWICE.match(prompt) is not None for prompt in prompts)
    return round(100 * marked / len(prompts)), round(100 * twice / len(prompts))


def template_words(name: Any, marks: tuple[int, int] | None) -> Iterator[str]:
    """A chat template as a log names it, by its hash perhaps, and as the marks in its prompts show it."""
    if name is not None:
        hashed = re.fullmatch("[0-9a-f]{32,}", str(name)) is not None
        yield "no template" if not name else f"a template (hash {name[:8]})" if hashed else brief(name, 12)
    if marks is not None:
        yield f"marks in {marks[0]} % of prompts" if marks[0] else "no marks"
        if marks[1]:
            yield f"start token twice in {marks[1]} %"


def printed(name: str) -> str:
    """What people read for the name of a condition."""
    return "token limit" if name == "limit" else name
