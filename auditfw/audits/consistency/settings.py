"""The consistency audit's settings, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, Self, cast

from auditfw.audits.findings import check_known
from auditfw.core.errors import UsageError, nearest
from auditfw.core.results.findings import Known
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Source
from auditfw.kinds.judgements import Policy, Typing, Validator
from auditfw.kinds.metrics import Gate, Metric

from .conclusions.presentation import Order, order_of
from .conclusions.stand_in import check_humans, kept_people
from .conclusions.truth import Truth
from .joins.joining import Duplicates
from .name_check import check_aliases, check_meanings, check_raters, plain_aliases
from .rules import Rules
from .same_texts import SameTexts
from .samples import SampleSettings

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
FOUND = "found"
CORRECTIONS = ("positive_rate", "corrected_rate", "ppi_rate", "rogan_gladen_rate", "judge_off_pp", "label_worth")
Aliases = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class ConsistencySettings:
    """The settings of a consistency audit; `Consistency` says what each setting does."""

    source: Source
    policies: dict[str, Policy] = field(default_factory=dict)
    validators: dict[str, Validator] = field(default_factory=dict)
    metrics: dict[str, Metric] = field(default_factory=dict)
    gates: dict[str, Gate] = field(default_factory=dict)
    raters: tuple[str, ...] | None = None
    reference: str = "auditor"
    labels: tuple[str | int, ...] | str = LABELS
    values: tuple[float, ...] | None = None
    aliases: dict[str, Any] = field(default_factory=dict)
    case: Literal["exact", "fold"] = "exact"
    abstain: tuple[str, ...] = ("ABSTAIN",)
    acceptable: tuple[str | int, ...] = ("VALID", "NOT_IN_CONTEXT")
    valid: str = "VALID"
    hard_flags: tuple[str, ...] = ("provenance_violation", "constraints_mismatch")
    duplicates: Duplicates = "error"
    unknown_labels: Literal["error", "count"] = "error"
    malformed: Literal["error", "count"] = "error"
    missing_qid: Literal["error", "line"] = "error"
    evidence: Literal["either", "merged"] = "either"
    typing: Typing = "strict"
    arbitrate: Literal["every", "disagreements"] = "every"
    max_error_rate: float = 0.0
    missing_label: str | None = None
    common: tuple[str, ...] | None = None
    kappa: float = 0.6
    chance: float = 0.2
    rare: float = 0.05
    coverage: float = 0.95
    joins: float = 0.03
    alpha: float = 0.05
    order: Any = None
    scale: Literal["nominal", "ordinal"] | None = None
    humans: tuple[str, ...] = ()
    epsilon: float = 0.2
    truth: Truth | None = None
    off: float = 10.0
    same_answer: SameTexts | None = field(default_factory=SameTexts)
    known: dict[str, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.raters is not None:
            check_raters(self.raters, "raters")
        order_of(self.order)
        check_known(self.known)
        check_humans(self.humans, self.epsilon)
        object.__setattr__(self, "acceptable", tuple(map(str, self.acceptable)))
        object.__setattr__(self, "aliases", plain_aliases(self.aliases))
        if self.labels == FOUND:
            return  # the rest is checked when they are known
        if isinstance(self.labels, str):
            raise UsageError(
                "labels", f"expected a list of labels, or {FOUND}", repr(self.labels), f"write [{self.labels}, ...]"
            )
        labels = tuple(map(str, self.labels))
        object.__setattr__(self, "labels", labels)
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise UsageError(
                "labels", "expected two or more different labels", ", ".join(labels), "list every label that may occur"
            )
        if self.values is not None and len(self.values) != len(labels):
            raise UsageError("values", "expected one number per label", f"{len(self.values)} for {len(labels)} labels")
        check_aliases(self.aliases, labels)
        check_meanings(self)
        self._check_bounds()
        if self.truth is not None:
            object.__setattr__(self, "truth", self.truth.counted(labels, self.valid))
        if self.missing_label is not None:
            self._take_missing_label(self.missing_label)

    def _check_bounds(self) -> None:
        for name in ("kappa", "chance", "rare", "coverage", "joins"):
            least = -1.0 if name == "kappa" else 0.0
            if not least <= getattr(self, name) <= 1.0:
                raise UsageError(name, f"expected a number from {least:g} to 1", getattr(self, name))
        if self.off < 0.0:
            raise UsageError("off", "expected points of 0 or more", self.off)
        if not 0.0 < self.alpha <= 1.0:
            raise UsageError("alpha", "expected a number above 0 and at most 1", self.alpha)

    def _take_missing_label(self, label: str) -> None:
        """A null stands for a label: one that is not declared is a further one, and an abstention."""
        if not label.strip():
            raise UsageError("missing_label", "is blank", repr(label), "write a label, for example NONE")
        if label in self.named_labels:
            return
        if self.values is not None:
            do = f"write it among audit.labels, with its number among audit.values: {label}"
            raise UsageError("missing_label", "a label without a number, where audit.values gives numbers", None, do)
        kept = tuple(known for known in self.abstain if known in self.named_labels)
        object.__setattr__(self, "labels", (*self.named_labels, label))
        object.__setattr__(self, "abstain", (*kept, label))

    def reguessed(self, guessed: Sequence[str]) -> Self:
        """These settings, where those that were guessed, and not typed, name a rater that is none any more.

        People that are left stay people, where they are two or more and a judge is left.
        """
        raters, changes = self.raters or (), dict[str, Any]()
        if raters and "audit.reference" in guessed and self.reference not in raters:
            changes["reference"] = raters[-1]
        if raters and "audit.humans" in guessed and not set(self.humans) < set(raters):
            changes["humans"] = tuple(kept_people(self.humans, raters))
        return replace(self, **changes)

    def remarks(self) -> list[str]:
        """What is to be known of the settings: a null that counts as a label which raters give, too."""
        label = self.missing_label
        if label is None or label in self.abstain:
            return []
        return [
            f"audit.missing_label: a null counts as {label}, a label that raters may give, and not as an abstention"
        ]

    @property
    def named_labels(self) -> tuple[str, ...]:
        """The labels as texts."""
        return cast(tuple[str, ...], self.labels)

    @property
    def tie(self) -> str:
        """The label that votes give which tie."""
        return self.abstain[0] if self.abstain else self.named_labels[-1]

    @property
    def bounds(self) -> dict[str, float]:
        """The gates that ask for a least number, and that number."""
        spans = {name: capability(gate, "span") for name, gate in self.gates.items()}
        return {name: low for name, span in spans.items() if span is not None and isfinite(low := span()[-2])}

    @property
    def presentation(self) -> Order | None:
        """Where the records say which of two answers came first."""
        return order_of(self.order)

    @property
    def measures(self) -> tuple[str, ...]:
        """The metrics of rates that people's labels correct, where they do."""
        return CORRECTIONS if self.truth is not None else ()

    @property
    def truth_files(self) -> list[str]:
        """The file of the rater that labelled a part of the items, where raters have files of their own."""
        file = getattr(self.source, "paths", {}).get(self.truth.rater if self.truth else None)
        return [] if file is None else [str(getattr(file, "path", file))]

    def rules(self, raters: tuple[str, ...]) -> Rules:
        """What is made of the raters' labels and flags."""
        for name, label in self.aliases.items():
            if isinstance(label, Mapping) and name not in raters:
                raise UsageError(f"audit.aliases.{name}", f"no rater '{name}'", None, nearest(name, list(raters)))
        fold, missing = self.case == "fold", self.missing_label or ""
        aliases = self.aliases_of(raters)
        return Rules(raters, self.named_labels, aliases, fold, self.hard_flags, self.typing, missing)

    def aliases_of(self, raters: Sequence[str]) -> Aliases:
        """The texts of each rater that are read as another: those of all, and its own before these."""
        common = {text: str(label) for text, label in self.aliases.items() if not isinstance(label, Mapping)}
        own = {name: label for name, label in self.aliases.items() if isinstance(label, Mapping)}
        return {r: common | {str(text): str(label) for text, label in own.get(r, {}).items()} for r in raters}

    def sampled(self, raters: tuple[str, ...], by: Sequence[str], seed: int) -> SampleSettings:
        """What the samples are made by."""
        labels = self.named_labels
        return SampleSettings(
            raters=raters,
            reference=self.reference,
            labels=labels,
            values=self.values,
            abstain=tuple(label for label in self.abstain if label in labels),
            acceptable=cast(tuple[str, ...], self.acceptable),
            valid=self.valid,
            by=tuple(by),
            seed=seed,
            titles=capability(self.source, "titles", {}),
            ordered=self.scale == "ordinal",
            truth=self.truth.rater if self.truth else "",
        )
