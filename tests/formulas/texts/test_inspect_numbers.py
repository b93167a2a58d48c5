"""Numbers as the scorer match of Inspect AI reads them."""

from __future__ import annotations

import pytest

from auditfw.formulas.texts.inspect_numbers import number_of, number_of_2025, written_number


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("18", 18.0), ("-5.", -5.0), ("1e3", 1000.0), ("1_000", 1000.0), ("(42)", 42.0), ("42!", 42.0), ("'7'", 7.0),
        ("<42", None), ("5%", None), ("nan", None), ("inf", None), ("1e400", None), ("", None), ("-", None),
        ("x", None), ("−5", -5.0), ("--5", 5.0), ("+ 5", 5.0), ("负5", -5.0), ("½", 0.5), ("-½", -0.5), ("2½", 2.5),
        ("½½", None),
        ("½x", None), ("½,", 0.5), ("3²", 9.0), ("-2²", 4.0), ("2⁻¹", 0.5), ("²", 2.0), ("²³", 23.0), ("0⁻¹", None),
        ("2² ,", 4.0), ("٣", 3.0), ("１２．５", 12.5), ("1 000", 1000.0), ("1'000", 1000.0), ("1,000", 1.0),
        ("1,0000", 10000.0), ("1.000,5", 1000.5), ("1,000.5", 1000.5), ("1.2.3", None), ("e5", None), ("2e−3", 0.002),
        ("2e", None), ("Ⅻ", 12.0), ("十二", 12.0), ("三千零五", 3005.0), ("二〇二五", 2025.0), ("1万", 10000.0),
        ("两百万", 2000000.0), ("廿五", 25.0), ("三点一四", 3.14), ("三点x", None), ("十x", None), ("点五", 0.5),
        ("一二½", 12.5), ("万", 10000.0),
        ("-" + "²" * 5_000, None), ("2" * 5_000, None), ("一" * 5_000, None),
    ],
)  # fmt: skip
def test_a_word_is_worth(word: str, value: float | None) -> None:
    assert number_of(word) == (pytest.approx(value) if value is not None else None)


def test_marks_stay_where_they_count() -> None:
    assert (number_of("(42)", trimmed=False), written_number("(42)")) == (None, None)
    assert number_of("42", trimmed=False) == 42.0


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("18", 18.0), ("18.50", 18.5), ("1.2.3", 1.2), ("2½", 2.5), ("½", 0.5), ("½½", None), ("3²", 9.0), ("²", 1.0),
        ("½²", 0.25), ("²1", 1.0), ("²①", 21.0), ("Ⅻ", 12.0), ("十二", 12.0), ("١٢", 12.0), ("-5", None), ("x", None),
        ("", None), (".", None), ("99999999" + "⁹" * 3, None), ("5%", None),
        ("2" + "²" * 5_000, None), ("½" * 5_000, None),
    ],
)  # fmt: skip
def test_a_word_was_worth(word: str, value: float | None) -> None:
    assert number_of_2025(word) == value
