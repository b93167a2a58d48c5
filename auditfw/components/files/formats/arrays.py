"""Which array inside a JSON object holds the records: for messages that say what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.keys import FORMAT, Keys
from auditfw.components.files.looks.column_names import COMMON

DEEPEST = 4  # keys that lead to an array
LOOKED_AT = 200  # elements of an array
LISTED = 3  # arrays none of which has keys that records often have
LIKE_ONE = 3  # usual keys of an object that looks like a record
FURTHER = (
    "annotations", "base_status", "category", "origin_prompt", "plus_status", "predictions", "rating",
    "reasoning", "task", "text",
)  # fmt: skip
ALSO = {name.replace("_", "") for names in (*COMMON.values(), FURTHER) for name in names}  # as keys in lower case
TURN = frozenset(("role", "content"))  # what a turn of a chat has
USUAL = frozenset(
    (
        "id", "doc_id", "sample_id", "qid", "input", "question", "prompt", "query", "output", "completion", "response",
        "prediction", "answer", "target", "truth", "ground_truth", "expected", "label", "score", "scores", "correct",
    )
)  # fmt: skip


@dataclass(frozen=True)
class FoundArray:
    """An array of objects, or an object of objects, below some keys.

    `turns` says that they are turns of a chat, `usual` how many keys all have that records often have; `rank` puts the
    likeliest first.
    """

    keys: tuple[str, ...]
    size: int
    keyed: bool
    turns: bool
    usual: int
    rank: tuple[int, ...]

    @property
    def path(self) -> str:
        return ".".join(self.keys)


def advice(whole: Mapping[str, Any], mapped: Sequence[str], keys: Keys) -> str:
    """What to write to read the records inside an object; `mapped` are the addresses that columns are mapped to."""
    wanted = {re.split(r"[.\[]", text)[0] for text in mapped if not text.startswith("#")}
    wanted |= {text for one in mapped for text in re.findall(r"\{([^{}.\[]+)", one)}
    if _is_record(whole, wanted):
        line = f"on one line for {keys.format('jsonl')}"
        return keys.advice("it looks like one record: write it into an array, [{...}]", (line, FORMAT), between=", or ")
    arrays = sorted(_arrays(whole, (), wanted), key=lambda one: one.rank, reverse=True)
    if not arrays:
        return "there is no array of objects in it: write the records as an array, [{...}, ...]"
    first = arrays[0]
    if first.keyed:
        where = f"the object at '{first.path}'" if first.keys else "the object"
        members = f"{first.path}.*" if first.keys else "*"
        record = f"write {keys.of('records')}='{members}'"
        return f"{where} holds {first.size:,} records by key: " + keys.advice((record, "records"))
    if any("." in key for key in first.keys):
        return f"the records seem to be at '{first.path}': rename the key that has a dot"
    several = [one for one in arrays if not one.turns]
    if not several:
        return f"no array in it looks like samples, '{first.path}' holds turns of a chat: write the samples as an array"
    setting = keys.of("records")
    if first.usual or len(several) == 1:
        return keys.advice((f"write {setting}={first.path}", "records"))
    listed = ", ".join(f"{one.path} ({one.size:,} objects)" for one in several[:LISTED])
    return keys.advice((f"set {setting} to the array of the samples: {listed}", "records"))


def records_at(whole: Mapping[str, Any]) -> str | None:
    """The setting `records` for the likeliest records inside an object; None where nothing looks like them."""
    arrays = sorted(_arrays(whole, (), set()), key=lambda one: one.rank, reverse=True)
    if not arrays or arrays[0].turns or any("." in key for key in arrays[0].keys):
        return None
    return ".".join([*arrays[0].keys, *(["*"] if arrays[0].keyed else [])])


def _is_record(whole: Mapping[str, Any], wanted: set[str]) -> bool:
    """Whether an object looks like a record itself: no array in it has more of the columns that are mapped."""
    arrays = (part for part in whole.values() if isinstance(part, list) and part and isinstance(part[0], dict))
    inner = max((len(wanted & part[0].keys()) for part in arrays), default=0)
    return len(wanted & whole.keys()) > inner or (not wanted and len(USUAL & whole.keys()) >= LIKE_ONE)


def _arrays(value: Mapping[str, Any], keys: tuple[str, ...], wanted: set[str]) -> Iterator[FoundArray]:
    """What may be the records inside an object; what is inside an array belongs to one of its elements."""
    firsts = {key: part[0] if _of_objects(part) else part for key, part in value.items()}
    members = {key: part for key, part in firsts.items() if isinstance(part, dict) and part}
    numbered = all(key.isdecimal() for key in members)
    if len(members) > 1 and (numbered or len(members) == len(value)):
        keyed = _found(keys, list(members.values()), True, wanted)
        if keyed.usual > 1 or (keyed.usual and numbered):
            yield keyed
            return
    for key, part in value.items():
        inner = (*keys, key)
        if _of_objects(part):
            yield _found(inner, part, False, wanted)
        elif isinstance(part, dict) and len(inner) < DEEPEST:
            yield from _arrays(part, inner, wanted)


def _of_objects(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(one, dict) for one in part)


def _found(keys: tuple[str, ...], parts: Sequence[Any], keyed: bool, wanted: set[str]) -> FoundArray:
    names: set[str] = set().union(*(part.keys() for part in parts[:LOOKED_AT]))
    common = set.intersection(*(set(part) for part in parts[:LOOKED_AT]))
    turns = common >= TURN
    usual = sum(key in USUAL or key in wanted or key.lower().replace("_", "") in ALSO for key in common)
    rank = (len(names & wanted), not turns, min(2, usual), len(parts), -len(keys))
    return FoundArray(keys, len(parts), keyed, turns and not wanted & names, usual, tuple(map(int, rank)))
