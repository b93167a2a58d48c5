"""Which columns of a table are likely to be which of ours, as far as common names and their values tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .column_names import (
    COMMON,
    ENDINGS,
    FALSE,
    LABELS,
    LAST_TRUTHS,
    MADE_BY_MODEL,
    NESTED,
    NO_TRUTH,
    TRUE,
    addressable,
    chat_text,
    plain,
    values_at,
)

OURS = ("id", "item", "raw_text", "parsed_text", "ground_truth", "stored")
NEEDED = ("raw_text", "ground_truth")

BOTH = 2  # values: yes and no
TELLING, FEW = 0.4, 5  # the correlation of labels of one thing, and rows that tell next to nothing
VERDICTS = ("result", "outcome", "label")  # columns that say whether an answer is right where they say so in words
CLASSES = {"yes", "no", "y", "n", "c", "i"}  # words of theirs that may say something else
MOST_LABELS = 20  # different texts

Row = Mapping[str, Any]


def guessed(columns: Sequence[str], records: Sequence[Row], repeated: bool = False) -> dict[str, str]:
    """Our columns with the addresses of theirs, as far as common names tell; each of theirs is taken once.

    `repeated` says that ids may come again behind these records.
    """
    table = _Table(columns, records, repeated)
    taken: dict[str, str] = {}
    for ours in COMMON:
        theirs = next((one for one in table.likely(ours, taken) if one not in taken.values()), None)
        if theirs is not None and not (ours == "id" and repeated):
            taken[ours] = theirs
    if "raw_text" not in taken:
        taken |= table.last_resort(taken)
        taken = {ours: at for ours, at in taken.items() if ours != "parsed_text" or at != taken.get("raw_text")}
    return taken


def rivals(columns: Sequence[str], records: Sequence[Row], taken: Mapping[str, str]) -> dict[str, list[str]]:
    """Of the columns that an answer hangs on, those that another column could be as well: all that could, ours first.

    `taken` are our columns as they were guessed. A column that says yes or no may be the label where none has a name of
    one, or where it agrees with the label; a truth under a name that is often none may be the model's own answer where
    nothing tells whether it is right: every text holds it, or it says yes or no itself.
    """
    table, several = _Table(columns, records, False), dict[str, list[str]]()
    for ours in ("raw_text", "parsed_text", "ground_truth", "stored"):
        likely = [at for at in dict.fromkeys(table.likely(ours, taken)) if taken.get(ours) != at]
        others = [at for at in likely if at not in taken.values()]
        if ours == "stored":
            more = [at for at in left_over(columns, records, taken) if at not in others]
            others += [at for at in more if table.labels_too(at, taken)]
        mine = [taken[ours]] if ours in taken else []
        if (mine and others) or (others and ours == "stored") or (mine and table.doubtful(ours, taken)):
            several[ours] = [*mine, *others]
    return several


class _Table:
    """The columns of a table by their plain names, and what is in them."""

    def __init__(self, columns: Sequence[str], records: Sequence[Row], repeated: bool) -> None:
        self._columns, self._records, self._repeated = columns, records, repeated
        self._values: dict[str, list[Any]] = {}
        self._names: dict[str, str] = {}
        objects = [name for name in columns if _all(self.values(name), dict)]
        plain_objects = [name for name in objects if addressable(name)]
        for name in columns:
            if name not in objects:
                self._names.setdefault(plain(name), name)
        for name in [one for one in columns if one not in objects]:  # `answer_text` only where no name says more
            self._names.setdefault(plain(name).removesuffix("_text"), name)
        for name in plain_objects:
            for inner, at in _leaves(name, self.values(name)):
                self._names.setdefault(inner, at)
        self._chat = chat_text(columns, records)

    def values(self, at: str) -> list[Any]:
        """What is at an address, or in a column of this name."""
        if at not in self._values:
            self._values[at] = values_at(self._records, self._columns, at)
        return self._values[at]

    def likely(self, ours: str, taken: Mapping[str, str]) -> Iterator[str]:
        """The columns that may be one of ours, the likeliest first."""
        for name in COMMON[ours]:
            at = self._names.get(name)
            if at is not None and self._fits(ours, at, taken):
                yield f"{at}[0]" if ours == "raw_text" and self._single(at) else at
        if ours == "stored":
            yield from (
                at for name, at in self._names.items() if name.endswith("_correct") and self._fits(ours, at, {})
            )
        if ours != "raw_text":
            return
        if self._chat is not None:
            yield self._chat
        yield from (at for at in self._columns if at.startswith("[") and "] " in at)  # promptfoo: [PROVIDER] PROMPT
        for ending in ENDINGS:
            yield from (
                at for name, at in self._names.items() if name.endswith(ending) and self._fits("raw_text", at, taken)
            )

    def last_resort(self, taken: Mapping[str, str]) -> dict[str, str]:
        """What holds the model's text where no name says so: a parsed answer, else what a truth stands beside."""
        if "parsed_text" in taken:
            return {"raw_text": taken["parsed_text"]}
        truth = plain(taken.get("ground_truth", "").rpartition(".")[2])
        likely = [at for name in MADE_BY_MODEL if (at := self._names.get(name)) is not None]
        likely = [at for at in likely if at not in taken.values() and self._fits("raw_text", at, taken)]
        return {"raw_text": likely[0]} if likely and truth and truth not in LAST_TRUTHS else {}

    def labels_too(self, at: str, taken: Mapping[str, str]) -> bool:
        """Whether a column of yes and no could be the label: none is known, or it mostly says what the label says."""
        if "stored" not in taken:
            return True
        pairs = zip(self.values(taken["stored"]), self.values(at), strict=True)
        known = [(_is_yes(label), _is_yes(value)) for label, value in pairs if None not in (label, value)]
        return bool(known) and abs(_phi(known)) >= TELLING

    def doubtful(self, ours: str, taken: Mapping[str, str]) -> bool:
        """Whether the only column that could be ours by its name may be something else by its values."""
        if ours == "stored":
            return {*NEEDED} <= {*taken} and self._opposite(self.values(taken[ours]), taken, FEW)
        if ours == "raw_text" and taken[ours] not in self.likely(ours, taken):  # a last resort
            return True
        name = plain(taken.get("ground_truth", "").rpartition(".")[2]).removesuffix("_text")
        if name not in LAST_TRUTHS or "stored" in taken or ours == "parsed_text":
            return False
        truths, texts = self.values(taken["ground_truth"]), self.values(taken.get("raw_text", taken["ground_truth"]))
        if ours == "raw_text":  # what a classifier or a rater says
            return len(set(map(str, texts))) <= MOST_LABELS
        held = [str(truth) in str(text) for truth, text in zip(truths, texts, strict=True) if truth is not None]
        return yes_or_no([truth for truth in truths if truth is not None]) or (len(held) > 1 and all(held))

    def _fits(self, ours: str, at: str, taken: Mapping[str, str]) -> bool:
        """Whether values can be those of a column: labels are yes or no, ids differ, an item has one truth."""
        values = self.values(at)
        there = [value for value in values if value is not None]
        if ours == "stored" and plain(at) in VERDICTS and not set(map(_word, there)) <= (TRUE | FALSE) - CLASSES:
            return False
        if ours == "stored":
            return yes_or_no(there) and not (plain(at).startswith("error") and self._opposite(values, taken))
        if ours == "id":
            return _all(there, str | int | float) and len(set(map(str, there))) == len(there)
        if ours == "item":
            groups = self._repeated or plain(at) not in COMMON["id"] or len(set(map(str, there))) < len(there)
            return groups and _all(there, str | int) and set(there) != {""} and self._one_truth(values, taken)
        if ours == "raw_text" and plain(at) == "logit_0":  # a number where there are several
            return "logit_1" not in self._names
        return not _all(there, dict) and not (ours == "raw_text" and any(map(_objects, there)))

    def _single(self, at: str) -> bool:
        """Whether a column holds lists of one text."""
        there = [value for value in self.values(at) if value is not None]
        return bool(there) and addressable(at) and all(isinstance(value, list) and len(value) == 1 for value in there)

    def _one_truth(self, values: Sequence[Any], taken: Mapping[str, str]) -> bool:
        """Whether no two rows of one value have different truths."""
        truths: dict[str, str] = {}
        if "ground_truth" not in taken:
            return True
        pairs = zip(values, self.values(taken["ground_truth"]), strict=True)
        return all(truths.setdefault(str(one), str(truth)) == str(truth) for one, truth in pairs)

    def _opposite(self, values: Sequence[Any], taken: Mapping[str, str], least: int = 0) -> bool:
        """Whether a label seems to say what is wrong: it is more often yes where the text does not hold the truth.

        Of fewer than the `least` texts that hold it, or that do not, that is not known.
        """
        if not {"raw_text", "ground_truth"} <= set(taken):
            return True
        texts, truths = self.values(taken["raw_text"]), self.values(taken["ground_truth"])
        sides: dict[bool, list[bool]] = {True: [], False: []}
        for value, text, truth in zip(values, texts, truths, strict=True):
            sides[str(truth).strip() in str(text)].append(_is_yes(value))
        if any(len(labels) < least for labels in sides.values()):
            return False
        shares = {side: sum(labels) / len(labels) if labels else 0.5 for side, labels in sides.items()}
        return shares[True] < shares[False]


def left_over(columns: Sequence[str], records: Sequence[Row], taken: Mapping[str, str]) -> list[str]:
    """The columns of yes and no, both of which occur, that are none of ours."""
    others = [name for name in columns if name not in taken.values()]
    there = {name: [row[name] for row in records if row.get(name) is not None] for name in others}
    return [name for name, values in there.items() if len(set(map(_word, values))) == BOTH and yes_or_no(values)]


def yes_or_no(values: Sequence[Any]) -> bool:
    """Whether values are labels: each says right or wrong."""
    words = set(map(_word, values))
    return words <= LABELS or words <= TRUE | FALSE | {""}


def label_words(values: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The texts among labels that mean right and wrong, where they are other than 1, 0, true and false."""
    texts = sorted({value.strip() for value in values if isinstance(value, str)})
    return [text for text in texts if text.lower() in TRUE], [text for text in texts if text.lower() in FALSE]


def _is_yes(value: Any) -> bool:
    return _word(value) in TRUE | {"1", "1.0", "true"}


def _phi(pairs: Sequence[tuple[bool, bool]]) -> float:
    """The correlation of two columns of yes and no, 0 where one of them is the same throughout."""
    n, one, other = len(pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs)
    spread = one * (n - one) * other * (n - other)
    return (n * sum(a and b for a, b in pairs) - one * other) / math.sqrt(spread) if spread else 0.0


def _word(value: Any) -> str:
    return str(value).strip().lower()


def _all(values: Sequence[Any], kind: Any) -> bool:
    there = [value for value in values if value is not None]
    return bool(there) and all(isinstance(value, kind) for value in there)


def _objects(value: Any) -> bool:
    """Whether a value is a list of objects that are no parts of a text."""
    return isinstance(value, list) and any(isinstance(one, dict) and "type" not in one for one in value)


def _leaves(name: str, objects: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The plain names and the addresses of what objects hold: of what their own name says, and of their keys."""
    first: Row = next((one for one in objects if one), {})
    own = plain(name)
    inside = [key for key in first if key in NESTED] or [key for key in first if len(first) == 1 and addressable(key)]
    if any(own in names for names in COMMON.values()) and inside and not isinstance(first[inside[0]], dict | list):
        yield own, f"{name}.{inside[0]}"
    for key, part in first.items():
        if addressable(key) and not isinstance(part, dict | list) and own not in NO_TRUTH:
            yield plain(key), f"{name}.{key}"
