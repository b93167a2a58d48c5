"""Pairs of an answer and a truth as data sets of mathematics hold them, from a small grammar of LaTeX forms."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

Draw = random.Random
WORDS = ("Tuesday", "even", "east", "Evelyn", "parallelogram", "ellipse", "yes", "no")
UNITS = ("cm", "meters", "inches", "hours", "dollars", "square units")


def whole(draw: Draw) -> str:
    return str(draw.choice([draw.randint(2, 9), draw.randint(10, 99), -draw.randint(1, 40)]))


def digit(draw: Draw) -> str:
    return str(draw.randint(2, 9))


def root(draw: Draw) -> str:
    return draw.choice([r"%s\sqrt{%s}", r"\frac{\sqrt{%s}}{%s}", r"%s+\sqrt{%s}", r"%s - 2\sqrt{%s}"]) % (
        digit(draw), draw.choice("235"),
    )  # fmt: skip


def fraction(draw: Draw) -> str:
    forms = (r"\frac{%s}{%s}", r"\dfrac{%s}{%s}", r"-\frac{%s}{%s}", "%s/%s", r"\frac%s%s", r"\tfrac{%s}{%s}")
    return draw.choice(forms) % (digit(draw), digit(draw))


def polynomial(draw: Draw) -> str:
    forms = ("%sx+%s", "x^2-%sx+%s", "(x+%s)(x-%s)", "%sx^{2} + %s", "%sab - %sc", r"\frac{x+%s}{%s}")
    return draw.choice(forms) % (digit(draw), digit(draw))


def interval(draw: Draw) -> str:
    forms = ("(%s,%s)", "[%s,%s)", "[%s, %s]", r"(-\infty,%s] \cup (%s,\infty)", r"\left(%s, %s\right]")
    low, high = sorted((draw.randint(-9, 9), draw.randint(10, 20)))
    return draw.choice(forms) % (low, high)


def matrix(draw: Draw) -> str:
    kind = draw.choice(["pmatrix", "bmatrix"])
    a, b, c, d = (whole(draw) for _ in range(4))
    rows = draw.choice([rf"{a} \\ {b}", rf"{a} & {b} \\ {c} & {d}", rf"{a}\\{b}\\{c}"])
    return rf"\begin{{{kind}}} {rows} \end{{{kind}}}"


FORMS: tuple[Callable[[Draw], str], ...] = (
    whole,
    root,
    fraction,
    polynomial,
    interval,
    matrix,
    lambda d: f"{d.randint(0, 99)}.{d.randint(1, 99)}",
    lambda d: d.choice(["%s{,}%03d", "%s,%03d", r"%s,\! %03d"]) % (d.randint(1, 99), d.randint(0, 999)),
    lambda d: rf"{digit(d)}\frac{{{d.randint(1, 4)}}}{{{d.randint(5, 9)}}}",
    lambda d: d.choice([r"%s\pi", r"\frac{%s\pi}{7}", r"%s\pi+2", r"%s \pi r^2"]) % digit(d),
    lambda d: d.choice(["x=%s", "y = 2x+%s", "x = -%s", r"x \le %s", r"x>%s", r"x \in [-2,%s]"]) % digit(d),
    lambda d: (
        d.choice(["%s,%s", "(%s,%s,4)", r"\{%s,%s,30\}", r"%s \text{ and } %s", r"%s \pm %s"])
        % (digit(d), d.randint(10, 20))
    ),
    lambda d: rf"{digit(d)} \text{{ {d.choice(UNITS)}}}",
    lambda d: d.choice([r"%s\%%", r"%s^\circ", r"\$%s", r"\$%s.50", r"%s!", r"|%s|", r"2^{%s}", r"%s_8"]) % digit(d),
    lambda d: d.choice("ABCDE"),
    lambda d: d.choice([r"\text{(%s)}", r"\text{%s}", r"\textbf{(%s)}", "(%s)"]) % d.choice("ABCDE"),
    lambda d: rf"\text{{{d.choice(WORDS)}}}",
    lambda d: d.choice(WORDS),
    lambda d: (
        d.choice(["%s-5i", "%s+2i", r"%s\times 10^{3}", r"\log_2 %s", r"\binom{%s}{2}", r"\sqrt[3]{%s}"]) % digit(d)
    ),
)


ANSWERS: tuple[str, ...] = (
    "{}", "${}$", r"$\boxed{{{}}}$", r"\boxed{{{}}}", r"\[ {} \]", r"\({}\)", "We get $1+1=2$. So the answer is ${}$.",
    "First $x^2$, then $y$.\nHence \\[x = y.\\]\nThe final answer is $\\boxed{{{}}}$. I hope it is correct.",
)  # fmt: skip


def pairs(seed: int = 13) -> Iterator[tuple[str, str]]:
    """Endless pairs (answer, truth): the truth itself, another of its form or any other, bare or in a completion."""
    draw = random.Random(seed)
    while True:
        form = draw.choice(FORMS)
        truth = form(draw)
        other = draw.choice([truth, truth, form(draw), draw.choice(FORMS)(draw)])
        yield draw.choice(ANSWERS).format(other), truth
