"""`auditfw plan`: how many items a width, a difference or a gate needs, and what to buy next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditfw.audits.noise import TITLE, is_priced, noise_blocks, noise_document, repeats_are
from auditfw.commands.sweep.refusal import refuse_sweep
from auditfw.config.quoting import is_path
from auditfw.core.digits import fixed, rounded_up, short
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.errors import UsageError
from auditfw.core.files import guarded
from auditfw.core.result_json import dumps

from .questions import DIFFERENCE, GATE, WIDTH, ItemsPlan, PlannedItems, plan_of_run, plan_typed
from .settings import plan_settings
from .sides import PlanSide, apart, planned_run

MANY = 30  # items, from which on the approximations of plans and tests hold
SCHEMA, JSON = "auditfw.plan/1", "--json"
WRITE = "write auditfw plan RUN [width=2] [difference=2] [gate=0.85], or auditfw plan rate=0.8 discordant=0.1"


def plan(argv: list[str]) -> int:
    """`auditfw plan [RUN] [width=2] [difference=2] [gate=0.85] [power=0.8] [--json]`: how many items are enough.

    From a finished run, or from typed numbers: `rate=0.8 discordant=0.1`. The code is 0 whatever the plan comes to.
    """
    words = [word for word in argv if word != JSON]
    folders = [word for word in words if "=" not in word or is_path(word)]
    if len(folders) > 1 or any(word.startswith("-") for word in words):
        raise UsageError("plan", "needs one run folder, or typed numbers", " ".join(argv) or None, WRITE)
    settings = plan_settings([word for word in words if word not in folders])
    if folders:
        folder = Path(folders[0])
        refuse_sweep(folder, "plan")
        with guarded(folder):
            made = plan_of_run(planned_run(folder, settings.reading), settings)
    elif settings.is_typed:
        made = plan_typed(settings)
    else:
        raise UsageError("plan", "needs a run folder, or typed numbers", " ".join(argv) or None, WRITE)
    if JSON in argv:
        print(dumps(plan_document(made)), end="")
        return 0
    from auditfw.components.report.console import printing

    with printing() as page:
        for section in plan_sections(made):
            page.section(section)
    return 0


def plan_sections(made: ItemsPlan) -> Iterator[Section]:
    """A plan for people: what it is from, how many items, what it assumes; where the noise is from, what to buy."""
    rows = [
        [_question(one), f"{rounded_up(one.items):,}", f"{rounded_up(one.calls):,}", _seen(made, one)]
        for one in made.questions
    ]
    section = Section("Plan", [Note(_source(made))])
    if rows:
        section.blocks.append(Table(["to have", "items", "calls in all", "from"], rows, "<>><"))
    section.blocks += map(Note, [*_sentences(made), *made.why, *_assumed(made)])
    yield section
    if made.parts is not None and made.run is not None:
        priced = is_priced(made.settings.prices)
        blocks = noise_blocks(made.parts, made.buys, made.run.readings, priced, made.run.word)
        repeated = made.parts.repeat is not None
        yield Section(f"{TITLE}{_of(made.side)}", [*blocks, *([Note(repeats_are(made.run.names))] * repeated)])


def _of(side: PlanSide | None) -> str:
    return "" if side is None or side.name == "all trials" else f" ({side.short})"


def _source(made: ItemsPlan) -> str:
    run, side = made.run, made.side
    if run is None or side is None:
        return "From typed numbers: every item independent and asked once."
    if run.judged:
        return f"From {run.folder}: {some(len(run.readings), 'rater')} ({', '.join(run.readings)})."
    rate = side.rate
    each = "" if side.repeats == 1 else f", {short(side.repeats, 3)} trials an item"
    text = f"From {run.folder}, {side.name} by {run.readings[0]}: {fixed(100 * rate.share, 1)} % {run.word}"
    text += f" [{fixed(100 * rate.low, 1)}, {fixed(100 * rate.high, 1)}] on {some(rate.items, 'item')}{each}."
    chosen = made.settings.better is None and len(run.cells) > 1
    return f"{text} It is the best cell: others by better=CONDITION." if chosen else text


def _question(one: PlannedItems) -> str:
    if one.question == GATE:
        return f"a rate above {one.asked:g} shown"
    if one.question == WIDTH:
        return f"the rate to ± {one.asked:g} points"
    return f"a difference of {one.asked:g} points shown"


def _seen(made: ItemsPlan, one: PlannedItems) -> str:
    """What a number of items was computed from."""
    if one.question == DIFFERENCE:
        what = _spread(one)
        if made.other is None or made.side is None or made.settings.discordant is not None:
            return f"{what}, typed"
        sides = " and ".join(apart(made.side, made.other))
        return f"{what}: {sides}, {some(one.common or 0, 'common item')}"
    rate = f"{fixed(100 * (one.rate or 0.0), 1)} % {'right' if made.run is None else made.run.word}"
    if made.run is None or made.settings.rate is not None:
        return f"{rate}, typed"
    if one.single or made.side is None:
        return rate
    each = f"an item's {short(made.side.repeats, 3)} trials say as much as {short(1 / one.design, 2)} independent ones"
    return f"{rate}; {each}"


def _spread(one: PlannedItems) -> str:
    """How far apart two sides are on an item."""
    square = one.square or 0.0
    if one.single:
        return f"{fixed(100 * square, 0)} % of the items differ"
    return f"an item's difference is {fixed(100 * square**0.5, 0)} points (root mean square)"


def _sentences(made: ItemsPlan) -> Iterator[str]:
    for one in made.questions:
        if one.question == DIFFERENCE:
            square = one.square or 0.0
            source = "seen" if made.other is not None and made.settings.discordant is None else "expected"
            at = f"the {fixed(100 * square, 0)} % of discordant ones {source}" if one.single else "the spread seen"
            text = f"A difference of {one.asked:g} points needs about {some(rounded_up(one.items), 'item')} at {at}"
            if one.common and one.sees is not None:
                text += f"; your {one.common:,} can see {fixed(one.sees, 1)}"
            yield f"{text}."


def _assumed(made: ItemsPlan) -> Iterator[str]:
    if not made.questions:
        return
    power = f"{fixed(100 * made.settings.power, 0)} %"
    seen = "Assumed: further items are like these, each asked as often as now. " if made.run is not None else ""
    yield (
        f"{seen}A difference or a gate's margin that is true is shown by {power} of such runs (power), tested on both "
        "sides at 5 %; both sides of a difference answer the same items. Items and calls are rounded up to two digits "
        "(exact: --json)."
    )
    if any(one.items < MANY for one in made.questions):
        yield f"Fewer than {MANY} items are an approximation for many: take {MANY} at least."
    if made.run is not None:
        yield f"How many labels by people are enough: auditfw label {made.run.folder}"


def plan_document(made: ItemsPlan) -> dict[str, Any]:
    """A plan as plain data, with exact numbers."""
    run = made.run
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "run": None if run is None else run.folder,
        "readings": None if run is None else list(run.readings),
        "power": made.settings.power,
        "side": None if made.side is None else _side(made.side),
        "other": None if made.other is None else _side(made.other),
        "questions": [
            {
                "question": one.question, "asked": one.asked, "items": one.items, "calls": one.calls, "rate": one.rate,
                "design": one.design, "mean_square": one.square, "common": one.common, "sees": one.sees,
            }
            for one in made.questions
        ],
        "not_planned": made.why,
    }  # fmt: skip
    return document | {"noise": None if made.parts is None else noise_document(made.parts, made.buys)}


def _side(side: PlanSide) -> dict[str, Any]:
    rate = side.rate
    return {
        "name": side.name, "items": rate.items, "trials": rate.trials, "rate": rate.share, "low": rate.low,
        "high": rate.high, "design_effect": rate.design_effect,
    }  # fmt: skip
