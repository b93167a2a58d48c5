"""Bad files of every format, by the rows 75-92 of the catalogue of bad inputs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from bad_inputs import DATA, HEADER, HUGE, INF, NAN, PLAIN, TABLE, Case, check, marked, parquet, trials
from running import Command

FORMATS = [
    Case(
        75,
        "last line cut off",
        {"d.jsonl": trials({}, {})[:-9]},
        DATA,
        3,
        ("d.jsonl:2", "cut off", "tolerate_torn_tail"),
    ),
    Case(75, "cut-off line allowed", {"d.jsonl": trials({}, {})[:-9]}, (*DATA, "source.tolerate_torn_tail=true"), 0),
    Case(
        76,
        "blank lines CRLF and a byte-order mark",
        {"d.jsonl": b"\xef\xbb\xbf" + trials({}, {}).replace("\n", "\r\n\r\n").encode()},
        DATA,
        0,
    ),
    Case(
        76,
        "CRLF and a byte-order mark in CSV",
        {"d.csv": f"\ufeff{HEADER}\r\n1,Paris,Paris,Paris,1\r\n\r\n2,Paris,Paris,Paris,1\r\n"},
        TABLE,
        0,
    ),
    Case(76, "trailing comma", {"d.jsonl": '{"id": 1,}\n'}, DATA, 3, ("d.jsonl:1:", "trailing comma")),
    Case(76, "comment", {"d.jsonl": trials({}) + "# more\n"}, DATA, 3, ("d.jsonl:2:1", "comments are not JSON")),
    Case(
        77,
        "line separator in a text",
        {"d.jsonl": trials({"raw_text": "Pa\u2028ris"}).replace("\\u2028", "\u2028")},
        DATA,
        0,
    ),
    Case(78, "key twice", {"d.jsonl": '{"id": 1, "id": 2}\n'}, DATA, 3, ("d.jsonl:1", "duplicate", "'id'")),
    Case(
        78,
        "key twice around the records",
        {"d.json": '{"rows": [' + trials({}) + '],\n"x": {"y": 1},\n"rows": []}'},
        ("source=json", "source.path=d.json", "source.records=rows", *PLAIN),
        3,
        ("d.json:4", "duplicate key in one object", "'rows'"),
    ),
    Case(
        78,
        "key twice beside an inner array",
        {"d.json": '{"a": {"n": 1, "n": 2, "rows": [' + trials({}) + "]}}"},
        ("source=json", "source.path=d.json", "source.records=a.rows", *PLAIN),
        3,
        ("d.json:1", "duplicate key in one object", "'n'"),
    ),
    Case(79, "NaN nobody reads", {"d.jsonl": trials({"x": NAN, "y": -INF}, {})}, DATA, 0, (), absent=("NaN", "null")),
    Case(79, "NaN in a field", {"d.jsonl": trials({"stored": NAN}, {})}, DATA, 0, ("stored: NaN", "null", "d.jsonl:1")),
    Case(79, "1e999 in a field", {"d.jsonl": HUGE}, DATA, 3, ("d.jsonl:2", "1e999", "null")),
    Case(79, "1e999 nobody reads", {"d.jsonl": HUGE.replace("stored", "x")}, DATA, 0),
    Case(80, "long ids", {"d.jsonl": trials({"id": 10**29}, {"id": 10**29 + 1})}, DATA, 0),
    Case(80, "long ids twice", {"d.jsonl": trials({"id": 10**29}, {"id": str(10**29)})}, DATA, 3, (f"'1{'0' * 29}'",)),
    Case(
        81,
        "half a surrogate",
        {"d.jsonl": trials({"raw_text": "Paris \ud800"})},
        DATA,
        0,
        ("d.jsonl", "U+FFFD", "line 1"),
    ),
    Case(
        82,
        "deep JSON",
        {"d.jsonl": '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}\n"},
        DATA,
        3,
        ("d.jsonl:1", "too deep"),
    ),
    Case(82, "endless number", {"d.jsonl": f'{{"id": {"9" * 5000}}}\n'}, DATA, 3, ("d.jsonl:1", "too many digits")),
    Case(
        83,
        "list in place of lines",
        {"d.jsonl": "[\n" + trials({}) + "]"},
        DATA,
        3,
        ("d.jsonl", "array", "source=json"),
    ),
    Case(
        83,
        "lines in place of a list",
        {"d.jsonl": trials({}, {})},
        ("source=json", *DATA[1:]),
        3,
        ("d.jsonl", "one JSON object per line", "source=jsonl"),
    ),
    Case(83, "gzip unnamed", {"d.jsonl": gzip.compress(b"{}")}, DATA, 3, ("d.jsonl", "gzip", "d.jsonl.gz")),
    *(
        Case(
            83,
            f"{name} cut off",
            {name: gzip.compress(text.encode())[:-14]},
            ("check", name),
            3,
            (f"{name}: the compressed file is cut off", "zcat"),
        )
        for name, text in (
            ("d.jsonl.gz", trials(*[{}] * 9)),
            ("d.json.gz", f"[{','.join(trials(*[{}] * 9).splitlines())}]"),
            ("d.csv.gz", HEADER + "\n1,a,a,a,1" * 9),
        )
    ),
    Case(84, "ids of mixed types", {"d.jsonl": trials({"id": 1}, {"id": "1"})}, DATA, 3, ("d.jsonl:2", "'1'")),
    Case(85, "ragged row", {"d.csv": f'{HEADER}\n1,"a\nb",a,a,1\n2,a,a\n'}, TABLE, 3, ("d.csv:4", "5 fields", "got 3")),
    Case(85, "wrong quotes", {"d.csv": f'{HEADER}\n1,"a"b,a,a,1\n'}, TABLE, 3, ("d.csv:2", "quoting", "source.quote")),
    Case(85, "semicolons", {"d.csv": HEADER.replace(",", ";") + "\n"}, TABLE, 3, ("d.csv", "source.delimiter=';'")),
    Case(85, "column twice", {"d.csv": f"{HEADER},id\n"}, TABLE, 3, ("d.csv:1", "duplicate", "id")),
    Case(85, "line ends in cells", {"d.csv": f'{HEADER}\n1,"Paris\nis it","Paris",Paris,1\n'}, TABLE, 0),
    Case(
        92,
        "missing column",
        {"d.parquet": parquet(id=["1"], raw=["a"], gold=["a"], nested=[{"a": 1}])},
        ("source=parquet", "source.path=d.parquet", "by=[]", "source.columns.raw_text=raw"),
        3,
        ("d.parquet", "no column 'ground_truth'", "found: id, raw, gold, nested", "source.columns.ground_truth="),
    ),
    Case(
        92,
        "missing mapped column",
        {"d.parquet": parquet(id=["1"], raw_text=["a"], gold=[{"text": "a"}])},
        ("source=parquet", "source.path=d.parquet", "by=[]", "source.columns={ground_truth: gold.txt}"),
        3,
        ("source.columns.ground_truth", "'gold.txt'", "d.parquet"),
    ),
    Case(
        92,
        "nested column",
        {"d.parquet": parquet(id=["1"], raw_text=["a"], gold=[{"text": "a"}])},
        ("source=parquet", "source.path=d.parquet", "by=[]", "source.columns={ground_truth: gold.text}"),
        0,
        ("no column 'stored'",),
    ),
    Case(
        92,
        "text as Parquet",
        {"d.jsonl": trials({})},
        ("source=parquet", *DATA[1:]),
        3,
        ("d.jsonl", "not a Parquet file"),
    ),
]


@pytest.mark.parametrize("case", marked(FORMATS))
def test_bad_input(case: Case, tmp_path: Path, command: Command) -> None:
    check(case, tmp_path, command)
