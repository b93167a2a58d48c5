"""Tables of judgements: a row a judgement, a column or a list a rater; exports of annotation tools among them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from auditfw.audits.consistency.rules import as_label
from auditfw.audits.parsing.trials import SUSPECT
from auditfw.components.files.columns.addresses import ABSENT, address, dig
from auditfw.components.files.looks.column_names import addressable, plain, values_at
from auditfw.core.escaping import value
from auditfw.formulas.agreement.scorer import kappa
from auditfw.kinds.first_look import FirstLook

from .judged_names import FURTHER, ITEMS, JUDGED, MACHINES, NO_PERSON, OTHER_WORDS, RATER_WORDS, RATERS, REFERENCES

MOST_LABELS, FEWEST, LONGEST = 20, 2, 60  # labels, raters or labels, characters of a label
DIGITS = 11  # different whole numbers that may be one scale
ENOUGH, CHANCE = 20, 0.1  # items of which raters agree beyond chance by so much
ERRORS, COMPARED = 2.5, 6  # standard errors of that (about 1/√n), columns that are compared in pairs
NO_LABELS = SUSPECT | {"", "NA", "na", "NaN", "nan", "-"}
MOST_LISTED, AT_FIRST = 12, 200  # elements of a list, rows by which a column is taken for a rater

Row = Mapping[str, Any]


@dataclass(frozen=True)
class JudgedTable:
    """Who judged what in a table: our columns with theirs, the raters, what is in the labels, the columns `taken`.

    `nulls` are the texts of a column that mean that there is none; `exploded` is where lists of judgements are, and
    `several` says that an item has one for each rater; `sure` that names and values tell who the raters are.
    """

    columns: Mapping[str, str]
    raters: Sequence[str]
    values: Sequence[Any]
    taken: Sequence[str]
    nulls: Mapping[str, Sequence[str]]
    exploded: str = ""
    several: bool = False
    sure: bool = True

    @property
    def labels(self) -> list[Any]:
        """What was judged."""
        return [one for one in self.values if is_label(one)]

    @property
    def words(self) -> list[str]:
        """The words that map the table."""
        columns = ", ".join(f"{ours}: {value(theirs)}" for ours, theirs in self.columns.items())
        listed = ((name, ",".join(map(value, ["", *texts]))) for name, texts in self.nulls.items() if texts)
        nulls = ", ".join(f"{name}: [{texts}]" for name, texts in listed)
        words = [f"source.explode={{judgement: {value(self.exploded)}}}"] if self.exploded else []
        words += [f"source.columns={{{columns}}}", *([f"source.nulls={{{nulls}}}"] if nulls else [])]
        return [*words, *(["source.duplicates=all"] if self.several else [])]

    @property
    def humans(self) -> list[str]:
        """The raters that are people, where their names tell people from machines; else none."""
        people = [name for name in self.raters if not own_words(name) & MACHINES]
        doubt = len(people) in (0, len(self.raters)) or any(own_words(name) & NO_PERSON for name in people)
        return [] if doubt else people

    def at_last(self) -> list[str]:
        """The raters, the likeliest reference last."""
        telling = [name for name in self.raters if set(plain(name).split("_")) & set(REFERENCES)]
        return [name for name in self.raters if name not in telling[:1]] + telling[:1]


def long_table(look: FirstLook) -> JudgedTable | None:
    """A table with a row for each item and rater."""
    names = {plain(name): name for name in reversed(look.columns)}
    for rater in (names[one] for one in RATERS if one in names):
        for label in _labels_of(look, names, rater):
            mapped = _mapped(look.records, look.columns, names, rater, label)
            if mapped is not None:
                return mapped
    return None


def _labels_of(look: FirstLook, names: Mapping[str, str], rater: str) -> Iterator[str]:
    """The columns that may hold the labels: of a usual name, else with few values."""
    usual = [names[one] for one in JUDGED if one in names]
    items = {names[one] for one in (*ITEMS, *FURTHER) if one in names}
    others = [name for name in look.columns if name not in (*usual, *items, rater) and plain(name) not in RATERS]
    for name in [*usual, *others]:
        lists = [row[name] for row in look.records if isinstance(row.get(name), list) and row[name]]
        single = lists and not any(len(one) > 1 for one in lists) and addressable(name)
        at = f"{name}[0]" if single else name
        if _few(values_at(look.records, look.columns, at)):
            yield at


def _mapped(
    records: Sequence[Row], columns: Sequence[str], names: Mapping[str, str], rater: str, label: str
) -> JudgedTable | None:
    """The mapping of a table of these columns, where two raters judge the same items and none judges one twice."""
    raters = [_name(one) for one in values_at(records, columns, rater)]
    labels = values_at(records, columns, label)
    if not len({one for one in raters if one}) >= FEWEST or None in raters:
        return None
    for item in [names[one] for one in ITEMS if one in names] or []:
        for id_ in _ids(item, [names[one] for one in FURTHER if one in names]):
            keys = list(zip(*(values_at(records, columns, one) for one in id_), strict=True))
            if any(isinstance(one, dict | list) for key in keys for one in key):
                continue
            pairs = Counter(zip(keys, raters, strict=True))
            judged: dict[Any, set[str]] = defaultdict(set)
            for key, one in zip(keys, raters, strict=True):
                judged[key].add(one or "")
            if max(pairs.values()) == 1 and any(len(several) > 1 for several in judged.values()):
                whole = id_[0] if len(id_) == 1 else "/".join(f"{{{one}}}" for one in id_)
                names_seen = [one for one in dict.fromkeys(raters) if one]
                mapping, nulls = {"id": whole, "rater": rater, "label": label}, {"label": _nulls(labels)}
                return JudgedTable(mapping, names_seen, labels, [*id_, rater, label], nulls, several=True)
    return None


def _ids(item: str, further: Sequence[str]) -> Iterator[list[str]]:
    """The columns that may make the id of what is judged, the fewest first."""
    for n in range(len(further) + 1):
        yield [item, *further[:n]]


def listed_judgements(look: FirstLook) -> JudgedTable | None:
    """Records with a list of judgements each, as annotation tools export them."""
    for at, parts in _lists(look.columns, look.records):
        keys = {plain(key): key for part in parts for key in part if addressable(key)}
        for rater in [keys[one] for one in RATERS if one in keys]:
            inner = _inner(rater, next((part[rater] for part in parts if part.get(rater) is not None), None))
            for label in _inner_labels(parts, keys):
                lists = zip(look.records, values_at(look.records, look.columns, at), strict=True)
                rows = [{**row, at: part} for row, each in lists if isinstance(each, list) for part in each]
                flat = [{**row, "rater": _dug(row[at], inner), "label": _dug(row[at], label)} for row in rows]
                if not _few([row["label"] for row in flat]):
                    continue
                names = {plain(name): name for name in reversed(look.columns)}
                mapped = _mapped(flat, [*look.columns, "rater", "label"], names, "rater", "label")
                if mapped is not None:
                    columns = {**mapped.columns, "rater": at + inner, "label": at + label}
                    return replace(mapped, columns=columns, exploded=at)
    return None


def _lists(columns: Sequence[str], records: Sequence[Row]) -> Iterator[tuple[str, list[Any]]]:
    """The addresses of lists of objects in records, and what is in them."""
    for name in columns:
        if not addressable(name):
            continue
        inside = [row.get(name) for row in records]
        if not any(isinstance(one, dict | list) for one in inside):
            continue
        keys = {key for one in inside if isinstance(one, dict) for key in one if addressable(key)}
        for at in [name, *(f"{name}.{key}" for key in sorted(keys))]:
            lists = [one for one in values_at(records, columns, at) if isinstance(one, list)]
            parts = [part for one in lists for part in one if isinstance(part, dict)]
            if len(parts) > len(records) / 2 and all(isinstance(part, dict) for one in lists for part in one):
                yield at, parts


def _inner(key: str, first: Any) -> str:
    """The address of a rater inside a judgement: a name, or what an object says of the person."""
    if isinstance(first, dict):
        return f".{key}.{next((one for one in ('email', 'username', 'name', 'id') if one in first), 'id')}"
    return f".{key}"


def _inner_labels(parts: Sequence[Row], keys: Mapping[str, str]) -> Iterator[str]:
    """The addresses of labels inside a judgement; Label Studio has a list of results, each with a value."""
    results = [part["result"] for part in parts if isinstance(part.get("result"), list) and part["result"]]
    held = next((one[0]["value"] for one in results if isinstance(one[0], dict) and "value" in one[0]), None)
    if isinstance(held, dict):
        known = {key: part for key, part in held.items() if addressable(key)}
        yield from (f".result[0].value.{key}{'[0]' if isinstance(part, list) else ''}" for key, part in known.items())
    answers: Row = next((part["values"] for part in parts if isinstance(part.get("values"), dict)), {})
    named = [key for key, one in answers.items() if addressable(key) and isinstance(one, dict) and "value" in one]
    yield from (f".values.{key}.value" for key in named)
    for name in [keys[one] for one in JUDGED if one in keys]:
        first = next((part[name] for part in parts if part.get(name) is not None), None)
        yield f".{name}[0]" if isinstance(first, list) else f".{name}"


def wide_table(look: FirstLook) -> JudgedTable | None:
    """A table with a column for each of two or more raters: they share a small set of values."""
    single = [name for name in look.columns if not set(name) & set('[]{}#"')]
    at = [*single, *_members(look)]
    sets: dict[str, set[str]] = {}
    for name in at:
        values = values_at(look.records[:AT_FIRST], look.columns, name)
        if plain(name) not in ITEMS and _few(values) and not own_words(name) & OTHER_WORDS:
            sets[name] = {_folded(one) for one in values if is_label(one)}
    group = _largest(sets)
    if len(group) < FEWEST or counted(look, group) or not _plausible(look, group):
        return None
    others = {name: values for name, values in sets.items() if name not in group}
    named = any(own_words(name) & RATER_WORDS for name in group)
    table = table_of(look, group)
    sure = "#" not in table.columns.values() and named and _agree(look, group) and len(_largest(others)) < FEWEST
    return replace(table, sure=sure)


def table_of(look: FirstLook, group: Sequence[str]) -> JudgedTable:
    """The table whose raters are these columns."""
    left = [name for name in look.columns if name not in group]
    id_ = next((one for one in left if _unique(look, one)), None)
    named = {_rater_name(one): one for one in group}
    if len(named) < len(group):
        named = {one: one for one in group}
    columns = {"id": "#" if id_ is None else id_, **{ours: theirs for ours, theirs in named.items() if ours != theirs}}
    held = {name: values_at(look.records, look.columns, theirs) for name, theirs in named.items()}
    labels = [one for values in held.values() for one in values]
    nulls = {name: _nulls(values) for name, values in held.items()}
    return JudgedTable(columns, list(named), labels, [*group, *([id_] if id_ else [])], nulls)


def _members(look: FirstLook) -> Iterator[str]:
    """The addresses of what stands in objects of one level, and of the first elements of lists."""
    for name in look.columns:
        first = next((row[name] for row in look.records if row.get(name)), None)
        if name.endswith(".responses") and isinstance(first, list) and 1 < len(first) <= MOST_LISTED:
            yield from (f'["{name}"][{i}]' for i in range(len(first)))  # as Argilla exports to tables
        if not addressable(name):
            continue
        if isinstance(first, dict):
            yield from (f"{name}.{key}" for key in first if addressable(key))
        elif isinstance(first, list) and 1 < len(first) <= MOST_LISTED:
            yield from (f"{name}[{i}]" for i in range(len(first)))


def own_words(name: str) -> set[str]:
    """The words of a column's name."""
    return set(re.sub(r"\d+", "_", plain(name)).split("_")) - {""}


def _rater_name(at: str) -> str:
    """The name of a rater whose labels are at an address."""
    return re.sub(r"\W+", "_", at.rpartition(".")[2]).strip("_") if "." in at or "[" in at else at


def _largest(sets: Mapping[str, set[str]]) -> list[str]:
    """The largest group of columns whose values are of one small set."""
    best: list[str] = []
    for name, values in sets.items():
        alike = [other for other, own in sets.items() if _alike(values, own)]
        union = set().union(*(sets[other] for other in alike))
        if name in alike and len(alike) > len(best) and FEWEST <= len(union) <= MOST_LABELS:
            best = alike
    return best


def _alike(one: set[str], other: set[str]) -> bool:
    """Whether two sets of values are of one set of labels: whole numbers of one scale, or mostly the same texts."""
    numbers = all(re.fullmatch(r"-?\d+", text) for text in one | other)
    if numbers:
        return len(one | other) <= DIGITS and bool(one & other)
    return len(one & other) * 2 >= min(len(one), len(other))


def counted(look: FirstLook, group: Sequence[str]) -> bool:
    """Whether columns hold how often each label was given: they have one sum in every row."""
    rows = [[values_at([row], look.columns, name)[0] for name in group] for row in look.records]
    try:
        sums = {math.fsum(float(cell) for cell in row) for row in rows}
    except (TypeError, ValueError):
        return False
    return len(rows) > FEWEST and len(sums) == 1 and len(group) > FEWEST


def _plausible(look: FirstLook, group: Sequence[str]) -> bool:
    """Whether columns can be raters: they are in one object, their names say so, or two of them agree beyond chance.

    Of few rows that is not known.
    """
    inside = len({name.rpartition(".")[0] for name in group}) == 1 and "." in group[0]
    named = sum(bool(own_words(name) & RATER_WORDS) for name in group) >= FEWEST
    return inside or named or len(look.records) < ENOUGH or _agree(look, group)


def _agree(look: FirstLook, group: Sequence[str]) -> bool:
    """Whether two columns agree beyond chance, in enough rows."""
    if len(look.records) < ENOUGH:
        return False
    columns = {name: [_folded(one) for one in values_at(look.records, look.columns, name)] for name in group}
    least = max(CHANCE, ERRORS / math.sqrt(len(look.records)))
    return any(
        _beyond_chance(columns[one], columns[other]) >= least for one, other in combinations(group[:COMPARED], 2)
    )


def _beyond_chance(one: Sequence[str], other: Sequence[str]) -> float:
    """Cohen's kappa of two columns, 0 where it is undefined."""
    pairs = Counter((a, b) for a, b in zip(one, other, strict=True) if is_label(a) and is_label(b))
    labels = sorted({label for pair in pairs for label in pair})
    return kappa([[pairs[a, b] for b in labels] for a in labels], "zero") or 0.0


def _dug(part: Any, at: str) -> Any:
    part = dig(part, address(at.removeprefix("."), (), at))
    return None if part is ABSENT else part


def _name(one: Any) -> str | None:
    return None if isinstance(one, dict | list) or one is None else str(one)


def _folded(one: Any) -> str:
    """A label as it is compared with those of others: without case, and in one form of Unicode."""
    return unicodedata.normalize("NFKC", as_label(one).strip()).casefold()


def is_label(one: Any) -> bool:
    """Whether a cell holds something, and no word for nothing."""
    return one is not None and str(one).strip() not in NO_LABELS


def _few(values: Sequence[Any]) -> bool:
    """Whether values are labels: two to twenty short texts or whole numbers, or true and false."""
    there = [one for one in values if one is not None]
    if not all(isinstance(one, str | int | float) for one in there):
        return False
    words = {as_label(one).strip() for one in there if is_label(one)}
    short = all(len(word) <= LONGEST for word in words)
    return FEWEST <= len(words) <= MOST_LABELS and short and len(words) < max(3, len(there))


def _unique(look: FirstLook, name: str) -> bool:
    values = [row.get(name) for row in look.records]
    plain_ones = all(isinstance(one, str | int) and not isinstance(one, bool) for one in values)
    return plain_ones and len(set(map(str, values))) == len(values)


def _nulls(values: Sequence[Any]) -> list[str]:
    """The texts among labels that are likely to mean that there is none."""
    return sorted({one for one in values if isinstance(one, str)} & NO_LABELS - {""})
