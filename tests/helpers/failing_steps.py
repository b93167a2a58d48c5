"""A step that fails on some texts."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.registry import register

FAILS_ON = "fails_on"


@register("step", FAILS_ON)
@dataclass(frozen=True)
class FailsOn:
    """Raises where a text holds `text`, or, as one that reached its deadline, where it holds `late`."""

    text: str
    late: str | None = None

    def __call__(self, text: str) -> str:
        if self.text in text:
            raise ValueError(self.text)
        if self.late is not None and self.late in text:
            raise TimeoutError(self.late)
        return text
