"""Stop rules that are known for part of the problems: those are no random part, and are shown beside no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.answers import enumerated
from auditfw.audits.self_audit.readings import STORED
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.formulas.loops.survivors import KnownPart, known_part
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import ended, known

KIND = FindingKind("survivors", "Problems for which a stop rule is not known: it is not shown beside all.")


@declare("question", "survivors")
class Survivors:
    """Which stop rules are known for part of the problems, and how those differ from all."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding]:
        """Readings that are known for the same problems are named together."""
        sound = ended(rows)
        solved = rows.numbers("solved")[sound] == 1
        alike: dict[bytes, tuple[KnownPart, list[str]]] = {}
        for name in rows.readings:
            there = known(rows, name)[sound]
            part = None if name == STORED else known_part(there, solved)
            if part is not None:
                alike.setdefault(there.tobytes(), (part, []))[1].append(name)
        if not alike:
            return
        groups = sorted(alike.values(), key=lambda group: -group[0].unknown)
        worst, names = groups[0][0], [name for _, named in groups for name in named]
        yield KIND(
            worst.unknown,
            worst.of,
            " ".join(f"{enumerated(named)}: {sentence(part)}" for part, named in groups),
            points=100 * max(part.apart for part, _ in groups),
            detail={"rules": {name: part.known for part, named in groups for name in named}},
            brief=f"{some(len(names), 'rule')} known for part of the problems",
        )


def sentence(part: KnownPart) -> str:
    """For how many a rule is known, and how many of these and of all are solved."""
    shares = (fixed(100 * share, 1) for share in (part.share, part.share_of_all))
    solved = "{} % of these are solved, {} % of all".format(*shares)
    return f"known for {part.known:,} of {part.of:,} problems, and not shown beside all of them ({solved})."
