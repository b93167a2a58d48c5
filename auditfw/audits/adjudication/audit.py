"""The adjudication: what people say about the labels of a run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from auditfw.core.document import some
from auditfw.core.errors import AuditError
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.registry import register

from .draw_files import StoredDraw, read_draw
from .outcome import outcome_of
from .results import PeoplesResults
from .settings import AdjudicationSettings
from .trials import labelled_trials


@register("audit", "adjudication")
@dataclass(frozen=True)
class Adjudication(AdjudicationSettings):
    """Holds the labels of a finished run against those of people: the true error rate, and which reading is closest.

    - `run`: the folder of a finished parsing or consistency run; `labels`: files with labels; `draw`: which draw of
      `auditfw label` they are of;
    - `sampling`: how the labelled trials were chosen: `drawn` by `auditfw label`, or elsewhere: `random` single
      trials, whole `items` at random, or with a `probability` each;
    - `columns`: what the columns of the files are called: key, id, label, labeller, note, probability;
    - `right`, `wrong`, `unsure`: the words for these labels; `disagree`: what two labellers who differ come to:
      `undecided`, the `majority`, or the name of the one who decides;
    - `reference`: the reading that is held against people first (null: the draw's, else the run's); `decides`: the
      readings that may be the best (none: those that accept no wrong pairs);
    - `margin`, `off`, `skill`, `precision` (points), `alpha`, `least` (labels): the bounds of the answer.
    """

    name: ClassVar[str] = "adjudication"
    claimed: ClassVar[tuple[str, ...]] = ("error_rate",)

    @property
    def source(self) -> StoredDraw | None:
        """The draw, whose cells are those of a run that names none; None where it cannot be read."""
        with suppress(AuditError):
            return read_draw(Path(self.run_), self.draw) if self.sampling == "drawn" else None
        return None

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do, for `auditfw check`: reads the run and the labels."""
        results = PeoplesResults(self, labelled_trials(self, by))
        drawn = some(results.trials.counts["read"], "drawn trial" if results.trials.draw else "row")
        return [
            f"run: {results.trials.run.folder}, {some(int(results.trials.rows.times.sum()), 'trial')}",
            f"labels: {results.labelled:,} of {drawn}, {results.undecided:,} undecided",
            f"by: {', '.join(by) or 'nothing'}",
            f"readings: people, {', '.join(results.readings)}",
        ]

    def run(self, context: Context) -> Outcome:
        """Reads the run and the labels, and counts."""
        trials = labelled_trials(self, context.by)
        context.check_cells(len(trials.cells))
        return outcome_of(PeoplesResults(self, trials), context)
