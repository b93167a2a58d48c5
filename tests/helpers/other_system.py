"""Runs the command where what Unix alone has is not there: modules, functions, signals. A simulation, not Windows.

What Python's own library and others' packages need of it on this machine is imported first, and keeps it.
"""

import asyncio  # noqa: F401
import concurrent.futures.process  # noqa: F401
import logging.handlers  # noqa: F401
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker
import os
import platform  # noqa: F401
import select
import shutil
import signal
import subprocess
import sys

import numpy as np  # noqa: F401
import polars as pl  # noqa: F401

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
FUNCTIONS = """
    O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK WNOHANG chown chroot fchmod fchown fork forkpty getegid geteuid
    getgid getloadavg getpgid getpgrp getuid killpg lchown mkfifo nice openpty posix_fadvise posix_spawn posix_spawnp
    pread preadv pwrite pwritev register_at_fork sched_getaffinity sched_setaffinity setsid statvfs sysconf uname
"""
SIGNALS = """
    ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIG_BLOCK
    SIG_SETMASK SIG_UNBLOCK alarm getitimer pthread_kill pthread_sigmask setitimer siginterrupt sigwait
"""
NUMBER_OF_KILL = 9


def take_away() -> None:
    """Removes what only Unix has, for all that is imported from here on."""
    subprocess.Popen.kill = lambda self: self.send_signal(NUMBER_OF_KILL)
    multiprocessing.resource_tracker._HAVE_SIGMASK = False
    shutil._use_fd_functions = False
    multiprocessing.get_all_start_methods = lambda: ["spawn"]
    for name in MODULES:
        sys.modules[name] = None
    for home, names in ((os, FUNCTIONS), (signal, SIGNALS), (select, "epoll poll")):
        for name in names.split():
            if hasattr(home, name):
                delattr(home, name)


if __name__ == "__main__":
    take_away()
    from auditfw.__main__ import main

    main()
