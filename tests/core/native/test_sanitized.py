"""The kernel built with sanitizers, for addresses and undefined behaviour: its tests and corpus run without a word."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_builds import built, copied
from places import TESTS

FLAGS = "-UNDEBUG -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
WORDS = ("AddressSanitizer", "runtime error:")
SCRUBBED = ("PYTEST", "PYTHON", "AUDITFW", "LD_PRELOAD")
# What cannot be shown under a sanitizer, or is none of the kernel's.
LEFT_OUT = (
    "test_the_kernel_gives_back_its_memory",  # the sanitizer keeps for a while what was given back
    "test_a_kernel_that_is_not_there_is_refused_in_one_line",  # these two switch the kernel off
    "test_without_the_compiled_kernel_the_one_in_python_runs",
)
FILES = {
    "kernel": ("core/native/test_kernel.py", "audits/parsing/engine/test_kernels.py"),
    "lines": ("components/files/test_judgement_lines.py", "audits/consistency/test_scoring.py"),
    "corpus": ("core/native/test_corpus.py",),
    "facts": ("formulas/texts/test_text_facts.py",),
    "finders": ("formulas/texts/test_finders.py",),
    "draws": ("core/native/test_columns.py",),
    "plan": ("audits/parsing/engine/test_plan.py", "formulas/test_lowercase.py", "components/step/test_characters.py"),
    "matchers": ("components/matcher/test_containment.py",),
    "late_records": ("components/source/test_late_records.py",),
    "golden": ("test_golden.py",),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None or sys.platform != "linux", reason="needs gcc on Linux"),
]


def library(name: str) -> str:
    """Where gcc has one of its libraries; a bare name where it has none."""
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def made(folder: Path) -> Path:
    """Compiles what lies in `auditfw/core/native` of this folder with the sanitizers."""
    if not Path(library("libasan.so")).is_absolute():
        pytest.skip("gcc has no sanitizers here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", "gcc")
        return built(folder / "auditfw" / "core" / "native", FLAGS)


def ran(folder: Path, *words: str) -> tuple[int, str]:
    """Runs Python with the package in this folder; its exit code and what was said, by the sanitizers too."""
    logs = folder / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith(SCRUBBED)}
    env |= {
        # C++ extensions throw: the library that does is there before the sanitizer looks for it
        "LD_PRELOAD": " ".join(map(library, ("libasan.so", "libstdc++.so.6"))),
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={logs}/asan",  # CPython leaks at its end, by design
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={logs}/ubsan",
        "PYTHONMALLOC": "malloc",  # blocks of the interpreter's own allocator have no fences
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, *words],
        cwd=logs,
        env=env,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    said = [file.read_text("utf-8", "replace") for file in sorted(logs.glob("*san.*"))]
    return done.returncode, "".join((done.stdout, done.stderr, *said))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, whose kernel has the sanitizers in it."""
    folder = tmp_path_factory.mktemp("sanitized")
    copied(folder)
    made(folder)
    return folder


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with two faults in the sources: a bound that is not kept, and eight bytes read at any place."""
    folder = tmp_path_factory.mktemp("faulty")
    native = copied(folder)
    for name, sound, wrong in (
        ("json.c", "for (; end - p >= 16; p += 16)", "for (;; p += 16)"),
        ("json.h", "    memcpy(&told, at, 8);\n", "    told = *(const uint64_t *)at;\n"),
    ):
        text = (native / name).read_text("utf-8")
        assert text.count(sound) == 1
        (native / name).write_text(text.replace(sound, wrong), "utf-8")
    made(folder)
    return folder


KERNEL = "from auditfw.core.native import compiled; kernel = compiled(); "
CUT_OFF = """kernel.lines(b'{"abcdefgh', ((),), 1)"""
LINE = """b'{"a": "12345678"}' + b' ' * 32"""
SAME = f"data = {LINE}; [one] = kernel.lines(data, ((b'a',),), 1); kernel.equal(data, one, one)"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        pytest.param(CUT_OFF, "AddressSanitizer: heap-buffer-overflow", id="bound"),
        pytest.param(SAME, "runtime error: load of misaligned address", id="place"),
    ],
)
def test_the_sanitizers_tell_of_a_fault(call: str, told: str, faulty: Path, package: Path) -> None:
    """Which shows that they see what the kernel does, in the interpreter's memory, too."""
    code, said = ran(faulty, "-c", KERNEL + call)
    assert code != 0
    assert told in said
    code, said = ran(package, "-c", KERNEL + call)
    assert not any(word in said for word in WORDS)


def test_it_is_the_sanitized_kernel_that_is_imported(package: Path) -> None:
    code, said = ran(package, "-c", f"{KERNEL} print(kernel.__file__)")
    [file] = (package / "auditfw" / "core" / "native").glob("_kernel*.so")
    assert (code, said.strip()) == (0, str(file))
    assert b"__asan_report" in file.read_bytes()
    assert b"__ubsan_handle" in file.read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_the_sanitizers_find_nothing(name: str, package: Path) -> None:
    """Slow tests, too; whatever a process or one of its own says goes to the logs, and they are empty."""
    files = [TESTS / file for file in FILES[name]]
    assert all(file.is_file() for file in files)
    words = ("-n0", "-p", "no:cacheprovider", "-m", "slow or not slow", "-rs", "--hypothesis-profile=patient")
    words += ("-k", " and ".join(f"not {one}" for one in LEFT_OUT))
    code, said = ran(package, "-m", "pytest", *words, *map(str, files))
    assert code == 0, said
    assert not any(word in said for word in WORDS), said
    assert "the kernel is not built" not in said
