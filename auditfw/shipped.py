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
        "parts.sources.arc": "arc",
        "parts.sources.conformity": "conformity",
        "parts.sources.csv_text": "csv",
        "parts.sources.frames": "frame parquet",
        "parts.sources.intended": "intentions",
        "parts.sources.json_array": "json",
        "parts.sources.jsonl": "jsonl",
        "parts.sources.pairs": "pairs",
        "parts.sources.problems": "problems",
        "parts.sources.raters": "raters",
        "parts.sources.sqlite": "sqlite",
    },
    "scenarios": {
        "parts.scenarios.designs": "grid lhs linspace sobol",
        "parts.scenarios.inline": "inline",
        "parts.sources.scenarios": "csv frame json jsonl parquet",
        "parts.sources.series": "series",
    },
    "simulator": {
        "parts.simulators.environments": "gymnasium",
        "parts.simulators.equations": "ode",
        "parts.simulators.function": "python",
        "parts.simulators.mockup_unit": "fmu",
        "parts.simulators.program": "subprocess",
        "parts.simulators.system_dynamics": "pysd",
        "parts.sources.recorded": "table",
    },
    "solver": {
        "parts.solvers.endpoint": "openai",
        "parts.solvers.function": "python",
        "parts.solvers.search.solver": "search",
        "parts.solvers.tune": "tune",
        "parts.sources.replayed": "replay",
    },
    "executor": {
        "parts.executors.simulated": "simulator",
        "parts.executors.tiers": "sandlock subprocess",
    },
    "stop": {
        "parts.stops": "budgets",
    },
    "engine": {
        "parts.engines.clusters": "dask ray",
        "parts.engines.local": "local",
    },
    "parser": {
        "parts.text": "steps",
    },
    "normalizer": {
        "parts.text": "steps",
    },
    "matcher": {
        "parts.matchers": "choice containment exact numeric prefix",
        "parts.mathematics": "math",
    },
    "policy": {
        "parts.policies": "majority table",
    },
    "validator": {
        "parts.validators": "grounded reasons refusal_token same_evidence",
    },
    "stop_rule": {
        "parts.stops": "limits",
    },
    "scoring": {
        "parts.aligned": "alignment",
        "parts.scorings": "exact grid numeric tests_passed text",
    },
    "metric": {
        "parts.metrics.agreement": (
            "bowker_p brennan_prediger fleiss_kappa gwet_ac1 gwet_ac2 kappa krippendorff_alpha max_kappa "
            "percent_agreement scott_pi weighted_kappa"
        ),
        "parts.metrics.alignment": (
            "absolute_error change_direction combined direction free_overall log_ratio magnitude max_overall "
            "mean_direction_accuracy mean_magnitude_accuracy mean_overall min_overall must_met n_scenarios noise "
            "noise_floor one_sided relative_error should_met std_overall within_band"
        ),
        "parts.metrics.decisions": "overruled shipped_rate",
        "parts.metrics.judgements": (
            "abstain_rate accepted_rate bias_index disagreements findings hard_flags prevalence_index "
            "specific_agreement"
        ),
        "parts.metrics.labels": (
            "delta_pp error_rate flips flips_to_false flips_to_true mcnemar_p mcnemar_q mismatches n no_answer"
        ),
        "parts.metrics.loops": (
            "best_not_last best_tied contradictions cost longest_seconds mean_requests mean_soft_score regret "
            "saved_requests saved_seconds solve_rate solves_lost test_rate timeouts tokens total_attempts "
            "total_requests total_seconds wrong_shapes"
        ),
    },
    "gate": {
        "parts.gates": "bound change rule",
    },
    "report": {
        "parts.reports.annotations": "annotations",
        "parts.reports.ci": "ci",
        "parts.reports.codequality": "codequality",
        "parts.reports.consistency": "consistency disagreements",
        "parts.reports.console": "console",
        "parts.reports.html.report": "html",
        "parts.reports.junit": "junit",
        "parts.reports.machine": "json",
        "parts.reports.markdown": "markdown",
        "parts.reports.sarif": "sarif",
        "parts.reports.summary": "summary",
    },
    "step": {
        "parts.steps.answers": "answer_is boxed choice_letter first_number last_number tag",
        "parts.steps.characters": (
            "casefold collapse digits lower remove_characters replace_characters strip unicode_form"
        ),
        "parts.steps.cuts": "after_last before_first before_last first_line first_of last_line",
        "parts.steps.patterns": "capture json_field substitute",
        "parts.steps.words": "number remove_words strip_markdown undot",
    },
}

MODULES: Mapping[tuple[str, str], str] = {
    (kind, name): f"auditfw.{module}"
    for kind, modules in SHIPPED.items()
    for module, names in modules.items()
    for name in names.split()
}
