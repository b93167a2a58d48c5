"""Texts as values of overrides: Hydra's parser, and the config that it makes, give the same text back."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import example, given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from auditfw.config import build as bridge
from auditfw.config.quoting import as_text, is_path, with_quoted_paths
from auditfw.core.errors import UsageError
from auditfw.core.escaping import quoted, value

SPECIAL = "\\'\"${}[](),:= \n\ta1.e-+/~\u00e9\u2028"
NUMBERS = "0129e.+-_/%@nulinfatrsNE"
LIKE_NUMBERS = st.from_regex(r"[+-]?(nan|inf|null|true|[0-9_.]+(e[+-]?[0-9_]+)?)", fullmatch=True)
TEXTS = st.one_of(st.text(), st.text(alphabet=SPECIAL), st.text(alphabet=NUMBERS), LIKE_NUMBERS)


def read_back(word: str) -> object:
    """What a config holds where an override sets a list with this value."""
    [one] = OverridesParser.create().parse_overrides([f"a=[x,{word}]"])
    return OmegaConf.create({"a": one.value()}).a[1]


def read_alone(word: str) -> object:
    [one] = OverridesParser.create().parse_overrides([f"a={word}"])
    config = OmegaConf.create({"a": None})
    OmegaConf.update(config, "a", one.value())
    return config.a


@given(TEXTS.filter(lambda text: text != "???"))  # which is what OmegaConf has for a value that is missing
@example("\\\n")
@example("\\\\${a}\\'\\")
@example("null")
@example("1e5")
@example("")
def test_any_text_comes_back(text: str) -> None:
    for word in (quoted(text), value(text)):
        assert (read_alone(word), read_back(word)) == (text, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "'a'"),
        ("it's", r"'it\'s'"),
        ("a\\'b", r"'a\\\'b'"),
        ("a\\", r"'a\\'"),
        (r"\d", r"'\d'"),
        ("${a}", r"'\${a}'"),
        (r"\${a}", r"'\\\${a}'"),
    ],
)
def test_only_what_must_is_escaped(text: str, expected: str) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize("text", ["logs/a-1.eval", "/tmp/x_y.json", "../2026-11-22.jsonl", "a@b%c+d"])
def test_usual_paths_stand_as_they_are(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize("text", ["a b", "1", "-1.5", "NULL", "true", "inf", "é.eval", "a,b", "", "2026_01"])
def test_what_would_be_something_else_is_quoted(text: str) -> None:
    assert value(text) == f"'{text}'"


@pytest.mark.parametrize("word", ["audit.reference=1", "audit.reference=1.50", "audit.reference=true", "objective=3"])
def test_what_is_to_be_quoted_can_be_typed_as_it_is_printed(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        bridge.build(bridge.compose([word]))
    [typed] = shlex.split(caught.value.do.partition("in a command ")[2])
    settings = bridge.compose([typed])
    key, _, _ = word.partition("=")
    read = settings["objective"] if key == "objective" else settings["audit"]["reference"]
    assert isinstance(read, str)
    assert as_text(key, read) == f"quote it, in a command '{typed}'"


@pytest.mark.parametrize(
    ("path", "wrong", "do"),
    [
        ("by[0]", 1, "quote it, in a command 'by=[\"1\"]'"),
        ("audit.parsers.x.steps[0].marker", 1, "quote it"),
        ("audit.parsers.x.pattern", ["A-D"], "quote it"),
    ],
)
def test_what_is_not_one_word_is_quoted_in_its_file(path: str, wrong: object, do: str) -> None:
    assert as_text(path, wrong) == do


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("source.path=a b", "source.path='a b'"),
        ("resume=a b", "resume='a b'"),
        ("source.path=c,d", "source.path='c,d'"),  # the path, though both of its parts are paths as well
        ("source.path=c,a b", "source.path='c','a b'"),
        ("source.path=a b,c,d", "source.path='a b','c,d'"),
        ("source.path=c,none", "source.path=c,none"),
        ("source.path=d,c", "source.path=d,c"),
        ("seed=a b", "seed=a b"),
        ("x.y=a b", "x.y=a b"),  # is a path itself
        ("a b", "a b"),
    ],
)
def test_paths_in_settings_are_quoted_where_they_must(here: Path, word: str, expected: str) -> None:
    for name in ("a b", "c", "d", "c,d", "x.y=a b", "-m"):
        (here / name).touch()
    assert with_quoted_paths([word]) == [expected]
    assert not is_path("-m"), "a flag, whatever files there are"
