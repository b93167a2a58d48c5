"""The filter of system calls, read as the kernel reads it: for both machines, also the one the tests do not run on."""

from __future__ import annotations

import struct

import pytest

from auditfw.components.executor.calls import seccomp_filter
from auditfw.core.errors import UsageError

ALLOWED, KILLED, EPERM, EAGAIN, ENOSYS = "allowed", "killed", 1, 11, 38
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HIGH = 1 << 32


def answer(machine: str, number: int, *given: int, arch: int | None = None) -> object:
    """What the filter answers to a call."""
    arguments = (*given, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number, MACHINES[machine] if arch is None else arch, 0, *arguments)
    code = list(struct.iter_unpack("=HBBI", bytes.fromhex(seccomp_filter(machine))))
    at = word = 0
    while True:
        kind, equal, different, value = code[at]
        at += 1
        if kind == 0x20:
            word = struct.unpack_from("=I", data, value)[0]
        elif kind == 0x54:
            word &= value
        elif kind == 0x06:
            return {0x7FFF0000: ALLOWED, 0x80000000: KILLED}.get(value, value & 0xFFFF)
        else:
            holds = word == value if kind == 0x15 else word >= value
            at += equal if holds else different


@pytest.mark.parametrize(
    ("machine", "number", "given", "expected"),
    [
        ("x86_64", 0, (), ALLOWED),  # read
        ("aarch64", 63, (), ALLOWED),
        ("x86_64", 90, (), EPERM),  # chmod
        ("x86_64", 452, (), EPERM),  # fchmodat2
        ("aarch64", 53, (), EPERM),  # fchmodat
        ("aarch64", 0, (), EPERM),  # io_setup, which is read on x86_64
        ("x86_64", 302, (0, 7, 0, 99), ALLOWED),  # prlimit64: reading its own limits
        ("x86_64", 302, (1, 7, 0, 99), EPERM),
        ("x86_64", 302, (0, 7, 99, 0), EPERM),
        ("x86_64", 302, (0, 7, HIGH, 0), EPERM),
        ("aarch64", 261, (0, 7, 0, 99), ALLOWED),
        ("aarch64", 261, (1, 7, 0, 99), EPERM),
        ("x86_64", 56, (0x3D0F00,), ALLOWED),  # clone: a thread
        ("x86_64", 56, (0x3D0F00 | 0x40000000,), EAGAIN),  # with a namespace
        ("x86_64", 56, (0x1200011,), EAGAIN),  # a process
        ("aarch64", 220, (0x7D0F00,), ALLOWED),
        ("aarch64", 220, (17,), EAGAIN),
        ("x86_64", 57, (), EAGAIN),  # fork
        ("x86_64", 435, (), ENOSYS),  # clone3: the C library then takes clone
        ("aarch64", 435, (), ENOSYS),
        ("x86_64", 28, (0, 4096, 4), ALLOWED),  # madvise
        ("x86_64", 28, (0, 4096, 100), EPERM),
        ("x86_64", 53, (1, 0o2004001, 0), ALLOWED),  # socketpair of streams
        ("x86_64", 53, (1, 2, 0), EPERM),
        ("x86_64", 53, (2, 1, 0), EPERM),
        ("x86_64", 44, (3, 9, 9, 0, 0, 0), ALLOWED),  # sendto without an address
        ("x86_64", 44, (3, 9, 9, 0, HIGH, 16), EPERM),
        ("aarch64", 206, (3, 9, 9, 0, 9, 16), EPERM),
        ("x86_64", 157, (15, 9), ALLOWED),  # prctl
        ("x86_64", 157, (1, 0), EPERM),
        ("x86_64", 16, (3, 0x5401), ALLOWED),  # ioctl
        ("x86_64", 16, (3, 0x40086602), EPERM),
        ("aarch64", 25, (3, 1030), ALLOWED),  # fcntl
        ("aarch64", 25, (3, 6), EPERM),
        ("x86_64", 470, (), EPERM),
        ("x86_64", 471, (), ENOSYS),  # newer than this list
        ("x86_64", 0x40000000, (), EPERM),  # read, by the x32 interface
    ],
)
def test_calls_and_their_arguments(machine: str, number: int, given: tuple[int, ...], expected: object) -> None:
    assert answer(machine, number, *given) == expected


def test_calls_of_another_architecture_end_the_process() -> None:
    assert answer("x86_64", 4, arch=0x40000003) == KILLED
    assert answer("x86_64", 63, arch=MACHINES["aarch64"]) == KILLED


def test_a_machine_whose_calls_are_not_known_is_refused() -> None:
    with pytest.raises(UsageError, match=r"not known \(riscv64\) - use x86_64 or aarch64"):
        seccomp_filter("riscv64")
