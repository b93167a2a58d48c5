"""Spoilt data by number: every reader's files, changed as a seed decides; `--seeds A-B [--reader NAME]` runs many."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from fuzzing import CODES, RAW
from reading import READERS, Case, case_of

from auditfw import run
from auditfw.commands.error_output import message_and_code
from auditfw.core.errors import Findings
from auditfw.core.native import VARIABLE, compiled
from auditfw.kinds.registry import component, names

DEADLINE = 20
LIBRARY = (*RAW, "polars", "pyarrow", "ComputeError", "panicked", " object at 0x", "<class", "NoneType", "Errno")
SETTING = re.compile(r"(?:audit|by|config|engine|gates|metrics|policy|scenarios|simulator|solver|source|stop)\b")
KERNELS = ("native", "python") if compiled() is not None else ("python", "python")


class LateError(BaseException):
    """A case took longer than its deadline."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its code, what it said, how it counted, its measurements."""

    code: int
    said: tuple[str, ...]
    counts: Mapping[str, int]
    numbers: str
    odd: tuple[str, ...] = ()


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """Raises LateError within after so many seconds, where there are alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(_number: int, _frame: FrameType | None) -> None:
        raise LateError

    old = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


def lay(case: Case) -> None:
    """Writes the files of a case into the current folder."""
    for name, data in case.files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def outcome(settings: Mapping[str, Any], kernel: str, folder: Path | None = None) -> Outcome:
    """Runs an audit with one of the kernels, in this process."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = kernel
    try:
        with deadline(DEADLINE):
            result = run({"engine": {"workers": 1}, **settings}, folder)
    except LateError:
        return Outcome(-1, ("it takes too long",), {}, "")
    except BaseException as error:
        if not isinstance(error, Exception):
            return Outcome(70, (f"{type(error).__name__}: {error}",), {}, "")
        told, code = message_and_code(error)
        return Outcome(code, tuple(map(str, told.errors if isinstance(told, Findings) else (told,))), {}, "")
    finally:
        os.environ.pop(VARIABLE)
        os.environ.update({} if before is None else {VARIABLE: before})
    told = (result.measurements, result.gates, result.cells, result.answer)
    return Outcome(result.exit_code, tuple(result.warnings), result.counts, repr(told), tuple(unfinite(told)))


def unfinite(node: Any, at: str = "result") -> Iterator[str]:
    """Where NaN or an infinity stands in a result."""
    if isinstance(node, float) and not math.isfinite(node):
        yield f"{at} is {node}"
    elif is_dataclass(node):
        for one in fields(node):
            yield from unfinite(getattr(node, one.name), f"{at}.{one.name}")
    elif isinstance(node, Mapping):
        for name, one in node.items():
            yield from unfinite(one, f"{at}.{name}")
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for number, one in enumerate(node):
            yield from unfinite(one, f"{at}[{number}]")


def ended(case: Case) -> Outcome:
    """How a case ends, with its files in the current folder and those of the run in R."""
    lay(case)
    shutil.rmtree("R", ignore_errors=True)
    return outcome(case.settings, KERNELS[0], Path("R"))


def found(case: Case, first: Outcome) -> Iterator[str]:
    """What is wrong with how a case has ended; nothing where it has as documented."""
    if first.code not in CODES:
        yield f"ends with {first.code}"
    words = [word for word in LIBRARY for line in first.said if word in _unquoted(line)]
    if words:
        yield f"says {words}"
    if not first.counts and (not first.said or any("\n" in line for line in first.said)):
        yield "says not one line"
    yield from (f"names {word}" for line in first.said for word in strange(line, case.settings))
    if first.code == 3 and not all(_places(line, case) for line in first.said):
        yield "names neither file nor setting"
    if first.counts and first.counts["read"] != sum(first.counts.values()) - first.counts["read"]:
        yield f"counts do not add up: {first.counts}"
    if first.odd:
        yield first.odd[0]
    second = outcome(case.settings, KERNELS[1])
    if (first.code, first.said, first.counts, first.numbers) != (
        second.code,
        second.said,
        second.counts,
        second.numbers,
    ):
        yield f"{KERNELS[1]} differs: {second.code} {second.said}"[:900]
    if Path("R/result.json").is_file():
        json.loads(Path("R/result.json").read_text("utf-8"), parse_constant=_refuse)


def strange(line: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """The settings and components that a message names though there are none of that name."""
    plain = "" if line.startswith("audit.") else re.sub(r"'[^']*'", "", line)  # an audit speaks of any source
    for kind, name in re.findall(r"(?<![\w.])(source|scenarios|simulator|solver)\.([a-z_]+)\b", plain):
        use = settings.get(kind, {}).get("use")
        if use is not None and name not in component(kind, use).cls.__dataclass_fields__:
            yield f"{kind}.{name}, which {use} does not have"
    for kind, name in re.findall(r"\b(source|scenarios|simulator|solver)=([a-z_]+)\b", plain):
        if name not in names(kind):
            yield f"{kind}={name}, which there is not"


def _unquoted(line: str) -> str:
    """A message without what it quotes of the data."""
    return re.sub(r"\([^()]*\)|'[^']*'", "", line)


def _places(line: str, case: Case) -> bool:
    more = re.fullmatch(r"and [\d,]+ more( faults)?", line) is not None
    return more or any(name.partition("/")[0] in line for name in case.files) or SETTING.match(line) is not None


def _refuse(word: str) -> None:
    raise ValueError(word)


def examined(reader: str, seed: int) -> tuple[Outcome, str]:
    """How a case ends, and what is wrong with that: nothing, or all that is needed to run it again."""
    case = case_of(reader, seed)
    end = ended(case)
    wrong = "; ".join(found(case, end))
    return end, f"{reader} {seed}: {wrong} - {end.code} {end.said!a} of {case.settings!a}" if wrong else ""


def main(argv: Sequence[str]) -> int:
    """Runs the cases of a range of seeds; says what is wrong, and how the others ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-99", help="the first and the last number")
    parser.add_argument("--reader", choices=list(READERS), action="append", help="only this one; may stand again")
    parser.add_argument("--keep", action="store_true", help="leave the files of the last case in ./case")
    asked = parser.parse_args(argv)
    first, _, last = asked.seeds.partition("-")
    wrong, begun = 0, time.monotonic()
    folder = Path("case").resolve() if asked.keep else Path(tempfile.mkdtemp(prefix="fuzz-"))
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    for reader in asked.reader or READERS:
        ends: Counter[int] = Counter()
        before = wrong
        for seed in range(int(first), int(last or first) + 1):
            Path("now").write_text(f"{reader} {seed}", "utf-8")  # for what ends the process itself
            end, said = examined(reader, seed)
            ends[end.code] += 1
            wrong += bool(said)
            print(said, end="\n" if said else "", flush=True)
        codes = ", ".join(f"{n} with {code}" for code, n in sorted(ends.items()))
        print(f"{reader}: {wrong - before} wrong, {codes}; {time.monotonic() - begun:.0f} s so far", flush=True)
    if not asked.keep:
        shutil.rmtree(folder)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
