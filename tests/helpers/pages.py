"""Made-up results that hold every block of the document model, for the tests of the page and of the browser."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.document import Chart, Exhibit, Gallery, Grid, Mark, Matrix, Note, Section, Series, Snippet, Table
from auditfw.core.records import Estimate, GateResult, Input, Measurement, Result

PARSERS = ("stored", "answer_v2", "after_think", "last_line")
NORMALIZERS = ("v1", "v2")
FACETS = (("reading", "direction"), ("temperature",), ("marker",))


def curve() -> Chart:
    """A specification curve of eight readings."""
    names = [f"{parser}+{normalizer}" for parser in PARSERS for normalizer in NORMALIZERS]
    rates = [22.0 + 0.9 * i for i in range(len(names))]
    series = Series("error rate", names, rates, (), [r - 2 for r in rates], [r + 2.5 for r in rates])
    choices = {
        "parser": [name.partition("+")[0] for name in names],
        "normalizer": [name.partition("+")[2] for name in names],
    }
    return Chart("Error rate of every reading", "reading", "error %", [series], "points", choices=choices)


def charts() -> list[Chart]:
    """A chart of each kind."""
    xs: list[float | str] = [1.0, 2.0, 3.0, 4.0, 5.0]
    band = Series(
        "soft score", xs, [0.2, 0.5, 0.6, 0.7, 0.72], (), [0.1, 0.4, 0.5, 0.6, 0.6], [0.3, 0.6, 0.7, 0.8, 0.8]
    )
    solved = Series("solved", xs, [0.1, 0.3, 0.4, 0.5, 0.5])
    coefficients = ["percent_agreement", "kappa", "krippendorff_alpha"]
    forest = Series("scholar", coefficients, [0.82, 0.55, 0.53], (), [0.8, 0.5, None], [0.84, 0.6, None])
    second = Series("auditor", coefficients, [0.72, 0.45, 0.5])
    cloud = Series("rules", [1.0, 2.0, 6.0], [0.3, 0.5, 0.7], ["three tries", "", "ten tries"])
    return [
        Chart("Quality by the iterations allowed", "iterations", "share", [band, solved], ends=(0.0, 1.0)),
        Chart("Coefficients", "coefficient", "value", [forest, second], "bars"),
        Chart("Coefficients of one rater", "coefficient", "value", [forest], "points"),
        Chart("Cost and quality of the stop rules", "requests per problem", "soft score", [cloud], "points"),
    ]


def shifts() -> Matrix:
    """A diverging heat map with a hole."""
    values = [[-3.3, 0.0, 12.5], [None, -10.0, 4.0]]
    shown = [["" if v is None else f"{v:+.1f}" for v in row] for row in values]
    return Matrix(
        "Shift by cell", "cell", ["0.0, base", "0.5, base"], list(PARSERS[:3]), values, shown, True, (-20, 20)
    )


def scores() -> Matrix:
    """Scores by problem and iteration with notes, some rows cut."""
    values = [[0.1, 0.5, 1.0], [0.0, 0.0, None]]
    shown = [[f"{v:.2f}" if v is not None else "" for v in row] for row in values]
    return Matrix("Soft scores", "problem", ["a", "b"], ["1", "2", "3"], values, shown, notes=["success", "time"],
                  note="stop reason", left_out=4)  # fmt: skip


def flips(count: int, text: str = "It is Paris.\nUSER: And of Italy?") -> list[Exhibit]:
    """So many exhibits: even ones flip to right under answer_v2+v1, odd ones to wrong under after_think+v2."""
    found = []
    for i in range(count):
        changes = {"answer_v2+v1": "right"} if i % 2 == 0 else {"after_think+v2": "wrong"}
        changes |= {"stored+v2": "right"} if i % 3 == 0 else {}
        both = [(reading, f"to {label}") for reading, label in changes.items()]
        marks = [Mark("answer_v2", 0, 12), Mark("truth", 6, 11), Mark("after_think", 8, 20)]
        raw = Snippet("raw_text", text, "the end of it", 1200, (0, 12), [*marks, Mark("last_line", len(text), 9_999)])
        tags = [both, [(f"{(i % 3) / 2:.1f}",)], [("USER:",), ("</think>",)] if i % 5 == 0 else [("USER:",)]]
        facts = [("id", f"t-{i}"), ("truth", "Paris"), ("number", f"word{i}")]
        found.append(Exhibit(f"t-{i}", facts, [raw, Snippet("parsed_text", "")], (), tags, changes))
    return found


def grids() -> Exhibit:
    """An exhibit with two grids, a cell of which differs."""
    wanted = Grid("expected", [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    got = Grid("got", [[0, 1, 2], [3, 9, 5], [6, 7, 8]], [(1, 1)])
    return Exhibit(
        "problem a", [("soft score", "0.89")], [Snippet("program", "def f(x):\n    return x")], [wanted, got]
    )


def sections(count: int = 12) -> list[Section]:
    """Every block there is."""
    wide = Table(
        [f"column {i}" for i in range(14)], [["word", *["12,345.67"] * 13]] * 3, "<" + ">" * 13, "A wide one.", 7
    )
    return [
        Section("Specification Curve", [Note("All readings, sorted."), curve()], page=True, screen="picture"),
        Section("By Cell", [Note("Each cell apart."), wide, shifts()], console=True),
        Section("answer_v2+v1", [Table(["a"], [], "")], level=3),
        Section("Pictures", [*charts(), scores()], page=True),
        Section("Examples", [*flips(2), grids()]),
        Section("Flips", [Gallery(FACETS, flips(count), 10_812, "flips")], page=True),
    ]


def measurements() -> list[Measurement]:
    """Three readings, one of them with trials that hold nothing to read."""
    found = []
    for reading, rate, n in (("stored+v1", 24.72, 1080), ("answer_v2+v1", 26.85, 1080), ("after_think+v2", 12.5, 120)):
        found += [
            Measurement("error_rate", reading, {}, Estimate(rate, n, 1080 - n, rate - 2.4, rate + 2.6)),
            Measurement("error_rate", reading, {"temperature": 0.5}, Estimate(rate, n // 2)),
            Measurement("flips", reading, {}, Estimate(float(n % 100), n, 1080 - n)),
        ]
    return [*found, Measurement("mismatches", "stored+v1", {}, Estimate(None, 0, undefined="nothing is stored"))]


def result(found: Sequence[Section] | None = None, verdict: str = "fail") -> Result:
    """A whole result with these sections, else with all blocks."""
    return Result(
        audit="parsing",
        verdict=verdict,  # type: ignore[arg-type]
        exit_code=1,
        counts={"read": 2160, "audited": 1080, "no_ground_truth": 1080, "malformed": 0},
        by=("temperature",),
        measurements=measurements(),
        gates=[
            GateResult(
                "baseline_reproduces", "mismatches <= 0", "stored+v1", 0.0, "pass", "", "mismatches", 0.0, "max"
            ),
            GateResult(
                "few_flips", "flips <= 25", "answer_v2+v1", 80.0, "fail", "80 is above 25", "flips", 25.0, "max"
            ),
            GateResult(
                "shift", "delta_pp >= -5", None, None, "inconclusive", "nothing was read", "delta_pp", -5.0, "min"
            ),
        ],
        warnings=["1 truth normalises to nothing"],
        inputs=[Input("data/trials.jsonl", "ab" * 32, 1_234_567)],
        config_hash="cd" * 32,
        seed=0,
        versions={"polars": "2.1.0", "auditfw": "0.1.0"},
        sections=list(sections() if found is None else found),
    )
