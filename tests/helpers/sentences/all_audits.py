"""Every sentence of what all audits say alike that a test pins, by the file that pins it first."""

# audits/test_answer_words.py
WHO_IS_BETTER_DEPENDS_ON = "WHO IS BETTER DEPENDS ON SCORING"
DEPENDS_ON_WHICH_ROWS_COUNT = "DEPENDS ON WHICH ROWS COUNT"

# audits/test_answers.py
GIVES_IT_SET = "b gives it. Set b."
A = "a, b, c, d, e, f"
A_AND_MORE = "a, b, c, d, e, f and 1 more"

# audits/test_claim_answer.py
REVERSES_THE_ORDER_IS_BETTER = "x reverses the order: b is better than a by 20.0 pp."
A_IS_BETTER_THAN_UNDER = (
    "a is better than b under stored by +35.0 pp [+22.6, +46.0] (p < 0.0001, adjusted for 1 pair); under x by "
    "-20.0 pp [-33.1, -6.1]."
)
SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF = "Significantly different pairs: model 1 of 1"
A_IS_BETTER_THAN_UNDER_STORED = "a is better than b under stored by +35.0 pp ["
UNDER_BY_PP_MORE_READING = "; under y by -20.0 pp [-33.1, -6.1]; z, too."
UNDER_BY_PP_MORE_READINGS = "; under y by -20.0 pp [-33.1, -6.1]; z, w, too."
REVERSES_THE_CLAIM_MINE_IT = "x reverses the claim mine: it fails, -20.00 against +35.00 under stored."
MINE_HOLDS_UNDER_STORED_AND = (
    "mine holds under stored, +35.00 [+22.62, +46.01], and fails under x, -20.00 [-33.13, -6.09] (55 changed "
    "labels there); 36 changed labels would reverse it, 23 would leave it undecided."
)
MINE_HOLDS_IN_OF_READINGS = (
    "mine holds in 1 of 2 readings; 36 changed labels would reverse it, 23 would leave it undecided."
)
CLAIM_LOW_FAILS_UNDER_STORED = (
    "Claim low fails under stored: 27.50 [21.78, 34.07] against 5; 46 changed labels would reverse it, 34 "
    "would leave it undecided."
)
SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF_2 = "Significantly different pairs: model 0 of 1"
THE_ORDER_OF_MODEL_WAS = "The order of model was not tested: it has 51 values"
MODEL_IS_UNEVENLY_SPREAD_OVER = "Model is unevenly spread over seed: seed = 1 makes up 0.0 % of the trials of b"
LOWER_ERROR_WHERE_MODEL_THAN = "lower error where model = 'a' than where model = 'b'"
LOWER_ERROR_WHERE_MODEL_THAN_WHERE = "lower error where model = 'a' than where model = 'b' by more than 2.5 pp"
HIGHER_SOLVE_RATE_WHERE_MODEL = "higher solve_rate where model = 'a' than where model = 'b' by more than 0.1"
NO_ANSWER_AT_LEAST_WHERE = "no answer at least 5 % where model = 'a'"
ORDER_OF_MODEL_BY_ERROR = "order of model by error"
CHANGED_LABEL_WOULD_REVERSE_IT = "1 changed label would reverse it"
CHANGED_LABELS_WOULD_REVERSE_IT = "3 changed labels would reverse it, 1 would leave it undecided"
MINE_HOLDS_IN_OF_READINGS_2 = "mine holds in 0 of 2 readings."

# audits/test_claims.py
NO_DIFFERENCE_OF_ERROR_RATE = "c0.by: no difference of error_rate is that large (-100)"
NO_DIFFERENCE_OF_ERROR_RATE_IS = "c0.by: no difference of error_rate is that large (100)"
NO_DIFFERENCE_OF_ERROR_RATE_IS_THAT = "c0.by: no difference of error_rate is that large (nan)"
IS_THE_SAME_CONDITION_AS = "c0.than: is the same condition as better ( model =   'a' ) - name two sides"
IS_ABOUT_A_COLUMN_THAT = "c0.than: is about a column that is not in by (modle) - did you mean 'model'?"
IS_ABOUT_A_COLUMN_THAT_IS = (
    "c0.better: is about a column that is not in by (temperature) - add it: by=[model,seed,temperature]"
)
IS_ABOUT_A_COLUMN_THAT_IS_NOT = "c0.where: is about a column that is not in by (x) - add it: by=[model,seed,x]"
IS_ABOUT_A_COLUMN_THAT_IS_NOT_IN = "c0.of: is about a column that is not in by (sed) - did you mean 'seed'?"
NO_METRIC_DID_YOU_MEAN = "c0.metric: no metric 'eror_rate' - did you mean 'error_rate'?"
CLAIMS_ARE_ABOUT_RATES_THAT = (
    "c0.metric: claims are about rates that have a better side (mcnemar_p) - write one of error_rate, no_answer"
)
IS_ABOUT_A_COLUMN_THAT_IS_NOT_IN_BY = (
    "claims.c0.better: is about a column that is not in by (model) - add it: by=[model]"
)
CONTRADICTS_LEAVE_ONE_OF_THE = "claims.y: contradicts claims.x - leave one of the two out"
MATCHES_NO_CELL_MODEL_DID = "c.where: matches no cell (model = 'thnk') - did you mean 'think'?"
MATCHES_NO_CELL_MODEL_AND = "c.where: matches no cell (model = 'thnk' AND seed = 9) - did you mean 'think'?"
MATCHES_NO_CELL_MODEL_KNOWN = "c.where: matches no cell (model = 'zzz') - known: base, think"
MATCHES_NO_CELL_MODEL_KNOWN_BASE = "c.where: matches no cell (model = 'it''s') - known: base, think"
MATCHES_NO_CELL_SEED_THERE = "c.where: matches no cell (seed = 9) - there is seed: 1, 2"
MATCHES_NO_CELL_MODEL_AND_SEED = "matches no cell (model = 'think' AND seed = 2) - there is model: base, think; "
MATCHES_NO_CELL_FALSE_WRITE = "c.where: matches no cell (false) - write a condition that matches a cell"

# audits/test_findings.py
NOTICE_LOOK_AT_ANOTHER_THING = "A notice. Look at another thing."
NO_A_AND_NO_MAP = "no a and no b: map source.columns.a, source.columns.b or source.columns.c"

# audits/test_orders.py
SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF_3 = "Significantly different pairs: model 2 of 3"
MODEL_IS_UNEVENLY_SPREAD_OVER_SEED = (
    "model is unevenly spread over seed: seed = 1 makes up 25.0 % of the trials of b, 100.0 % of those of a"
)
MODEL_IS_UNEVENLY_SPREAD_OVER_SEED_SEED = (
    "model is unevenly spread over seed: seed = 1 makes up 40.0 % of the trials of a, 60.0 % of those of b"
)

# audits/test_paper.py
WE_COMPARED_THE_LABELS_THAT = (
    "We compared the labels that scholar and auditor gave to 16 items of 4 questions (BY); on 2 of them"
)
WE_COMPARED_THE_LABELS_THAT_A = (
    "We compared the labels that a, b, c, d and e gave to 12 items (BY); on 5 of them the labels differ. The "
    "agreement of a with b is 83 % (95 % CI 55–95, n = 12), Cohen's kappa 0.7 (95 % CI 0.3–1.0); with c is 83 "
    "% (95 % CI 55–95, n = 12), Cohen's kappa 0.7 (95 % CI 0.2–1.0); with d is 92 % (95 % CI 65–99, n = 12), "
    "Cohen's kappa 0.8 (95 % CI 0.4–1.0) (1 further rater in the report)."
)
WITH_IS_CI_COHENS_KAPPA = "with d is 92 % (95 % CI 65–99, n = 12), Cohen's kappa 0.8 (95 % CI 0.4–1.0)."
ALPHA_OF_FIVE = " Krippendorff's alpha at the nominal level over all 5 raters is 0.6 (95 % CI 0.3–0.9, n = 12)."
ALPHA_AT_THE_ORDINAL = "Krippendorff's alpha at the ordinal level over all 5 raters is 0.48 (95 % CI 0.39–0.54, n = 60)"
WITHOUT_D_IT_IS = "; without d it is 0.92 (95 % CI"
FURTHER_RATER_IN_THE_REPORT = "(1 further rater in the report); by the checks of the audit d is off."
WE_AUDITED_THE_LOOPS_OF = "We audited the loops of {} (BY). They solved {}."

# audits/test_report_settings.py
ANSWERS_ARE_RIGHT_IN_ANOTHER = (
    "30 answers are right in another form (words 30); no reading accepts them (30 questions)."
)
WRITES_THE_TEXTS_OF_ANSWERS = "reports.texts: writes the texts of answers, which report.texts=false leaves out"

# audits/test_spine.py
BY_MAKE_TOO_MANY_CELLS = (
    "by: {} make too many cells (at least 6 cells, at most 5 are allowed) - name columns with fewer values, or"
    " allow more with max_cells=N (null: any number)"
)
GATES_AND_CANNOT_BOTH_PASS = "gates x and y cannot both pass: {}"

# audits/test_scorer_changes.py
HARNESS_NO_SUCH_PROGRAM = "harness: no such program (inspect) - did you mean 'inspect_ai'?"
VERSIONS_NEEDS_TWO_READINGS = "versions: needs two readings or more (1) - write auditfw upgrade LOG"
