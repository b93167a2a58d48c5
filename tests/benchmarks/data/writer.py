"""Made-up trials in every format that sources read, of any size: mostly text, and much that no audit reads."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from auditfw.components.files import zstd

from .corpus import corpus
from .log_writer import write_log

SENTENCES = 4_000
SAMPLE = 52_000  # bytes of JSON of a sample of Inspect: most of it is what happened meanwhile
CHUNK = 1_000  # records written at once
EMOJI = "\N{ROCKET}\N{WHITE HEAVY CHECK MARK}"


def records(size: int) -> Iterator[dict[str, Any]]:
    """Records of about so many bytes of JSON in all: 200 to 3,000 characters of output each, a quarter not ASCII."""
    rng, known = Random(size), corpus(1)
    plain = ["".join(rng.choices(known.plain, k=8)) for _ in range(SENTENCES)]
    other = ["".join(rng.choices(known.accented, k=4)) + EMOJI * (i % 4 == 0) for i in range(SENTENCES)]
    items, left, number = known.factual, size, 0
    while left > 0:
        item, number = items[number % len(items)], number + 1
        count = 1 if number % 3 else rng.randint(2, 4)
        text = "\n".join(rng.choice(plain) for _ in range(count)) + f"\n\nAnswer: {item.truth}"
        if number % 4 == 0:
            text = rng.choice(other) + text
        prompt = f"Answer the question in a few words.\n\nQuestion: {item.question}\nAnswer:"
        record = {
            "id": f"trial-{number:07d}",
            "item": item.name,
            "dataset": item.dataset,
            "model": f"model-{number % 3}",
            "temperature": (number % 5) / 4,
            "messages": [{"role": "system", "content": "You are helpful."}, {"role": "user", "content": prompt}],
            "prompt": prompt,
            "raw_text": text,
            "ground_truth": item.truth,
            "stored": number % 3 > 0,
            "usage": {"input_tokens": len(prompt) // 4, "output_tokens": len(text) // 4, "seconds": number % 977 / 100},
            "finish_reason": "stop",
        }
        left -= len(text) + 2 * len(prompt) + 420
        yield record


def flat(size: int) -> Iterator[dict[str, Any]]:
    """The same records with plain values only, for tables."""
    for record in records(size):
        usage, messages = record.pop("usage"), record.pop("messages")
        yield {**record, "system": messages[0]["content"], **{f"usage_{name}": n for name, n in usage.items()}}


def samples(size: int) -> Iterator[dict[str, Any]]:
    """The same records as lm-evaluation-harness writes its samples."""
    for number, record in enumerate(records(size)):
        yield {
            "doc_id": number,
            "doc": {"question": record["prompt"], "answer": record["ground_truth"], "dataset": record["dataset"]},
            "target": record["ground_truth"],
            "arguments": {
                "gen_args_0": {"arg_0": record["prompt"], "arg_1": {"until": ["\n\n\n"], "do_sample": False}}
            },
            "resps": [[record["raw_text"]]],
            "filtered_resps": [record["raw_text"][-20:]],
            "filter": "none",
            "metrics": ["exact_match"],
            "doc_hash": f"{number:064x}",
            "prompt_hash": f"{number + 1:064x}",
            "target_hash": f"{number + 2:064x}",
            "exact_match": float(record["stored"]),
        }


def _lines(stream: Any, rows: Iterator[Mapping[str, Any]]) -> None:
    held: list[str] = []
    for row in rows:
        held.append(json.dumps(row))
        if len(held) == CHUNK:
            stream.write(("\n".join(held) + "\n").encode())
            held = []
    stream.write("".join(f"{line}\n" for line in held).encode())


def _jsonl(path: Path, size: int) -> None:
    with path.open("wb") as stream:
        _lines(stream, records(size))


def _gzip(path: Path, size: int) -> None:
    with gzip.open(path, "wb", compresslevel=6) as stream:
        _lines(stream, records(size))


def _zstd(path: Path, size: int) -> None:
    with zstd.library().open(path, "wb") as stream:
        _lines(stream, records(size))


def _json(path: Path, size: int) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for i, row in enumerate(records(size)):
            stream.write(("[\n" if i == 0 else ",\n") + json.dumps(row, ensure_ascii=False))
        stream.write("\n]\n")


def _csv(path: Path, size: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = flat(size)
        first = next(rows)
        writer = csv.DictWriter(stream, first.keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)


def _parquet(path: Path, size: int) -> None:
    import polars as pl

    parts = [pl.DataFrame(part) for part in _chunks(flat(size), 20_000)]
    pl.concat(parts).write_parquet(path, compression="zstd", row_group_size=50_000)


def _chunks(rows: Iterator[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    held: list[dict[str, Any]] = []
    for row in rows:
        held.append(row)
        if len(held) == size:
            yield held
            held = []
    if held:
        yield held


def _lm_eval(path: Path, size: int) -> None:
    with path.open("wb") as stream:
        _lines(stream, samples(size))


def _inspect(path: Path, size: int) -> None:
    write_log(path, max(1, size // SAMPLE), SAMPLE)


FILES: Mapping[str, tuple[str, Callable[[Path, int], None]]] = {
    "jsonl": ("trials.jsonl", _jsonl),
    "jsonl.gz": ("trials.jsonl.gz", _gzip),
    "jsonl.zst": ("trials.jsonl.zst", _zstd),
    "json": ("trials.json", _json),
    "csv": ("trials.csv", _csv),
    "parquet": ("trials.parquet", _parquet),
    "lm_eval": ("samples_made-up_2026-11-23T12-16-45.000000.jsonl", _lm_eval),
    "inspect": ("made-up.eval", _inspect),
}
