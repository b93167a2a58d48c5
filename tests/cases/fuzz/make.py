"""Makes this corpus anew: `python tests/cases/fuzz/make.py` in a checkout, with gcc. See PROVENANCE.md."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from kernel_builds import built, copied  # noqa: E402 - it is two folders above this file

SEED, TURNS, MOST = 2024, 40_000, 3_000
Reach = Callable[[Callable[[bytes], None], bytes], int]
BOM = b"\xef\xbb\xbf"
# Which pairs of places in the code follow each other; places count from the map, as modules lie anywhere.
WATCH = r"""
#include <stdint.h>
unsigned char reached[65536];
static uintptr_t before;
void __sanitizer_cov_trace_pc(void) {
    const uintptr_t here = (uintptr_t)__builtin_return_address(0) - (uintptr_t)reached;
    reached[((here ^ before) * 0x9E3779B1u >> 8) & 65535] = 1;
    before = here << 1;
}
"""


def good(qid: bytes = b"a", **more: bytes) -> bytes:
    """A line as they usually are, with other values for some keys."""
    parts = {
        "scholar": b'{"label": "VALID", "reason": "ok"}',
        "auditor": b'{"label": "REJECT", "reason": "ok"}',
        "answer_json": b'{"claim": "x", "citations": ["a"]}',
        "retrieved_ids": b'["a", "b"]',
        "flags": b'{"provenance_violation": false, "constraints_mismatch": false}',
        "score": b"1",
        **more,
    }
    return b'{"qid": "' + qid + b'", ' + b", ".join(b'"%s": %s' % (k.encode(), v) for k, v in parts.items()) + b"}"


def short(qid: bytes = b"a", score: bytes = b"1") -> bytes:
    return b'{"qid": "%s", "scholar": {"label": "VALID"}, "score": %s}' % (qid, score)


def around(*odd: bytes) -> bytes:
    """Odd lines between good ones, so that the scanner has something to remember."""
    return b"\n".join([good(), good(), *(line for one in odd for line in (one, short(b"b"))), good()])


def scores(*values: bytes) -> bytes:
    return around(*(short(score=value) for value in values))


def lines() -> Iterator[tuple[str, bytes]]:
    """Blocks of lines made by hand, each for what its name says."""
    yield "empty", b""
    yield "blank", b" \t\r\n\n\r\n   \n\t"
    yield "good", around()
    yield "no_end", b"\n".join([good()] * 3)
    yield "torn", b"\n".join([good()] * 3)[:-20]
    yield "bom_at_start", BOM + around()
    yield "bom_within", around(BOM + good(), good(BOM), good() + BOM)
    yield "ends_mixed", good() + b"\r\n" + good() + b"\r" + good() + b"\n\r" + good() + b"\n\n" + good() + b"\r\r\n"
    yield (
        "breaks_that_are_none",
        around(*(good(b"a" + c + b"b") for c in (b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c", b"\x1c"))),
    )
    yield "nuls", around(b"\0", good(b"\0"), good() + b"\0", b"\0" + good(), good(score=b"\0"), good(score=b"1\0"))
    yield "controls", around(*(short(bytes([c])) for c in range(1, 32) if c != 10), short(b"\x7f"))
    yield "deep_99", scores(b"[" * 98 + b"]" * 98, b'{"a":' * 98 + b"1" + b"}" * 98)
    yield "deep_100", scores(b"[" * 99 + b"]" * 99, b"[" * 100 + b"]" * 100, b'{"a":' * 100 + b"1" + b"}" * 100)
    yield "deep_5000", scores(b"[" * 5000, b'{"a":' * 500)
    yield "escapes", scores(rb'"\"\\\/\b\f\n\r\t\u0041\u00e9\uffff"', rb'"\u0000"', rb'"\u005c\u0022"')
    yield "escapes_cut", scores(*(rb'"\ud83d\ude00'[:n] for n in range(1, 13)), rb'"\u12g4"', rb'"\x"', b'"\\')
    yield "escape_at_the_end", good(score=b'"\\u12')[:-1]
    yield "backslash_at_the_end", good() + b'\n{"qid": "a\\'
    yield "surrogates", scores(rb'"\ud800"', rb'"\udc00"', rb'"\udc00\ud800"', rb'"\ud83d\ude00"', b'"\xed\xa0\x80"')
    yield (
        "surrogate_keys",
        around(rb'{"\ud800": 1, "qid": "a"}', b'{"\xed\xb0\x80": 1, "qid": "a"}', rb'{"\u0071id": "a"}'),
    )
    broken = (
        b"\xff",
        b"\xc3",
        b"\xc3(",
        b"\xf4\x90\x80\x80",
        b"\xe0\x80\x80",
        b"\xc0\xaf",
        b"\xf0\x8f\xbf\xbf",
        b"\x80",
    )
    yield "no_utf_8", around(*(short(one) for one in broken))
    yield "no_utf_8_at_the_end", good() + b'\n{"qid": "\xf0\x9f\x99'
    yield "utf_8", around(*(short(c.encode()) for c in "\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"))
    numbers = (b"1e999", b"-1e999", b"1e-400", b"9" * 18, b"9" * 19, b"9" * 400, b"0." + b"1" * 17, b"0." + b"1" * 18)
    yield "numbers_huge", scores(*numbers, b"1e99", b"1e100", b"123456789012345678901234567890", b"1" + b"0" * 4400)
    odd = (
        b"-",
        b"-0",
        b"-0.0",
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"1e",
        b"1e+",
        b"0x1",
        b"NaN",
        b"-Infinity",
        b"1_0",
        b"--1",
    )
    yield "numbers_odd", scores(*odd)
    yield "words", scores(b"true", b"false", b"null", b"tru", b"nulll", b"True", b"n", b"falsefalse")
    yield "word_at_the_end", good(score=b"fals")[:-1]
    yield (
        "keys_twice",
        around(good(qid=b"b"), b'{"qid": "a", "qid": "b"}', b'{"x": {"y": 1, "y": 2}}', b'{"": 1, "": 2}'),
    )
    yield "keys_twice_as_before", b'{"a": {"b": 1}, "c": 2}\n{"a": {"b": 1, "b": 2}}\n{"a": {"b": 1}, "a": {"b": 1}}'
    yield "keys_long", around(*(b'{"%s": 1, "qid": "a"}' % (b"k" * n) for n in (14, 15, 16, 17, 31, 32, 33, 4000)))
    yield (
        "keys_long_alike",
        b"\n".join(b'{"%s%d": 1, "qid": "a"}' % (b"k" * n, n % 3) for n in (40, 40, 41, 41, 41, 15, 15)),
    )
    many = b"{" + b", ".join(b'"k%d": %d' % (i, i) for i in range(520)) + b"}"
    yield "keys_600", many + b"\n" + short()
    full = b"{" + b",".join(b'"%d":{"a":1}' % i for i in range(256)) + b"}"
    yield "keys_512_of_objects", b"\n".join([full, full[:-1] + b',"z":{"a":1}}', short()])
    ways = (
        b'{"qid" "a"}',
        b'{"qid": "a",}',
        b'{"qid": "a"} {}',
        b'{"qid": "a"',
        b"{'qid': 'a'}",
        b'{"qid":}',
        b"{,}",
        b"{1: 2}",
    )
    yield "objects_wrong", around(*ways, b"{", b"}", b"[]", b'"a"', b"null", b"{]", b'{"qid": "a"]')
    yield "lists_wrong", scores(b"[1, 2,]", b"[1 2]", b"[,]", b"[", b"]", b'["a"', b'["a",', b'["a" "b"]', b"[}")
    yield (
        "spaces",
        around(b' \t{ "qid"\t:\r"a" , "score" : [ 1 , "x" , { } , [ ] ] } \r', b"{}", b"{ }", b'{"qid":"a"}'),
    )
    texts = (
        b'["a"]',
        b"[]",
        b'["b", "a"]',
        b'[","]',
        b'["\\n"]',
        b'["a", 1]',
        b'"a"',
        b"null",
        b"{}",
        b'[" , "]',
        b'[""]',
    )
    yield "citations", around(*(good(answer_json=b'{"citations": %s}' % one) for one in texts))
    yield "retrieved", around(*(good(retrieved_ids=one) for one in texts))
    reasons = (b'"ok"', b'""', b"null", b"1", b'"o\\u006b"', b'"' + b"x" * 70 + b'"', b"[]", b"{}", b'"\xc3\xa9"')
    yield "reasons", around(*(good(scholar=b'{"label": "VALID", "reason": %s}' % one) for one in reasons))
    yield (
        "raters_odd",
        around(*(good(scholar=one) for one in (b"null", b"[]", b'"VALID"', b"{}", b'{"label": ["VALID"]}'))),
    )
    yield "ids_many", b"\n".join(b'{"qid": "q%d"}' % (i * i) for i in range(260))
    yield (
        "ids_odd",
        around(*(b'{"qid": %s}' % one for one in (b'""', b"null", b"5", b"5.0", b"true", b'["a"]', b'"\\n"'))),
    )
    yield "a_quote_at_each_place", b"\n".join(b'{"qid": "%s"}' % (b"x" * n) for n in range(40))
    yield "text_without_end", b'{"qid": "' + b"x" * 37


def texts() -> Iterator[tuple[str, bytes]]:
    """Texts made by hand, each for what its name says."""
    plain = {
        "lower_dotted_i": "İ İstanbul </THİNK> İUSER: i\u0307 ı I" + "İ" * 40,
        "lower_sigma": "Σ ΟΔΟΣ ΣΑΣ Σ. aΣ\u0301 ΑΣ:Β ΑΣ" + "x" * 29 + "Σ",
        "lower_kelvin": "\u212a \u212b \u2126 </thin\u212a> \u1e9e ẞ ß ŉ ǰ ΐ ﬀ ﬃ",
        "lower_two_widths": "ÿ Ÿ µ Μ \u0178\u00ff" + "A" * 31 + "Ÿ",
        "lower_wide": "𐐀𐐨 𞤀𞤢 𝐀 🙂 A" * 9,
        "surrogates": "a\ud800b \udc00\ud83d 8 \udfff</think>\ud800",
        "nuls": "\0a\0\0 8\0</think>\0user:\0",
        "blanks_run": "a" + " " * 3000 + "\t\n" * 300 + "new" + "\u3000" * 500 + "york" + "\xa0" * 500,
        "blanks_only": " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2028\u2029\u202f\u205f\u3000" * 20,
        "blanks_that_are_none": "\u200b\u2060\ufeff\u180e a\u200b8\u200b",
        "markers": "\nuser\nUSER: passage: Question:\nsystem:user:\n</think></THINK></think> assistant:" * 3,
        "marker_at_start": "user: 8\nuser: 9 user:",
        "markers_cut": "</thin </think </think> use user\n use: \nuse" + "x" * 27 + "</thin",
        "think_many": "</think>" * 200,
        "think_over_a_block": "".join("x" * n + "</think>" for n in (23, 24, 25, 26, 31, 32, 33)),
        "dots": "a.b.c U.S. a.b.cd d.c. .a.b. a..b é.f a.é _a.b a.b_ 1.a.b " * 4 + "a.b",
        "digits": "²½₂⁹ ¹²³ ⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉ ٤ ४ 𝟠 1,000 -3.5 1e5 ¼" * 3,
        "words": "the The a an THE, the. thea _the the_ theé éthe an\u0301 a" + " the" * 60,
        "folding": "ßẞſﬀİΣςŉ ᾳ ᾼ Ꭰ ꭰ Ω" + "ß" * 33,
        "forms": "e\u0301 Å \u212b ﬁ … ’ \uac00 \u1100\u1161 \u0338= \u0345 か\u3099 \ufdfa" * 3,
        "marks_many": "a" + "\u0301" * 2000,
        "numbers": "1 22 3.14 -7 1,234,567.89 8. .5 1.2.3 $8 8% 1/2 9" + "9" * 400,
        "choice": "(A) (B) B. C) the answer is D: **E** \\boxed{F} <answer>G</answer> A: H #### I",
        "json_like": '{"answer": "8", "x": {"answer": 9}} {"answer":\n"new  york"}',
        "lines_mixed": "\r\n first\r\x0bsecond\u2028third\x85fourth\n\r\n\n last \x1c\x1d\n\n",
        "wide_that_look_like_others": "\u0a8a\u3a3a\u0a0a\u3c3c\u2e2e\U0001f60a\U0010ff0a:user\u3a00" * 8,
        "control_and_bidi": "\x1b[31m8\x1b[0m \u202e8\u202c \u2066x\u2069 \x7f\x80\x9f",
        "block_less_one": "A" * 31,
        "block": "A" * 32,
        "block_and_one": "A" * 32 + "É",
    }
    for name, text in plain.items():
        yield name, text.encode("utf-8", "surrogatepass")


def mutated(draw: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The bytes with a few changed, left out, doubled, or taken from others."""
    made = bytearray(data or b"{")
    for _ in range(draw.randint(1, 4)):
        at, what, other = draw.randrange(len(made) + 1), draw.randrange(5), draw.choice(others)
        start = draw.randrange(len(other) + 1)
        if what == 0:
            made[at : at + 1] = bytes([draw.choice(b'{}[]:,"\\ \n\r\t0-1e.tfnu\x00\x7f\x80\xc3\xa9\xff')])
        elif what == 1:
            del made[at : at + draw.choice((1, 2, 16, 100))]
        elif what == 2:
            made[at:at] = made[at : at + draw.choice((1, 7, 16, 33))]
        elif what == 3:
            made[at:at] = other[start : start + draw.choice((3, 16, 60))]
        else:
            made = made[:at] + other[start:]
    return bytes(made[:MOST])


def watched(folder: Path) -> Reach:
    """Builds a kernel that notes what is reached in it, has it imported, and gives a way to ask it."""
    native = copied(folder)
    (folder / "watch.c").write_text(WATCH, "utf-8")
    command = ["gcc", "-O2", "-fPIC", "-c", str(folder / "watch.c"), "-o", str(folder / "watch.o")]
    subprocess.run(command, check=True)
    made = built(native, f"-O1 -fsanitize-coverage=trace-pc {folder / 'watch.o'}")
    sys.path.insert(0, str(folder))
    seen = (ctypes.c_ubyte * 65536).in_dll(ctypes.CDLL(str(made)), "reached")

    def reach(take: Callable[[bytes], None], data: bytes) -> int:
        ctypes.memset(seen, 0, 65536)
        take(data)
        return int.from_bytes(bytes(seen), "big")

    return reach


def chosen(start: list[bytes], reach: Callable[[bytes], int]) -> list[bytes]:
    """Mutations that reach what neither the start nor an earlier one does, each cut down to what still reaches it."""
    draw, known, found = random.Random(SEED), 0, list(start)
    for data in start * 2:  # what is done but once is done in the first round
        known |= reach(data)
    for _ in range(TURNS):
        data = mutated(draw, draw.choice(found), found)
        new = reach(data) & ~known
        if new:
            found.append(shorter(data, new, reach))
            known |= new
    return found[len(start) :]


def shorter(data: bytes, wanted: int, reach: Callable[[bytes], int]) -> bytes:
    """Leaves out stretches as long as the rest still reaches all that is wanted."""
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            less = data[:at] + data[at + size :]
            if wanted & ~reach(less):
                at += size
            else:
                data = less
        size //= 2
    return data


def written(name: str, made: dict[str, bytes], found: list[bytes]) -> None:
    shutil.rmtree(HERE / name, ignore_errors=True)
    (HERE / name).mkdir()
    for stem, data in (made | {f"found_{i:03}": data for i, data in enumerate(found)}).items():
        (HERE / name / f"{stem}.bin").write_bytes(data)


def main() -> None:
    """Writes the folders lines/ and texts/ anew."""
    with tempfile.TemporaryDirectory() as folder:
        reach = watched(Path(folder))
        import test_corpus as corpus

        def by_text(data: bytes) -> int:
            return reach(corpus.score, data) if corpus.is_text(data) else 0

        for name, made, way in (
            ("lines", dict(lines()), partial(reach, corpus.scan)),
            ("texts", dict(texts()), by_text),
        ):
            found = chosen([*made.values()], way)
            written(name, made, found)
            print(f"{name}: {len(made)} made by hand, {len(found)} found")


if __name__ == "__main__":
    main()
