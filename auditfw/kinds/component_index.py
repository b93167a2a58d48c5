"""Where each component of this package is: what one types is where it is.

The component `name` of `kind` is in `auditfw/components/kind/name.py`, an audit in `auditfw/audits/name/audit.py`, a
question in `auditfw/audits/AUDIT/questions/name.py`; only
small ones of a sort, as metrics and steps, are together by family. So a run imports only the modules that it uses.
A test holds this against what the modules register: a module that is not named here is a helper. What a plugin in the
same wheel brings is known once its entry point is loaded, as with any plugin.
"""

from __future__ import annotations

from collections.abc import Mapping

PACKAGES = ("auditfw", "auditfw_arc")  # what the wheel installs: these are no strangers
AUDITS = "adjudication alignment consistency parsing self_audit"
LOGS = "every_eval_ever helm inspect lighteval lm_eval promptfoo"  # sources that recognise their own files
# What `components/KIND/recognised.py` recognises other files for, in the order of asking.
RECOGNISERS = (
    "source.arc source.conformity source.pairs source.raters source.problems source.results solver.replay "
    "simulator.table simulator.models"
)

OPTIONS: Mapping[str, str] = {
    "source": ("arc conformity every_eval_ever helm intentions lighteval lm_eval pairs promptfoo raters sqlite"),
    "scenarios": "inline series",
    "simulator": "fmu gymnasium ode pysd python subprocess table",
    "solver": "openai python replay tune",
    "executor": "simulator",
    "stop": "budgets",
    "engine": "local",
    "normalizer": "steps",
    "matcher": "forms numeric of_rule",
    "scorer": "parts",
    "stop_rule": "limits",
    "scoring": "alignment grid recorded",
    "gate": "bound change rule",
    "report": ("ci console html inspect_scores json junit markdown mlflow summary texts"),
}

FAMILIES: Mapping[str, Mapping[str, str]] = {
    "claim": {"claims": "at_least at_most difference order"},
    "form": {
        "numbers": (
            "comma currency decimal_comma equal exponent float_noise fraction last last_loose percent "
            "percent_fraction rounding rounding_coarse scale thousands unicode unit words zeros"
        ),
        "texts": (
            "acronym and articles case clock date diacritics elsewhere initials inside inside_date inside_initials "
            "inside_plural inside_spacing inside_words latex lead_in letter_text order other_script parentheses "
            "part_of_truth plural punctuation roman spacing text_letter"
        ),
    },
    "executor": {"tiers": "sandlock subprocess"},
    "parser": {
        "options": "choice_text letter_of_index letter_of_option option_of_letter",
        "steps": "inspect_pattern steps",
    },
    "policy": {"table": "majority table"},
    "report": {
        "code_hosts": "annotations codequality sarif",
        "consistency": "consistency disagreements",
    },
    "engine": {"clusters": "dask ray"},
    "gate": {"conclusions": "answer findings"},
    "matcher": {
        "choice": "choice inspect_choice",
        "hendrycks_math": "hendrycks_math",
        "harness": "helm_final_number inspect_includes inspect_pattern opencompass_gsm8k promptfoo",
        "inspect_match": "inspect_match inspect_match_numeric_2025",
        "inspect_words": "inspect_words",
        "math": "lighteval_extractive math minerva_math_verify",
        "texts": "containment exact prefix substring suffix",
    },
    "scenarios": {"designs": "grid lhs linspace saltelli sobol", "files": "csv frame json jsonl parquet"},
    "scoring": {"outputs": "exact numeric tests_passed text"},
    "source": {
        "formats": "csv frame json jsonl parquet problems",
        "inspect": "inspect inspect_attempts inspect_raters",
    },
    "validator": {"rows": "grounded reasons refusal_token same_evidence"},
    "metric": {
        "agreement": (
            "bowker_p brennan_prediger fleiss_kappa gwet_ac1 gwet_ac2 kappa krippendorff_alpha max_kappa "
            "percent_agreement scott_pi weighted_kappa"
        ),
        "alignment": (
            "above_free absolute_error change_direction combined direction free_overall log_ratio magnitude "
            "max_overall mean_direction_accuracy mean_magnitude_accuracy mean_overall median_relative_error "
            "min_overall must_met n_scenarios noise noise_floor one_sided relative_error should_met std_overall "
            "within_band within_noise"
        ),
        "budget": (
            "answered at_limit cut_off empty loops other_format refusals right_at_least right_at_most right_of_all "
            "right_of_answered run_errors unfinished unparsed"
        ),
        "corrections": "corrected_rate judge_off_pp label_worth positive_rate ppi_rate rogan_gladen_rate",
        "findings": (
            "answers_empty answers_unsourced cell_no_skill cell_twice counts_table few_shared graders_mixed "
            "ids_numbered inside_noise items_uneven labels_inverted labels_missing labels_shifted late lazy_rater "
            "leans many_values near_misses never_met no_attempt_answers not_deterministic nothing_fits nothing_solved "
            "one_label one_rater_constant one_truth options_permuted outcome_constant outcome_factor outcome_missing "
            "outcome_sign outcomes_exchanged placeholder_labels question_twice reading_unfit records_differ renamed "
            "rows_twice scale_factor scores_out_of_range seconds_missing survivors tests_fall truths_differ "
            "truths_missing truths_shifted"
        ),
        "judgements": (
            "abstain_rate accepted_rate bias_index coverage disagreements findings first_preferred hard_flags "
            "joined_differ overruled prevalence_index shipped_rate specific_agreement"
        ),
        "labels": (
            "best_of_floor churn constant_accepted delta_pp design_effect either_way error_rate false_rights flips "
            "flips_to_false flips_to_true luck mcnemar_p mcnemar_q mismatches n n_eff near_rate no_answer turned_pairs "
            "unreproduced"
        ),
        "repeats": "all_of_k any_of_k",
        "same_answers": "favoured grade_error same_pairs two_grades",
        "loops": (
            "best_not_last best_tied contradictions cost longest_seconds mean_requests mean_soft_score "
            "regret saved_requests saved_seconds solve_rate solves_lost test_rate timeouts tokens "
            "total_attempts total_requests total_seconds wrong_on_tests wrong_shapes"
        ),
        "people": "agrees bias_pp false_right false_wrong labelled labellers_agree undecided",
    },
    "step": {
        "answers": "answer_is boxed choice_letter first_letter first_number last_number tag yes_no",
        "characters": (
            "casefold collapse decimal_digits digits lower remove_characters replace_characters strip strip_characters "
            "unicode_form upper"
        ),
        "cuts": "after_last before_first before_last before_run_on first_line first_of last_line",
        "field": "inspect_answer inspect_choice placeholder",
        "patterns": "capture json_field substitute",
        "words": "number remove_words strip_markdown undot",
    },
}

QUESTIONS: Mapping[str, str] = {  # by audit, in the order in which findings of equal weight are listed
    "alignment": "outcomes repeated late_series",
    "parsing": (
        "readings_fit labels_missing truths_whole budget one_value copies items moved graders_mixed answers_own near "
        "best_of same_answers repeats variance"
    ),
    "self_audit": "no_attempt_answers records_differ seconds_missing tests_fall survivors nothing_solved",
    "consistency": (
        "rater_lags rater_scales placeholder_labels judged_tables joins renamed single_raters truth same_grades"
    ),
}

QUESTION_FAMILIES: Mapping[str, Mapping[str, str]] = {  # the module of each question that shares one
    audit: {name: family for family, names in families.items() for name in names.split()}
    for audit, families in {
        "alignment": {"scenarios": "late_series repeated"},
        "parsing": {"items": "copies", "mismatches": "graders_mixed moved", "truths": "one_value truths_whole"},
        "self_audit": {
            "records": "records_differ seconds_missing",
            "solved": "no_attempt_answers nothing_solved survivors tests_fall",
        },
        "consistency": {
            "labels": "placeholder_labels renamed",
            "raters": "rater_lags rater_scales single_raters",
            "tables": "joins judged_tables",
        },
    }.items()
}

MODULES: Mapping[tuple[str, str], str] = {
    **{("audit", name): f"auditfw.audits.{name}.audit" for name in AUDITS.split()},
    **{(kind, n): f"auditfw.components.{kind}.{n}" for kind, names in OPTIONS.items() for n in names.split()},
    **{
        (kind, name): f"auditfw.components.{kind}.{family}"
        for kind, families in FAMILIES.items()
        for family, names in families.items()
        for name in names.split()
    },
    **{
        ("question", name): f"auditfw.audits.{audit}.questions.{QUESTION_FAMILIES[audit].get(name, name)}"
        for audit, names in QUESTIONS.items()
        for name in names.split()
    },
}


def shipped(module: str) -> bool:
    """Whether a module comes with auditfw: of the package itself, or of a plugin in the same wheel."""
    return module.partition(".")[0] in PACKAGES
