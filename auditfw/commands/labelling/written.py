"""A round of a draw as files: pages for a browser, CSV for a spreadsheet, tasks for Label Studio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.audits.adjudication.draw_files import DrawPage
from auditfw.core.escaping import csv_field
from auditfw.core.result_json import dumps

from .page import LabelPage, TrialToLabel
from .settings import CSV, FORMATS, HTML, STUDIO

HEADER = ("key", "question", "expected", "answer", "label", "note")
BETWEEN = " | "  # expected answers in one cell
CONFIG = """\
<View>
  <Header value="Question"/><Text name="question" value="$question"/>
  <Header value="Expected"/><Text name="expected" value="$expected"/>
  <Header value="Answer"/><Text name="answer" value="$answer"/>
  <Choices name="label" toName="answer" choice="single" required="true">
    <Choice value="right" hotkey="r"/><Choice value="wrong" hotkey="w"/><Choice value="cannot_tell" hotkey="c"/>
  </Choices>
</View>"""  # of Label Studio


@dataclass(frozen=True)
class LabelFiles:
    """The files of one page in the chosen formats: their texts by name."""

    page: LabelPage
    trials: Sequence[TrialToLabel]

    def texts(self, formats: Sequence[str]) -> dict[str, str]:
        """Each file with its text. Raises UsageError for a page that is too large."""
        made = {HTML: self.page.text, CSV: csv_text, STUDIO: tasks_text}
        return {self.named(form): made[form](self.trials) for form in FORMATS if form in formats}

    def named(self, form: str) -> str:
        """What the file of a format is called."""
        return {HTML: self.page.file, CSV: f"{self.page.labels}.csv", STUDIO: f"tasks-{self.page.place}.json"}[form]


def csv_text(trials: Sequence[TrialToLabel]) -> str:
    """The trials as CSV, to be filled in: label is right, wrong or cannot_tell."""
    cells = ((one.key, one.question, BETWEEN.join(one.expected), one.answer, "", "") for one in trials)
    return "".join(f"{','.join(map(csv_field, row))}\n" for row in [HEADER, *cells])


def tasks_text(trials: Sequence[TrialToLabel]) -> str:
    """The trials as tasks of Label Studio."""
    tasks = [(one.key, one.question, BETWEEN.join(one.expected), one.answer) for one in trials]
    return dumps([{"data": dict(zip(HEADER, task, strict=False))} for task in tasks])


def filled(page: DrawPage) -> str:
    """The file that comes back from a page that people labelled, as it is called: `NAME` is who labelled."""
    name = page.file
    if name.endswith(".html"):
        return f"{name.removesuffix('.html').replace('page', 'labels', 1)}-NAME.csv"
    return name if name.endswith(".csv") else "EXPORT.json"
