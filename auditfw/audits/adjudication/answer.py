"""What follows from people's labels: is the reference right, does another reading do better, is that known?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from auditfw.audits.answers import (
    RULES,
    Argument,
    Reason,
    Statement,
    concluded,
    enumerated,
    interval,
    nothing_audited,
)
from auditfw.audits.claim_answer import claims_argument
from auditfw.audits.orders import ReadStatements
from auditfw.audits.read_claims import ReadClaim
from auditfw.core.digits import chance, fixed, rounded_up
from auditfw.core.document import some, verb
from auditfw.core.errors import brief
from auditfw.core.escaping import typed
from auditfw.core.records import HEADLINE, Answer, AnswerRule, Value
from auditfw.formulas.people.shares import Share

from .numbers import RIGHT, WRONG, OffBy
from .results import PEOPLE, PeoplesResults

DIFFER = 0.1  # of the trials with two labellers: that is a reason
NAMES = (60, 40, 30, 24, 18, 12)  # characters of a name in a headline that is too long
AS_STATED = "as stated by you"
CHOSEN = {"random": "single trials at random", "items": "whole items at random", "probability": "with probabilities"}


def answer_of(results: PeoplesResults, claims: Sequence[ReadClaim] = ()) -> Answer:
    """The answer of an adjudication, with the claims that were read."""
    if not results.labelled and not results.undecided:
        return nothing_audited("Label some of the drawn trials")
    arguments = [
        _off(results),
        _skill(results),
        _better(results),
        _turned(results),
        _few(results),
        _wide(results),
        _skill_unsure(results),
    ]
    remarks = because(results, arguments[1].rules, arguments[2].rules)
    arguments[0] = Argument(arguments[0].rules, arguments[0].words, scope(results), remarks=remarks)
    if claims:
        arguments.insert(1, claims_argument(ReadStatements(claims), PEOPLE, ()))
    return concluded(arguments, lambda: _stable(results), "adjudication")


def _labels(results: PeoplesResults) -> str:
    return some(results.labels, "label")


def _rates(results: PeoplesResults, by: OffBy, reference: str) -> str:
    """What people call wrong, and what a reading does."""
    wrong = f"People call {percent(by.share)} wrong{ends(by.share)}{_of(results)}"
    return f"{wrong}, {reference} {fixed(100 * by.own, 1)} %"


def _of(results: PeoplesResults) -> str:
    """Of which trials a headline speaks, where the reference does not label all of them."""
    rows = results.trials.rows
    labelled, trials = (int(rows.times[some].sum()) for some in (rows.labelled(results.reference), rows.every))
    return "" if labelled == trials else f" of the {labelled:,} that it labels"


def percent(share: Share) -> str:
    """A share in percent, in as many places as its interval bears: `25.1 % wrong`'s number and its ends."""
    return f"{fixed(100 * share.value, 1)} %"


def ends(share: Share) -> str:
    """The interval of a share in percent behind it; nothing where every trial has a label."""
    return "" if share.low == share.high else f" {interval(100 * share.low, 100 * share.high, 1)}"


def fitted(text: Callable[..., str], *names: str) -> str:
    """A headline about readings, whose names are cut where it would be too long."""
    shown = text(*names)
    for most in NAMES:
        if len(shown) <= HEADLINE:
            break
        shown = text(*(brief(name, most) for name in names))
    return shown


def _points(results: PeoplesResults, kind: str, share: Share | None, bound: float, fired: bool) -> AnswerRule:
    numbers = () if share is None else (100 * share.value, 100 * share.low, 100 * share.high)
    return RULES[kind](results.reference, *numbers, bound=bound, fired=fired)


def _off(results: PeoplesResults) -> Argument:
    bound, margin, by = results.settings.off, results.settings.margin, results.off
    off = None if by is None else by.off
    beyond = off is not None and (100 * off.low > bound or 100 * off.high < -bound)
    apart = off is not None and (off.low > 0 or off.high < 0) and abs(100 * off.value) >= margin
    rules = [_points(results, "off", off, bound, beyond), _points(results, "off_some", off, margin, apart)]
    if by is None or not (apart or beyond):
        return Argument(rules)

    def text(reference: str) -> str:
        return (
            f"{_rates(results, by, reference)}: off by {fixed(abs(100 * by.off.value), 1)} points ({_labels(results)})."
        )

    called, other = ("wrong", "right") if by.off.value > 0 else ("right", "wrong")
    label = WRONG if by.off.value > 0 else RIGHT
    rows = results.trials.rows
    n = int((rows.decided & (rows.readings[results.reference] == label) & (rows.people == 1 - label)).sum())
    answers = some(n, "answer")
    step = f"Read the {answers} that {results.reference} calls {called} and people {other} in report.html"
    step = step if n else _more(results, results.more_labels, results.settings.precision)
    words = Statement(fitted(text, results.reference), [], step)
    return Argument(rules, {"broken": words, "fragile": words})


def _skill(results: PeoplesResults) -> Argument:
    bound, skill = results.settings.skill, results.skill
    rule = _points(results, "skill", skill, bound, skill is not None and 100 * skill.high < bound)
    step = f"Use another scoring than {results.reference}, or grade the answers again"
    if skill is not None and skill.high < 0:
        step = "See whether right and wrong are exchanged in the labels: audit.right, audit.wrong"
    return Argument([rule], {"broken": Statement(_called(results, "say little"), [], step)})


def _skill_unsure(results: PeoplesResults) -> Argument:
    bound, skill = results.settings.skill, results.skill
    rule = _points(results, "skill_unsure", skill, bound, skill is not None and 100 * skill.low < bound)
    step = _more(results, results.half_as_wide)
    return Argument([rule], {"unknown": Statement(_called(results, "may say little"), [], step)})


def _called(results: PeoplesResults, says: str) -> str:
    """What people say of the answers that the reference calls right, and of those that it calls wrong."""
    right, wrong = (0.0 if share is None else 100 * share.value for share in results.called)

    def text(reference: str) -> str:
        return (
            f"Labels of {reference} {says}: right are {fixed(right, 0)} % of those it calls right and "
            f"{fixed(wrong, 0)} % of those it calls wrong ({_labels(results)})."
        )

    return fitted(text, results.reference)


def _better(results: PeoplesResults) -> Argument:
    best, reference = results.best, results.reference
    pair = results.against.get(reference)
    theirs, own = results.agrees.get(best or ""), results.agrees.get(reference)
    if best is None or pair is None or pair.share is None or theirs is None or own is None:
        return Argument([_no_better(results)])
    gain, settings = 100 * (theirs.value - own.value), results.settings
    fired = pair.adjusted <= settings.alpha and gain >= settings.margin
    rule = RULES["better"](best, gain, p=pair.adjusted, bound=settings.margin, fired=fired)

    def text(one: str, other: str) -> str:
        return (
            f"{one} agrees with people on {percent(theirs)}, {other} on {fixed(100 * own.value, 1)}: where they differ "
            f"{one} is right on {pair.right:,} of {pair.labelled:,}."
        )

    step = f"Compare with it: auditfw rerun {typed(results.settings.run_)} audit.reference={typed(best)}"
    return Argument([rule], {"fragile": Statement(fitted(text, best, reference), [], step)})


def _no_better(results: PeoplesResults) -> AnswerRule:
    return RULES["better"](results.best or results.reference, bound=results.settings.margin, fired=False)


def _turned(results: PeoplesResults) -> Argument:
    turned = results.turned
    if not turned:
        return Argument([RULES["turned"](PEOPLE, bound=0.0, fired=False)] if results.pairs else [])
    rules = [
        RULES["turned"](PEOPLE, *(100 * end for end in (p.people.value, p.wider.low, p.wider.high)), bound=0.0,
                        fired=True, cell=p.a)
        for p in turned
    ]  # fmt: skip
    first = turned[0]
    a_wins = first.people.value < 0  # error rates: the lower one is better
    better, worse = (first.a, first.b) if a_wins else (first.b, first.a)
    by = first.people
    by = Share(-by.value, -by.high, -by.low) if a_wins else by

    def text(one: str, other: str, reference: str) -> str:
        return (
            f"People turn the order of {one} and {other}: {one} is better by {fixed(100 * by.value, 1)} points"
            f"{ends(by)}, under {reference} {other} by "
            f"{fixed(abs(100 * first.reference), 1)} ({_labels(results)})."
        )

    headline = fitted(text, _cell(better), _cell(worse), results.reference)
    return Argument(
        rules, {"fragile": Statement(headline, [], f"Compare {_cell(better)} and {_cell(worse)} by people's rates")}
    )


def _cell(cell: Mapping[str, Value]) -> str:
    """The values of a cell: short, for a headline."""
    return ", ".join(map(str, cell.values()))


def _few(results: PeoplesResults) -> Argument:
    least, n, error = results.settings.least, results.labelled, results.error
    fired = n < least or error is None
    rule = RULES["few"](PEOPLE, float(n), bound=float(least), fired=fired)
    if not fired:
        return Argument([rule])
    headline = f"Only {some(n, 'label')} {verb(n, 'is', 'are')} there: too few to say what people call wrong."
    if error is not None:
        headline = (
            f"People call {percent(error)} wrong{ends(error)}: {some(n, 'label')} {verb(n, 'is', 'are')} too few."
        )
    return Argument([rule], {"unknown": Statement(headline, [], _more(results, max(least - n, 1)))})


def _wide(results: PeoplesResults) -> Argument:
    bound, by = results.settings.precision, results.off
    off = None if by is None else by.off
    fired = off is not None and (100 * off.high > bound or 100 * off.low < -bound)
    rule = _points(results, "wide", off, bound, fired)
    if by is None or not fired:
        return Argument([rule])

    def text(reference: str) -> str:
        return (
            f"{_rates(results, by, reference)}: "
            f"{_labels(results)} cannot tell whether {reference} is off by {bound:g} points."
        )

    return Argument(
        [rule], {"unknown": Statement(fitted(text, results.reference), [], _more(results, results.more_labels, bound))}
    )


def _more(results: PeoplesResults, labels: int | None, precision: float | None = None) -> str:
    """How to get more labels: so many, for an interval of so many points each way."""
    n = None if not labels else rounded_up(labels)
    draw = f"auditfw label {typed(results.settings.run_)}"
    if results.trials.draw is None:
        return f"Label {f'about {n:,} more' if n else 'more'} trials, chosen in the same way"
    name = "" if results.settings.draw == "labels" else f" name={results.settings.draw}"
    for_what = f"make it ± {precision:g} points" if precision else "narrow it"
    if results.left:
        again = f"auditfw adjudicate {' '.join(map(typed, (results.settings.run_, *results.settings.labels)))} NEW.csv"
        pages = enumerated(results.pages_left, 3)
        skipped = f" ({results.skipped:,} of them skipped)" if results.skipped else ""
        return f"Label the {some(results.left, 'drawn trial')} without a label{skipped} ({pages}), then: {again}"
    return f"About {n:,} more labels would {for_what}: {draw} n={max(n, 10)}{name}" if n else f"Draw more: {draw}{name}"


def _stable(results: PeoplesResults) -> Statement:
    by = results.off
    if by is None:
        return Statement("Nothing speaks against the reference.", [], "Report people's rate with its interval")

    def text(reference: str) -> str:
        return (
            f"People confirm {reference}: {percent(by.share)} wrong{ends(by.share)} by {_labels(results)}, "
            f"{fixed(100 * by.own, 1)} % by {reference}."
        )

    return Statement(fitted(text, results.reference), [], f"Report {percent(by.share)} with its interval")


def because(results: PeoplesResults, skill: Sequence[AnswerRule], better: Sequence[AnswerRule]) -> list[Reason]:
    """Why: false rights and wrongs, who is best, new questions, what was left open, how far labellers differ."""
    reasons = [Reason(_false_labels(results), skill), Reason(_best(results), better)]
    reasons += [Reason(text(results)) for text in (_new_questions, _open, _labellers)]
    return [reason for reason in reasons if reason.text]


def _false_labels(results: PeoplesResults) -> str:
    rows, reference = results.trials.rows, results.reference
    right, wrong = (rows.false_labels(reference, label) for label in (RIGHT, WRONG))
    if right is None or wrong is None or rows.probability is not None:
        return ""
    return (
        f"Of the answers that {reference} calls right {percent(right)} are wrong{ends(right)}; "
        f"of those it calls wrong {percent(wrong)} are right{ends(wrong)}."
    )


def _best(results: PeoplesResults) -> str:
    best = results.best
    pair = results.against.get(results.reference) or next(iter(results.against.values()), None)
    share = results.agrees.get(best or "")
    if best is None or pair is None or share is None:
        return ""
    text = f"{best} agrees best with people, on {percent(share)}{ends(share)}"
    if pair.share is None:
        return (
            f"{text}; it differs from {pair.other} on {some(pair.differ, 'trial')}, {pair.labelled:,} of them labelled."
        )
    where = f"{pair.right:,} of {some(pair.labelled, 'label')} where it differs from {pair.other}"
    return f"{text}: it is right on {where}, at {some(pair.items, 'question')} ({chance(pair.adjusted)})."


def _new_questions(results: PeoplesResults) -> str:
    new = results.error_of_new
    return (
        "" if new is None else f"Of new questions of the same sort people would call {percent(new)} wrong{ends(new)}."
    )


def _open(results: PeoplesResults) -> str:
    n = results.undecided
    if not n:
        return ""
    return f"{some(n, 'trial')} {verb(n, 'is', 'are')} undecided: the intervals count them as right and as wrong."


def _labellers(results: PeoplesResults) -> str:
    two = results.labellers
    if two is None or 1 - two.share.value <= DIFFER:
        return ""
    text = f"Two labellers differ on {two.pairs - two.equal:,} of {some(two.pairs, 'trial')}"
    error = results.labeller_error
    if error is None:
        return f"{text}."
    return f"{text}: no scoring can agree with one of them on more than about {fixed(100 * (1 - error), 0)} %."


def scope(results: PeoplesResults) -> list[str]:
    """What was labelled, how it was chosen, and of which trials the intervals are."""
    trials, sampling = int(results.trials.rows.times.sum()), results.settings.sampling
    people = max(len(results.people), 1)
    made = [f"{_labels(results)} of {some(trials, 'trial')} by {some(people, 'person', 'people')}"]
    if results.trials.draw is not None:
        made.append(f"Drawn within four classes of trials with seed {results.trials.draw.seed}")
    else:
        how = {
            "random": "single trials at random",
            "items": "whole items at random",
            "probability": "with probabilities",
        }
        made.append(f"Chosen {how[sampling]}, {AS_STATED}")
    if sampling != "items":
        made.append(f"The intervals are of these {some(trials, 'trial')}")
    for n, what in ((results.undecided, "undecided"), (results.not_reached, "not reached")):
        made += [f"{n:,} {what}"] if n else []
    return made
