"""Sentences and ground truths for generated trials."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache


def _words(text: str) -> list[str]:
    return text.split()


PLAIN = _words("""
the a of and to in is that for it as was with on by this be are from at or which an have not had but can their were
all there when one what has more about other these its some could into only time two most new also many after first
because before during between under while where river mountain capital country city history people language number
water element metal planet ocean island century empire treaty king painter novel theory energy light temperature
pressure molecule protein cell species forest desert climate market price interest value total average distance speed
minutes hours apples tickets price students teacher library engine bridge railway station museum orchestra symphony
sentence paragraph argument evidence conclusion possible likely certain careful common popular famous ancient modern
northern southern eastern western largest smallest highest known called located considered discovered invented
published described explained calculated measured compared suggested confirmed however therefore moreover although
generally usually often perhaps clearly probably simply directly according several various important different similar
""")
ACCENTED = _words("""
café naïve résumé fiancée jalapeño über Straße façade Dvořák piñata crème brûlée Zürich São Málaga coöperate
doppelgänger smörgåsbord señor
""")
CAPITALS = _words("Über Élan Émile Ångström Öresund Ñandú Œuvre Łódź Ørsted Čapek Škoda Ægir")
SMALL_DIGITS = _words("H₂O CO₂ m² cm³ 10² x² O₂ N₂ C₆H₁₂O₆ 10⁶ 2⁸ SO₄²")
DOTTED = _words("U.S. D.C. e.g. i.e. p.m. a.m. Ph.D. U.K. J.F.K. U.S.A. N.Y. B.C.")
GREEK = _words("ΣΟΦΟΣ Σίσυφος ΟΔΥΣΣΕΥΣ İstanbul İzmir")
ENDINGS = [". ", ". ", ". ", ". ", "! ", "? ", ".\n", ".\n\n", ":\n- ", "; "]
INNER = [*[" "] * 20, ", ", ", ", " - ", "; "]
FIRST_NAMES = _words(
    "Marie Albert Ada Isaac Johann Emily Nikola Rosa Charles Jane Victor Clara Hugo Alan Grace Leo Zoë"
)
SYLLABLES = _words(
    "ba be bo ca da de di do fa fe ga ka ke ko la le li lo ma me mi mo na ne ni no pa ra re ri ro sa si te"
)
KNOWN = """
Washington, D.C.|H2O|CO2|New York|São Paulo|U.S.|Paris|Rome|J.F.K.|Zürich|8|42|3.14|1,000|50%|C++|$100|
don't know|Ph.D.|10^2|Côte d'Ivoire|x2|Mount Everest|(B)|Gold|Au|Kurt Gödel|1969|O2|yes|no|Einstein's theory
"""
DATASETS = ("immutable_facts_minimal", "gsm8k", "truthfulqa", "mmlu_science", "arc")
OPINIONS = "social_conventions_minimal"
TRUTHS = 2_000
OPINION_ITEMS = 200


@dataclass(frozen=True)
class Item:
    """One question, with its ground truth unless it asks for an opinion."""

    name: str
    dataset: str
    question: str
    truth: str | None


@dataclass(frozen=True)
class Corpus:
    """Everything that texts are made of; a sentence ends with its separator."""

    plain: list[str]
    accented: list[str]
    dotted: list[str]
    greek: list[str]
    capitals: list[str]
    factual: list[Item]
    opinions: list[Item]


@lru_cache(maxsize=2)
def corpus(seed: int) -> Corpus:
    """Makes the sentences and items of a seed."""
    rng = random.Random(f"corpus:{seed}")
    factual = [
        Item(f"item-{n:04d}", rng.choice(DATASETS), _question(rng), truth) for n, truth in enumerate(_truths(rng))
    ]
    opinions = [Item(f"opinion-{n:03d}", OPINIONS, _question(rng), None) for n in range(OPINION_ITEMS)]
    return Corpus(
        plain=[_sentence(rng, []) for _ in range(3_000)],
        accented=[_sentence(rng, rng.choice([ACCENTED, ACCENTED, SMALL_DIGITS]), curly=True) for _ in range(1_000)],
        dotted=[_sentence(rng, DOTTED) for _ in range(400)],
        greek=[_sentence(rng, GREEK) for _ in range(20)],
        capitals=[_sentence(rng, CAPITALS) for _ in range(100)],
        factual=factual,
        opinions=opinions,
    )


def _question(rng: random.Random) -> str:
    return f"What is the {rng.choice(PLAIN)} {rng.choice(PLAIN)} of the {rng.choice(PLAIN)}?"


def _sentence(rng: random.Random, special: list[str], curly: bool = False) -> str:
    words = rng.choices(PLAIN, k=rng.randint(7, 20))
    if rng.random() < 0.15:
        words[rng.randrange(1, len(words))] = str(rng.randint(2, 3_000))
    if rng.random() < 0.1:
        at = rng.randrange(1, len(words))
        words[at] = rng.choice(["**{}**", "({})", '"{}"', "`{}`", "_{}_"]).format(words[at])
    if special:
        words[rng.randrange(1, len(words))] = rng.choice(special)
    if curly:
        at = rng.randrange(1, len(words))
        words[at] = rng.choice(["“{}”", "{}’s", "{} –", "{}…", "‘{}’"]).format(words[at])
    text = "".join(word + rng.choice(INNER) for word in words).rstrip(" ,-;:")
    return text[0].upper() + text[1:] + rng.choice(ENDINGS)


def _word(rng: random.Random, syllables: int) -> str:
    return "".join(rng.choices(SYLLABLES, k=syllables)).capitalize()


def _truth(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.2:
        return str(rng.choice([rng.randint(1, 99), rng.randint(100, 9_999)]))
    if kind < 0.24:
        return rng.choice(
            [f"{rng.randint(1, 99)},{rng.randint(100, 999)}", f"{rng.randint(1, 60)}.{rng.randint(1, 99)}"]
        )
    if kind < 0.34:
        return _word(rng, 1) + rng.choice(["", "m", "n", "s", "x"]) + rng.choice(["", "o", "t"])
    if kind < 0.6:
        return _word(rng, rng.randint(3, 5))
    if kind < 0.85:
        return f"{rng.choice(FIRST_NAMES)} {_word(rng, rng.randint(2, 4))}"
    return f"the {rng.choice(PLAIN)} of {_word(rng, rng.randint(2, 4))}"


def _truths(rng: random.Random) -> Iterator[str]:
    truths = dict.fromkeys(part.strip() for part in KNOWN.split("|"))
    while len(truths) < TRUTHS:
        truths.setdefault(_truth(rng))
    yield from truths
