"""Where each shipped component is: its kind, the module below `auditfw` that registers it, and its name.

A run imports only the modules of the components it uses. A test holds this against what the modules register.
"""

from __future__ import annotations

from collections.abc import Mapping

SHIPPED: Mapping[str, Mapping[str, str]] = {
    "audit": {
        "audits.alignment.audit": "alignment",
        "audits.consistency.audit": "consistency",
        "audits.parsing.audit": "parsing",
        "audits.self_audit.audit": "self_audit",
    },
    "source": {
        "components.source.arc": "arc",
        "components.source.conformity": "conformity",
        "components.files.formats.csv": "csv",
        "components.files.formats.frames": "frame parquet",
        "components.source.intentions": "intentions",
        "components.files.formats.json": "json",
        "components.files.formats.jsonl": "jsonl",
        "components.source.pairs": "pairs",
        "components.source.problems": "problems",
        "components.source.raters": "raters",
        "components.source.sqlite": "sqlite",
    },
    "scenarios": {
        "components.scenarios.designs": "grid lhs linspace sobol",
        "components.scenarios.inline": "inline",
        "components.scenarios.files": "csv frame json jsonl parquet",
        "components.scenarios.series": "series",
    },
    "simulator": {
        "components.simulator.gymnasium": "gymnasium",
        "components.simulator.ode": "ode",
        "components.simulator.python": "python",
        "components.simulator.fmu": "fmu",
        "components.simulator.subprocess": "subprocess",
        "components.simulator.pysd": "pysd",
        "components.simulator.table": "table",
    },
    "solver": {
        "components.solver.openai": "openai",
        "components.solver.python": "python",
        "components.solver.search": "search",
        "components.solver.tune": "tune",
        "components.solver.replay": "replay",
    },
    "executor": {
        "components.executor.simulator": "simulator",
        "components.executor.subprocess": "sandlock subprocess",
    },
    "stop": {
        "components.stop.budgets": "budgets",
    },
    "engine": {
        "components.engine.clusters": "dask ray",
        "components.engine.local": "local",
    },
    "parser": {
        "components.parser.steps": "steps",
    },
    "normalizer": {
        "components.parser.steps": "steps",
    },
    "matcher": {
        "components.matcher.containment": "choice containment exact numeric prefix",
        "components.matcher.math": "math",
    },
    "policy": {
        "components.policy.table": "majority table",
    },
    "validator": {
        "components.validator.reasons": "grounded reasons refusal_token same_evidence",
    },
    "stop_rule": {
        "components.stop.budgets": "limits",
    },
    "scoring": {
        "components.scoring.alignment": "alignment",
        "components.scoring.grid": "exact grid numeric tests_passed text",
    },
    "metric": {
        "components.metric.agreement": (
            "bowker_p brennan_prediger fleiss_kappa gwet_ac1 gwet_ac2 kappa krippendorff_alpha max_kappa "
            "percent_agreement scott_pi weighted_kappa"
        ),
        "components.metric.alignment": (
            "absolute_error change_direction combined direction free_overall log_ratio magnitude max_overall "
            "mean_direction_accuracy mean_magnitude_accuracy mean_overall min_overall must_met n_scenarios noise "
            "noise_floor one_sided relative_error should_met std_overall within_band"
        ),
        "components.metric.decisions": "overruled shipped_rate",
        "components.metric.judgements": (
            "abstain_rate accepted_rate bias_index disagreements findings hard_flags prevalence_index "
            "specific_agreement"
        ),
        "components.metric.labels": (
            "delta_pp error_rate flips flips_to_false flips_to_true mcnemar_p mcnemar_q mismatches n no_answer"
        ),
        "components.metric.loops": (
            "best_not_last best_tied contradictions cost longest_seconds mean_requests mean_soft_score regret "
            "saved_requests saved_seconds solve_rate solves_lost test_rate timeouts tokens total_attempts "
            "total_requests total_seconds wrong_shapes"
        ),
    },
    "gate": {
        "components.gate.bound": "bound change rule",
    },
    "report": {
        "components.report.annotations": "annotations",
        "components.report.ci": "ci",
        "components.report.codequality": "codequality",
        "components.report.disagreements": "consistency disagreements",
        "components.report.console": "console",
        "components.report.html": "html",
        "components.report.junit": "junit",
        "components.report.json": "json",
        "components.report.markdown": "markdown",
        "components.report.sarif": "sarif",
        "components.report.summary": "summary",
    },
    "step": {
        "components.step.answers": "answer_is boxed choice_letter first_number last_number tag",
        "components.step.characters": (
            "casefold collapse digits lower remove_characters replace_characters strip unicode_form"
        ),
        "components.step.cuts": "after_last before_first before_last first_line first_of last_line",
        "components.step.patterns": "capture json_field substitute",
        "components.step.words": "number remove_words strip_markdown undot",
    },
}

MODULES: Mapping[tuple[str, str], str] = {
    (kind, name): f"auditfw.{module}"
    for kind, modules in SHIPPED.items()
    for module, names in modules.items()
    for name in names.split()
}
