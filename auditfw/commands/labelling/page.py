"""The page on which people label: one file that needs no network, and shows nothing that a run says of a trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup

from auditfw.components.report.page.export_rules import export_rules
from auditfw.components.report.page.page import HERE as REPORT
from auditfw.components.report.page.page import STYLE, environment, policy
from auditfw.core.errors import UsageError
from auditfw.core.escaping import html_json

HERE = Path(__file__).parent
TEMPLATE, OWN_STYLE, SCRIPT = "page.html.jinja", "page.css", "page.js"
EXPORT = "export.js"  # of the report's page: cells of CSV, and links that save
MAX_BYTES = 20_000_000
MEGA = 1_000_000


@dataclass(frozen=True)
class TrialToLabel:
    """What a labeller sees of a trial; no id, label, reading, class or cell may be in it.

    `question` is empty where the source has none; `further` holds other columns of the source by name.
    """

    key: str
    question: str
    expected: Sequence[str]
    answer: str
    further: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelPage:
    """Which page it is: of which draw, round (from 1) and person (from 1; 0 where a round has one page only).

    `draw` is a digest of the draw: labels are kept in the browser under it and the page. `name` is that of a draw
    beside the first; `run` a digest of the run, whose pages know the labeller's name from each other. A text of more
    than `max_chars` characters is shown without its middle until somebody asks for that.
    """

    draw: str
    round: int = 1
    person: int = 0
    max_chars: int = 20_000
    name: str = ""
    run: str = ""

    @property
    def number(self) -> str:
        """The round, and the person if there are several."""
        return f"{self.round}-{self.person}" if self.person else f"{self.round}"

    @property
    def title(self) -> str:
        """What people call the page."""
        return f"draw {self.name}, page {self.number}" if self.name else f"page {self.number}"

    @property
    def place(self) -> str:
        """What tells the files of the page from those of others: the draw's name, if it has one, and the number."""
        return f"{self.name}-{self.number}" if self.name else self.number

    @property
    def file(self) -> str:
        """The name of the page's file."""
        return f"page-{self.place}.html"

    @property
    def labels(self) -> str:
        """The name of the CSV with its labels, without its end."""
        return f"labels-{self.place}"

    def text(self, trials: Sequence[TrialToLabel]) -> str:
        """The whole page, the same text for the same trials.

        Raises UsageError where it would be larger than `MAX_BYTES`.
        """
        style = _joined(REPORT / STYLE, HERE / OWN_STYLE)
        script = _joined(REPORT / EXPORT, HERE / SCRIPT)
        shown = [self._shown(trial) for trial in trials]
        content = {
            "page": self,
            "expected": max((len(trial.expected) for trial in trials), default=0),
            "style": style,
            "script": script,
            "policy": policy(style, script),
            "rules": Markup(export_rules()),  # noqa: S704 - html_json
            "trials": Markup(html_json(shown)),  # noqa: S704 - html_json
        }
        text = environment().from_string((HERE / TEMPLATE).read_text("utf-8")).render(content)
        size = len(text.encode())
        if size > MAX_BYTES:
            few = max(1, len(trials) * MAX_BYTES // size)
            what = f"{len(trials)} trials make a page of {size / MEGA:.1f} MB, more than {MAX_BYTES // MEGA}"
            raise UsageError("n", what, do=f"n={few}, or format=[csv]")
        return text

    def _shown(self, trial: TrialToLabel) -> dict[str, object]:
        """A trial as the page's script reads it."""
        return {
            "key": trial.key,
            "question": self._pieces(trial.question),
            "expected": [self._pieces(text) for text in trial.expected],
            "answer": self._pieces(trial.answer),
            "further": [[name, self._pieces(text)] for name, text in trial.further.items()],
        }

    def _pieces(self, text: str) -> list[str | int]:
        """A text, whole or as beginning, middle, end and how many characters it has; CRLF is one line end."""
        text = text.replace("\r\n", "\n")
        if len(text) <= self.max_chars:
            return [text]
        half = self.max_chars // 2
        end = len(text) - (self.max_chars - half)
        return [text[:half], text[half:end], text[end:], len(text)]


def _joined(*files: Path) -> Markup:
    return Markup("\n".join(file.read_text("utf-8") for file in files))  # noqa: S704 - no data in it
