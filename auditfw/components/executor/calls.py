"""The system calls that a program may make, as a seccomp filter: everything else is refused, also what new kernels add.

Landlock and sandlock guard contents of files, the network and processes, but not modes, owners, times and attributes of
files, nor limits, priorities and clocks. sandlock's own list of refused calls knows few of their names, so the filter
is written here. It is installed inside, after the limits and before the program (`inside.confine`).
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence

from auditfw.core.errors import UsageError

# name, number on x86_64, number on aarch64
ALLOWED = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, pwritev 296 70
preadv2 327 286, pwritev2 328 287, lseek 8 62, close 3 57, close_range 436 436, dup 32 23, dup2 33 -, dup3 292 24
pipe 22 -, pipe2 293 59, sendfile 40 71, copy_file_range 326 285, fsync 74 82, fdatasync 75 83, ftruncate 77 46
truncate 76 45, open 2 -, openat 257 56, creat 85 -, stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, statx 332 291
access 21 -, faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61
getcwd 79 17, chdir 80 49, fchdir 81 50, umask 95 166, mkdir 83 -, mkdirat 258 34, rmdir 84 -, unlink 87 -
unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276
mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, brk 12 214, msync 26 227
poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21
epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19, nanosleep 35 101
clock_nanosleep 230 115, pause 34 -, alarm 37 -, getitimer 36 102, setitimer 38 103, restart_syscall 219 128
recvfrom 45 207, shutdown 48 210, getsockname 51 204, getpeername 52 205, getsockopt 55 209
futex 202 98, sched_yield 24 124, sched_getaffinity 204 123, set_robust_list 273 99, set_tid_address 218 96
rseq 334 293, arch_prctl 158 -, gettid 186 178, getcpu 309 168
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137
rt_sigsuspend 130 133, sigaltstack 131 132
getpid 39 172, getppid 110 173, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getgroups 115 158
getresuid 118 148, getresgid 120 150, getpgrp 111 -, uname 63 160, sysinfo 99 179, times 100 153, time 201 -
gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, getrandom 318 278, getrusage 98 165
getrlimit 97 163, wait4 61 260, waitid 247 95, exit 60 93, exit_group 231 94
"""
WHOLE = 0xFFFFFFFF
THREAD = (0x3D0F00, 0x7D0F00)  # what glibc and musl ask for a thread; anything else is a process or a namespace
ADVICE = (0, 1, 2, 3, 4, 8, 14, 15, 16, 17, 22, 23)  # none that poisons memory
NOTHING = ((0, WHOLE, (0,)), (1, WHOLE, (0,)))  # both halves of a null pointer
# name, numbers, error where it is refused, and what is allowed: argument, half, mask, values
CHECKED: Sequence[tuple[str, int | None, int, int, Sequence[tuple[int, int, int, Sequence[int]]]]] = (
    ("clone", 56, 220, errno.EAGAIN, [(0, 0, WHOLE, THREAD)]),
    ("madvise", 28, 233, errno.EPERM, [(2, 0, WHOLE, ADVICE)]),
    # connected streams within the process, as event loops have them
    ("socketpair", 53, 199, errno.EPERM, [(0, 0, WHOLE, (1,)), (1, 0, ~0o2004000 & WHOLE, (1,))]),
    ("sendto", 44, 206, errno.EPERM, [(4, *half) for half in NOTHING]),
    # reading one's own limits
    ("prlimit64", 302, 261, errno.EPERM, [(0, 0, WHOLE, (0,)), *((2, *half) for half in NOTHING)]),
    # names of threads and of memory
    ("prctl", 157, 167, errno.EPERM, [(0, 0, WHOLE, (15, 16, 0x53564D41))]),
    # whether a file is a terminal, blocking, inherited
    (
        "ioctl",
        16,
        29,
        errno.EPERM,
        [(1, 0, WHOLE, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A))],
    ),
    # flags and copies of a descriptor: no lock, lease or owner
    ("fcntl", 72, 25, errno.EPERM, [(1, 0, WHOLE, (0, 1, 2, 3, 4, 1030))]),
)
OTHERWISE = ((57, None, errno.EAGAIN), (58, None, errno.EAGAIN), (435, 435, errno.ENOSYS))  # fork, vfork, clone3
KNOWN = 470  # what is newer is answered as by an older kernel
ARCHES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, EQUAL, ABOVE, MASK, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
Instruction = tuple[int, int, int, int]


def seccomp_filter(machine: str = "") -> str:
    """The filter's instructions as the kernel reads them, in hexadecimal. Raises UsageError for an unknown machine."""
    machine = machine or platform.machine()
    if machine not in ARCHES:
        do = "use x86_64 or aarch64, or accept the risk with executor=subprocess"
        raise UsageError("executor", "the system calls of this machine are not known", machine, do)
    column, arch = ARCHES[machine]
    code: list[Instruction] = [
        (LOAD, 0, 0, 4),
        (EQUAL, 1, 0, arch),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),
    ]
    for _, *row, error, checks in CHECKED:
        if (number := row[column]) is not None:
            block = [*_checks(checks, error), (RETURN, 0, 0, ALLOW)]
            code += [(EQUAL, 0, len(block), number), *block]
    for *row, error in OTHERWISE:
        if (number := row[column]) is not None:
            code += _answer(number, REFUSE | error)
    for number in _allowed(column):
        code += _answer(number, ALLOW)
    # numbers of the x32 interface are far above
    code += [(ABOVE, 0, 1, 0x40000000), (RETURN, 0, 0, REFUSE | errno.EPERM)]
    code += [(ABOVE, 0, 1, KNOWN + 1), (RETURN, 0, 0, REFUSE | errno.ENOSYS), (RETURN, 0, 0, REFUSE | errno.EPERM)]
    return b"".join(struct.pack("=HBBI", *one) for one in code).hex()


def _allowed(column: int) -> list[int]:
    rows = [one.split() for line in ALLOWED.strip().splitlines() for one in line.split(", ")]
    return sorted(int(row[1 + column]) for row in rows if row[1 + column] != "-")


def _answer(number: int, answer: int) -> list[Instruction]:
    return [(EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]


def _checks(checks: Sequence[tuple[int, int, int, Sequence[int]]], error: int) -> list[Instruction]:
    """Goes on where each argument has one of its values, and refuses else."""
    code: list[Instruction] = []
    for argument, half, mask, values in checks:
        code += [(LOAD, 0, 0, 16 + 8 * argument + 4 * half), (MASK, 0, 0, mask)]
        code += [(EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        code.append((RETURN, 0, 0, REFUSE | error))
    return code
