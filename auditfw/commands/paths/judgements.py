"""Runs for judgements: what components recognise as such, a row or a list a judgement, a column a rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditfw.audits.consistency.conclusions.scale import MANY, label_order, steps
from auditfw.audits.consistency.conclusions.stand_in import FEWEST_HUMANS
from auditfw.audits.consistency.rules import as_label
from auditfw.audits.consistency.settings import FOUND, LABELS
from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.looks.attempts import cell_words, strata, table_words
from auditfw.components.files.looks.column_names import plain
from auditfw.core.errors import DataError
from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook, Looks, Recognised

from .guesses.judged_names import RATERS
from .guesses.judged_numbers import numbers_table
from .guesses.judged_tables import JudgedTable, counted, listed_judgements, long_table, wide_table
from .proposal import Proposal

FEWEST, MOST = 2, 20  # labels of a judge
NAMED = 12  # raters
BY_DISTANCE = "gate=[abstain,coverage,joins]"
TABLES = ("jsonl", "json", "csv", "parquet")


def judging_words(looks: Looks, part: Recognised, numbers: bool = False) -> Proposal | None:
    """The run for judgements, or for `numbers`, held by distance; None where what was judged are no labels."""
    raters = part.raters
    words = ["experiment=cross_agent", *part.words]
    words += [] if part.open_ended else [f"audit.raters=[{','.join(map(value, raters))}]"]
    words.append(f"audit.reference={value(raters[-1])}")
    labels = sorted({label for one in part.labels if (label := as_label(one)).strip()}, key=label_order)
    if numbers:
        words += [f"audit.labels={FOUND}", "policy=[]", BY_DISTANCE]
    elif not set(labels) <= set(LABELS):
        if not FEWEST <= len(labels) <= MOST:
            return None
        whole = all(len(look.records) < PEEKED for look in looks)  # else further records may hold further labels
        listed = f"[{','.join(map(value, labels))}]" if whole else FOUND
        words += [f"audit.labels={listed}", "audit.unknown_labels=count"]
        words += ["policy=[]", *_measured(labels)]
    named = [*raters[:NAMED], *([f"{len(raters) - NAMED} more"] if len(raters) > NAMED else [])]
    return Proposal("judgements of " + ", ".join(named), tuple(words))


def _measured(labels: Sequence[str]) -> list[str]:
    """The words for how agreement is measured: of numbers with how far labels are apart, which those of two are not."""
    if len(labels) <= FEWEST or not steps(labels):
        return ["gate=[agreement,kappa,abstain,coverage,joins]"]
    if len(labels) > MANY:
        return [BY_DISTANCE]
    return ["gate=[weighted_kappa,abstain,coverage,joins]", "metrics.krippendorff_alpha.level=ordinal"]


def judged(looks: Looks) -> Proposal | None:
    """A table with a row for each item and rater, or records with a list of judgements each."""
    if len(looks) != 1 or looks[0].format not in TABLES:
        return None
    table = long_table(looks[0]) or listed_judgements(looks[0])
    return None if table is None else _of_table(looks[0], table, len(looks[0].records) >= PEEKED)


def by_column(look: FirstLook) -> Proposal | None:
    """A table with a column for each rater, of labels or of numbers, as far as one can guess."""
    if look.format not in TABLES:
        return None
    labels = wide_table(look)
    table = labels or numbers_table(look)
    return None if table is None else _of_table(look, table, numbers=labels is None)


def _of_table(look: FirstLook, table: JudgedTable, open_ended: bool = False, numbers: bool = False) -> Proposal | None:
    """The run for a table of judgements, of which further raters may come; or of numbers."""
    single = [name for name in look.columns if not set(name) & set('.[]{}#"')]
    left = [name for name in single if name not in table.taken and plain(name) not in RATERS]
    words = (*table_words(look), *table.words, *cell_words(strata(left, look.records)))
    part = Recognised("", words, raters=table.at_last(), labels=table.labels, open_ended=open_ended)
    run = judging_words([look], part, numbers)
    if run is None:
        return None
    raters = () if "rater" in table.columns else ("audit.raters",)  # else they stand in the table
    humans = () if open_ended or len(table.humans) < FEWEST_HUMANS else tuple(table.humans)
    words = (*run.words, f"audit.humans=[{','.join(map(value, humans))}]") if humans else run.words
    guessed = ("source.columns", *raters, *(["audit.humans"] if humans else []), "audit.reference", "by")
    return replace(run, words=words, guessed=guessed)


def counts(look: FirstLook) -> DataError | None:
    """The error for a table of how often each label was given, which does not say who gave it."""
    numbers = [name for name in look.columns[1:] if all(str(row.get(name)).strip().isdecimal() for row in look.records)]
    if look.format not in TABLES or len(numbers) <= FEWEST or not counted(look, numbers):
        return None
    what, do = "holds how often each label was given, not by whom", "name a table of items, raters and labels"
    return DataError(look.path, what, f"columns {', '.join(look.columns[:20])}", do)
