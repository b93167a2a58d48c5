"""The words of a command line: flags stand anywhere."""

from __future__ import annotations

import argparse

import pytest
from hydra._internal.utils import get_args_parser

from auditfw.config.hydra.arguments import INFO, INFOS, WITH_WORD, check_flags, flags_last
from auditfw.core.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "ordered"),
    [
        ("", ""),
        ("a=1 b=2", "a=1 b=2"),
        ("-m a=1,2", "a=1,2 -m"),
        ("a=1 -m b=2", "a=1 b=2 -m"),
        ("a=1 --cfg job b=2", "a=1 b=2 --cfg job"),
        ("--cfg job a=1", "a=1 --cfg job"),
        ("--cfg=job a=1", "a=1 --cfg=job"),
        ("-cn mine check", "check -cn mine"),
        ("--info a=1", "a=1 --info"),
        ("--info defaults a=1", "a=1 --info defaults"),
        ("--json list gate", "list gate --json"),
        ("-m", "-m"),
        ("a=1 --config-name", "a=1 --config-name"),
    ],
)
def test_flags_come_last(typed: str, ordered: str) -> None:
    assert flags_last(typed.split()) == ordered.split()
    assert flags_last(ordered.split()) == ordered.split()


def test_flags_that_take_a_word_are_those_of_hydra() -> None:
    actions = [one for one in get_args_parser()._actions if one.option_strings]
    stored = [one for one in actions if isinstance(one, argparse._StoreAction)]
    taking = {flag for one in stored if one.nargs is None for flag in one.option_strings}
    assert taking == set(WITH_WORD)
    [info] = [one for one in stored if one.nargs is not None]
    assert (set(info.option_strings), set(info.choices or ())) == (set(INFO), set(INFOS))


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("--cfg", "--cfg: expected one argument - write --cfg job or hydra or all"),
        ("-m --cfg jobs", "--cfg: invalid choice: 'jobs' (choose from 'job', 'hydra', 'all') - write --cfg job or"),
        ("--package", "--package: expected one argument - write --package VALUE"),
        ("--multirun=3", "--multirun: ignored explicit argument '3' - write --multirun alone"),
        ("-m --mutlirun", "--mutlirun: no such flag - did you mean '--multirun'?"),
    ],
)
def test_a_flag_that_hydra_would_not_take(typed: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_flags(typed.split())
    assert str(caught.value).startswith(message)
