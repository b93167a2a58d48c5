"""Labels of people read back: words, labellers, what was skipped, and bad files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditfw.audits.adjudication.labels import labels_of_trials, not_reached, read_labels
from auditfw.audits.adjudication.numbers import RIGHT, UNDECIDED, WRONG
from auditfw.audits.adjudication.settings import AdjudicationSettings, LabelColumns
from auditfw.core.errors import DataError, UsageError

HEAD = "key,label,labeller\n"


def settings_of(folder: Path, *texts: str, **settings: Any) -> AdjudicationSettings:
    files = [folder / f"{number}.csv" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return AdjudicationSettings("run", tuple(map(str, files)), **settings)


def codes(folder: Path, *texts: str, **settings: Any) -> dict[str, int]:
    made = settings_of(folder, *texts, **settings)
    return labels_of_trials(read_labels(made)[0], {"k1", "k2", "k3"}, {"k9"}, made).codes


def test_words_whatever_their_case_and_no_label(tmp_path: Path) -> None:
    text = HEAD + "k1, Right ,a\nk2,FALSE,a\nk3,,a\n"
    assert codes(tmp_path, text) == {"k1": RIGHT, "k2": WRONG}
    assert codes(tmp_path, HEAD + "k1,?,\nk2,skip,\n") == {"k1": UNDECIDED, "k2": UNDECIDED}
    assert codes(tmp_path, HEAD + "k1,ok,\n", right=("OK",)) == {"k1": RIGHT}


@pytest.mark.parametrize(
    ("labels", "disagree", "code"),
    [
        ("a right b right", "undecided", RIGHT),
        ("a right a right", "undecided", RIGHT),
        ("a right b wrong", "undecided", UNDECIDED),
        ("a right b wrong c wrong", "majority", WRONG),
        ("a right b wrong c ?", "majority", UNDECIDED),
        ("a right b ? c ?", "majority", RIGHT),
        ("a right b wrong", "b", WRONG),
        ("a right b ?", "b", UNDECIDED),
        ("a right b ?", "undecided", UNDECIDED),
    ],
)
def test_several_labellers(tmp_path: Path, labels: str, disagree: str, code: int) -> None:
    words = labels.split()
    rows = "".join(f"k1,{label},{who}\n" for who, label in zip(words[::2], words[1::2], strict=True))
    assert codes(tmp_path, HEAD + rows, disagree=disagree) == {"k1": code}


def test_the_labeller_who_decides_is_one_of_them(tmp_path: Path) -> None:
    rows = "k1,right,Ana\nk1,wrong,Bo\nk2,right,Ana\nk2,wrong,Cy\n"
    assert codes(tmp_path, HEAD + rows, disagree="Cy") == {"k1": UNDECIDED, "k2": WRONG}
    with pytest.raises(UsageError, match=r"no labeller is named 'An' - did you mean 'Ana'\?"):
        codes(tmp_path, HEAD + rows, disagree="An")


def test_several_files_and_rows_of_other_draws(tmp_path: Path) -> None:
    made = settings_of(tmp_path, HEAD + "k1,right,a\nk9,right,a\n", HEAD + "k1,wrong,b\nk2,wrong,b\n", disagree="b")
    labels = labels_of_trials(read_labels(made)[0], {"k1", "k2"}, {"k9"}, made)
    assert (labels.codes, labels.others, len(labels.rows)) == ({"k1": WRONG, "k2": WRONG}, 1, 4)
    assert labels.pairs() == [(RIGHT, WRONG)]


def test_skipped_and_not_reached(tmp_path: Path) -> None:
    made = settings_of(tmp_path, HEAD + "k2,right,\nk5,?,\n")
    labels = labels_of_trials(read_labels(made)[0], {"k1", "k2", "k3", "k4", "k5", "k6"}, (), made)
    assert not_reached([["k1", "k2", "k3"], ["k4", "k5", "k6"]], labels) == ({"k1", "k4"}, {"k3", "k6"})
    assert not_reached([["k3", "k1"], ["k1", "k2"]], labels) == ({"k1"}, {"k3"})


@pytest.mark.parametrize(
    ("text", "line", "what", "do"),
    [
        (HEAD + "k1,right,\nk8,wrong,\nk7,,\n", ":3", "key k8 was not drawn from this run", "audit.sampling=random"),
        (HEAD + ",wrong,\n", ":2", "key (empty) was not drawn from this run", "audit.sampling=random"),
        (HEAD + "k1,maybe,\nk2,MAYBE,\n", ":2", "'maybe' is no label", "audit.unsure=[maybe]"),
        (HEAD + "k1,right,a\nk1,wrong,a\n", ":3", "another label by a for key k1", "leave one of them"),
        ("key,verdict\nk1,right\n", "", "no column 'label'", "audit.columns.label=verdict"),
        ("trial,label\nk1,right\n", "", "no column 'key' or 'id'", "audit.columns.id=trial"),
        ("key,id,label,reading,kind\nk1,1,right,v1,label\n", "", "holds decisions of a gallery", "decisions="),
    ],
)
def test_bad_files(tmp_path: Path, text: str, line: str, what: str, do: str) -> None:
    with pytest.raises(DataError) as caught:
        codes(tmp_path, text)
    error = caught.value
    assert error.where == f"{tmp_path}/0.csv{line}"
    assert error.what.startswith(what)
    assert do in error.do


def test_how_many_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"\(2 of 3 rows\)"):
        codes(tmp_path, HEAD + "k1,right,\nk8,wrong,\nk7,,\n")
    with pytest.raises(DataError, match=r"\(2 rows\)"):
        codes(tmp_path, HEAD + "k1,maybe,\nk2,MAYBE,\nk3,perhaps,\n")


def test_files_that_name_trials_differently(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="by another column"):
        codes(tmp_path, HEAD + "k1,right,\n", "id,label\nk2,right\n")
    assert codes(tmp_path, "trial,label\nk1,right\n", columns=LabelColumns(id="trial")) == {"k1": RIGHT}


@pytest.mark.parametrize(
    "settings",
    [{"labels": ()}, {"off": 101}, {"alpha": 0}, {"least": 0}, {"right": ("ok",), "unsure": ("OK ",)}],
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        AdjudicationSettings(**{"run_": "run", "labels": ("a.csv",), **settings})
