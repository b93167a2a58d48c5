"""The matcher that accepts the truth in another form."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from auditfw.core.errors import UsageError, nearest
from auditfw.formulas.forms.texts import COUNTED, FORMS, near_form, same_under
from auditfw.formulas.texts.truth_kinds import kind_of
from auditfw.kinds.registry import component, declare, names
from auditfw.kinds.text import Form


@declare("matcher", "forms")
class Forms:
    """Accepts the truth, and the truth in another form: 2,664 or "18 dollars", a date, initials; by the truth's kind.

    `forms` names those that count, as `auditfw list form` shows them; null: all that do not say that they are listed
    only.
    """

    ours: ClassVar[bool] = True
    family: ClassVar[str] = "equality"

    forms: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        known = names("form")
        for i, name in enumerate(self.forms or ()):
            if name not in known:
                raise UsageError(f"forms[{i}]", f"no form named '{name}'", None, nearest(name, known))

    def __call__(self, answer: str, truth: str) -> bool:
        if answer == truth:
            return True
        if near_form([answer], truth) in self._names:
            return True
        return any(same_under(form, answer, truth) for form in self._further if kind_of(truth) in form.kinds)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(COUNTED if self.forms is None else self.forms)

    @cached_property
    def _further(self) -> list[Form]:
        """The forms of others that are named."""
        return [component("form", name).cls() for name in self.forms or () if name not in FORMS]
