"""Programs in processes of their own: what they give and what limits stop; each as the real processes do it."""

from __future__ import annotations

import contextlib
import glob
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from walls import needs_landlock

from auditfw.components.executor.tiers import Sandlock, Subprocess
from auditfw.core.errors import IncompleteError, UsageError
from auditfw.kinds.solving import Executor

KERNEL = pytest.param(Sandlock(seconds=1.0), id="kernel", marks=needs_landlock)
BOTH = pytest.mark.parametrize("executor", [KERNEL, pytest.param(Subprocess(seconds=1.0), id="process")])


def ran(executor: Executor, program: str, *inputs: Any) -> list[tuple[Any, str]]:
    return [(one.output, one.error) for one in executor(program, inputs or (1,))]


@BOTH
def test_outputs_and_errors_come_back_input_by_input(executor: Executor) -> None:
    program = "def transform(n):\n    return [[10 // n]]"
    assert ran(executor, program, 1, 0, 5) == [
        ([[10]], ""),
        (None, "ZeroDivisionError: integer division or modulo by zero (line 2)"),
        ([[2]], ""),
    ]


@BOTH
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("def f(:", "SyntaxError: invalid syntax (line 1)"),
        ("x = 1", "NameError: the program defines no function 'transform'"),
        ("raise SystemExit(0)", "SystemExit: 0 (line 1)"),
        ("import os\nos._exit(0)", "the process ended without an answer, exit code 0"),
        ("print('{\"input\": 0}')\nimport os\nos._exit(3)", "the process ended without an answer, exit code 3"),
        ("def transform(n):\n    return {1, 2}", "TypeError: Object of type set is not JSON serializable"),
        ("def transform(n):\n    raise KeyboardInterrupt", "KeyboardInterrupt:  (line 2)"),
    ],
)  # fmt: skip
def test_a_program_without_an_output_says_why(executor: Executor, program: str, said: str) -> None:
    assert ran(executor, program) == [(None, said)]


@BOTH
def test_an_endless_input_ends_at_its_deadline_and_the_others_are_run(executor: Any) -> None:
    deaf = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    program = f"{deaf}def transform(n):\n    while n == 1: pass\n    return n"
    begun = time.monotonic()
    short = type(executor)(seconds=0.4)
    assert ran(short, program, 0, 1, 2) == [(0, ""), (None, "out of time: no output after 0.4 s"), (2, "")]
    assert time.monotonic() - begun < 20


@BOTH
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("def transform(n):\n    print('x' * 10**7)", "returned or printed more than 8,388,608 bytes"),
        ("def transform(n):\n    return 'x' * 10**7", "returned or printed more than 8,388,608 bytes"),
        (
            "def transform(n):\n    return [[0] * 3000 for _ in range(3000)]",
            "returned or printed more than 8,388,608 bytes",
        ),
        ("def transform(n):\n    return 'x' * 4 * 10**8", "returned or printed more than 8,388,608 bytes"),
        ("def transform(n):\n    return dict.fromkeys(range(2 * 10**6))", "returned or printed more than 8,388,608"),
        (
            "import numpy\ndef transform(n):\n    return numpy.zeros((5000, 5000))",
            "returned or printed more than 8,388,608 bytes",
        ),
        ("def transform(n):\n    return len(bytearray(3 * 10**9))", "memory"),
    ],
)
def test_caps(executor: Any, program: str, said: str) -> None:
    [(output, error)] = ran(type(executor)(seconds=5.0), program)
    assert output is None
    assert said in error or "MemoryError" in error


@BOTH
def test_an_output_over_the_bound_ends_before_it_is_written_and_the_next_input_is_run(executor: Any) -> None:
    """The bound is met while the output is looked at, in the same process; one just below it comes whole."""
    program = "import os\nseen = [0]\ndef transform(n):\n    seen[0] += 1\n    return [[1] * n] * n if n else seen"
    short = type(executor)(seconds=20.0, output_mb=1)
    found = ran(short, program, 2000, 500, 0)
    assert found[0] == (None, "returned or printed more than 1,048,576 bytes")
    assert found[1] == ([[1] * 500] * 500, "")
    assert found[2] == ([3], "")


@BOTH
def test_files_are_capped_and_gone_afterwards(executor: Executor) -> None:
    write = "def transform(n):\n    for i in range(n): open(f'{i}', 'wb').write(b'x' * 10**6)\n    while True: pass"
    assert ran(executor, write, 40) == [(None, "wrote more than 16,777,216 bytes into files")]
    [(place, _)] = ran(
        executor, "import os\ndef transform(n):\n    open('kept', 'w').write('x')\n    return os.getcwd()"
    )
    assert not Path(place).exists()


@BOTH
def test_the_environment_is_empty(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    [(found, _)] = ran(executor, "import os\ndef transform(n):\n    return dict(os.environ)")
    assert set(found) <= {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PYTHONHASHSEED", "LC_CTYPE"}


@BOTH
def test_hashes_and_so_the_order_of_sets_are_the_same_every_time(executor: Executor) -> None:
    program = "def transform(n):\n    return list({'a', 'b', 'c', 'd', 'e'})"
    assert ran(executor, program) == ran(executor, program)


@BOTH
def test_arrays_for_programs_that_want_them(executor: Any) -> None:
    settings = type(executor)(arrays=True, function="solve")
    program = "import numpy as np\ndef solve(grid):\n    return np.rot90(grid) + grid.dtype.type(0)"
    assert ran(settings, program, [[1, 2]]) == [([[2], [1]], "")]


ATTEMPTS = (
    "open(os.path.expanduser('~/.profile')).read()",
    "os.listdir('/root') or os.listdir('/home')",
    "open('/etc/passwd').read()",
    "open('/proc/self/environ').read()",
    "open(f'/proc/{os.getppid()}/environ').read()",
    "open('../escaped', 'w')",
    "open('/tmp/escaped', 'w')",
    "os.symlink('/etc/passwd', 'link') or open('link').read()",
    "socket.create_connection(('127.0.0.1', n), 1)",
    "socket.create_connection(('::1', n), 1)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', n))",
    "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "socket.socket().bind(('127.0.0.1', 0))",
    "os.fork()",
    "subprocess.run(['/bin/true'], check=True)",
    "os.kill(os.getppid(), 0)",
    "os.kill(1, 0)",
    "os.setsid()",
    "os.chroot('.')",
    "os.open('/dev/mem', os.O_RDONLY)",
)
DENIED = ("PermissionError", "BlockingIOError", "FileNotFoundError", "OSError", "NotADirectoryError")


@needs_landlock
def test_the_kernel_tier_denies() -> None:
    """The list of tries: files, network, processes, the caller. Each must be an error inside."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        tries = [attempt.replace(", n)", f", {listening.getsockname()[1]})") for attempt in ATTEMPTS]
        program = "import os, socket, subprocess\ndef transform(attempt):\n    eval(attempt)\n    return 'out'"
        results = ran(Sandlock(seconds=2.0), program, *tries)
    for attempt, (output, error) in zip(tries, results, strict=True):
        assert output is None, f"{attempt} went through"
        assert error.split(":")[0] in DENIED, attempt


@needs_landlock
def test_a_fork_bomb_does_not_get_off_the_ground() -> None:
    program = "import os\ndef transform(n):\n    while True:\n        os.fork()"
    assert ran(Sandlock(seconds=2.0), program)[0][1].startswith("BlockingIOError")


@BOTH
@pytest.mark.parametrize(
    ("program", "came"),
    [
        ("import os\nos.closerange(3, 64)\ndef transform(n):\n    while True: pass", "the process closed its output"),
        ("import os, signal\ndef transform(n):\n    signal.alarm(1)\n    while True: pass", "was ended by SIGALRM"),
        ("import ctypes\ndef transform(n):\n    ctypes.string_at(1)", "the process was ended by SIGSEGV"),
    ],
)
def test_a_program_that_ends_its_own_process_has_no_output(executor: Any, program: str, came: str) -> None:
    [(output, error)] = ran(type(executor)(seconds=5.0), program)
    assert output is None
    assert error.endswith(came)


@BOTH
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_is_killed_from_outside_is_no_result_of_a_program(executor: Any, number: signal.Signals) -> None:
    """The kernel does so, too, where the memory of the machine runs out."""
    killer = threading.Thread(target=end_program, args=(number,))
    killer.start()
    with pytest.raises(IncompleteError, match="killed from outside") as raised:
        ran(type(executor)(seconds=30.0), f"{BEGINS}    time.sleep(60)")
    killer.join()
    assert f"(the process was ended by {number.name})" in str(raised.value)
    assert str(raised.value).endswith("run the rest with auditfw resume=FOLDER")


BEGINS = "import time\ndef transform(n):\n    open('begun', 'w').close()\n"


def wait_until_begun(temporary: str, pid: int) -> None:
    """Waits for the file that a program of a process makes in its folder."""
    for _ in range(600):
        if glob.glob(os.path.join(temporary, f"auditfw-{pid}-program-*", "begun")):
            return
        time.sleep(0.05)
    pytest.fail("no program has begun")


def end_program(number: int) -> None:
    """Ends the process of a program that this process has started, once it has begun."""
    for _ in range(200):
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == os.getpid() and b"What runs inside" in (folder / "cmdline").read_bytes():
                    wait_until_begun(tempfile.gettempdir(), os.getpid())
                    return os.kill(int(folder.name), number)
        time.sleep(0.05)
    pytest.fail("no process was started")


@BOTH
def test_a_program_cannot_end_the_audit_in_the_name_of_what_runs_it(executor: Any) -> None:
    forge = (
        "import json, os, sys\ndef transform(n):\n    frame = sys._getframe()\n"
        "    while 'nonce' not in frame.f_locals: frame = frame.f_back\n"
        "    for kind in ('unfit', 'begun'):\n        message = json.dumps({'input': kind, 'error': 'x'})\n"
        "        os.write(32, f\"{frame.f_locals['nonce']} {message}\\n\".encode())\n"
        "    return n"
    )
    assert ran(executor, forge, 1, 2) == [(1, ""), (2, "")]


@BOTH
def test_a_process_that_cannot_be_started_is_no_result_of_a_program(executor: Any) -> None:
    """As where the limits of the audit's own process were lowered."""
    code = (
        f"import auditfw, resource\nexecutor = auditfw.load('executor', {executor_name(executor)!r})\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))\n"
        "try: print(executor('def transform(n): return n', [1]))\n"
        "except auditfw.AuditError as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("IncompleteError executor: no process could be started for a program"), done


def test_a_child_left_running_is_killed_with_its_group() -> None:
    program = "import os, time\ndef transform(n):\n    pid = os.fork() or time.sleep(60)\n    return pid"
    [(pid, _)] = ran(Subprocess(), program)
    for _ in range(50):
        if not alive(pid):
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the child outlived its program")


@pytest.mark.slow
@BOTH
def test_a_program_dies_with_the_audit(executor: Any, tmp_path: Path) -> None:
    """Kills the process that runs a program; the program's own process must end too."""
    write = f"{BEGINS}    time.sleep(60)"
    code = f"import auditfw\nauditfw.load('executor', {executor_name(executor)!r})({write!r}, ['x'])"
    caller = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)})
    try:
        wait_until_begun(str(tmp_path), caller.pid)
        inner = first_child(caller.pid)
    finally:
        caller.kill()
        caller.wait()
    for _ in range(100):
        if not alive(inner):
            return
        time.sleep(0.1)
    os.kill(inner, signal.SIGKILL)
    pytest.fail("the program outlived the audit")


def executor_name(executor: Any) -> str:
    return "sandlock" if isinstance(executor, Sandlock) else "subprocess"


def first_child(pid: int) -> int:
    """A process whose parent is this one."""
    for _ in range(300):
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                if int(fields[1]) == pid and b"def transform" not in (folder / "cmdline").read_bytes():
                    return int(folder.name)
        time.sleep(0.1)
    pytest.fail("no process was started")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def test_a_kernel_without_landlock_is_refused_and_nothing_else_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    sandlock = pytest.importorskip("sandlock")
    monkeypatch.setattr(sandlock, "landlock_abi_version", lambda: -1)
    with pytest.raises(UsageError, match="this kernel cannot isolate programs") as told:
        Sandlock().check()
    assert "(Landlock is not there, needed: 6)" in str(told.value)
    assert "executor=subprocess" in str(told.value)


def test_without_the_package_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sandlock", None)
    with pytest.raises(UsageError, match=r"pip install 'auditfw\[sandbox\]'"):
        Sandlock().check()


def test_safe_mode_refuses_programs_without_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    with pytest.raises(UsageError, match="switched off by AUDITFW_SAFE"):
        Subprocess()
    Sandlock()


@pytest.mark.parametrize("settings", [{"seconds": 0.0}, {"memory_mb": 0}, {"function": "a b"}])
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Sandlock(**settings)
