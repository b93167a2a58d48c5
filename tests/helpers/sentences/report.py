"""Every sentence of the reports that a test pins, by the file that pins it first."""

# components/report/charts/test_labels.py
THE_RIGHTMOST_OF_ALL_THE = "the rightmost of all the points"

# components/report/export/test_formats.py
A_A_LOW_A_HIGH = 'a,a low,a high\n"0.50 [0.40, 0.60]",,\n0.50,0.40,0.60\n'
RANKING_BY_MODEL_AND_MORE = "Ranking: By model. (and 12 more rows)"
A_BY_MODEL_AND_MORE = "a+b: By model. (and 12 more rows)"
BY_MODEL_AND_MORE_ROWS = "A B: By model. (and 12 more rows)"
LOW_HIGH = "x,s,s low,s high\np,1,0.5,1.5\nq,2,,\n"
OF_A_TEXTASCIITILDE_TEXTASCIICIRCUM_TEXTBACK_2 = (
    "50 \\% of a\\_b \\& c\\#1 \\$x \\{y\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{}"
)
RIGHTARROW_DELTA_LEQ_TIMES_TEXTENDASH = "$\\rightarrow$ $\\Delta$ $\\leq$ $\\times$ \\textendash{}"

# components/report/page/test_browser.py
IT_IS_PARIS_USER_AND = "It is Paris.\nUSER: And of Italy?"

# components/report/page/test_decisions.py
THIS_BROWSER_KEEPS_NOTHING_SAVE = "This browser keeps nothing: save the CSV before you close."
DECISIONS_BY_READERS_WHO_SAW = "{} decisions by readers who saw the labels"

# components/report/page/test_gallery.py
IN_THIS_FILE_OF_FLIPS = "In this file: 200 of 10,812 flips (report.max_exhibits)."
IN_THIS_FILE_OF_FLIPS_MORE = "In this file: {} of 10,812 flips; {} more do not fit into reports.html.max_bytes=400,000."

# components/report/screen/test_dots.py
ERROR_RATE_ERROR_FROM_TO = "Error rate, error % from 10 to 50"
ERROR_RATE_ERROR_FROM_TO_STORED = "Error rate, error % from 10 to 50, ○ stored, ┊ gate 30"

# components/report/screen/test_short.py
FAIL_REQUIREMENTS_MET = "FAIL: requirements met (61 of 80 outcomes, at least 100 %)"
ONE_OF_CHANGED_LABELS_OF = "One of 20 changed labels of b"
DATA_AND_GATES_EXIT_CODE = "Data and gates (exit code 0; no gate checks the answer)"
WARNING_AND_MORE_WARNING = "Warning: w (and 1 more warning)"
PASS_LABELS_REPRODUCE_MISMATCHES_AT = "PASS: labels reproduce (mismatches 0, at most 0; a)"
WITHOUT_THE_BY_CASE_IT = "Without the 15 by case it would hold."
NEXT_READ_THE_FLIPS_OF = "Next: Read the flips of b."
ONE_YOUR_LABELS_TWO_YOUR = "one: your labels 60 [55, 65], b 70 two: your labels 50 [40, 60] (3 more)"
ERROR_RATE_ERROR_FROM_TO_2 = "Error rate, error % from 20 to 40"
DATA_AND_GATES_FAIL_EXIT = "Data and gates: FAIL (exit code 1)"
ERROR_BY_READING_FROM_TO = "error % by reading, from 10 to 30"
IS_WRITTEN_BY_AUDITFW_REPORT = "report.html is written by: auditfw report 'a run' 'report=[html]'"
NO_GATE_CHECKS_THE_ANSWER = "no gate checks the answer"
FAIL_A_STABLE_ANSWER_IS = "FAIL: g (a stable answer is required; it is fragile)"
FAIL_AT_LEAST = "FAIL: g (m 0.7100, at least 0.75; b)"
FAIL_LOW_OF = "FAIL: g (low of m >= 2: 1; b)"
PASS_SOLVE_RATE_JOINED_ROWS = "PASS: solve rate, joined rows match, one, two of and 1 more"
PASS_SOLVE_RATE_A = "PASS: solve rate (m <= 0: 0; a)"

# components/report/test_annotations.py
GATE_FEW_FAILED_FLIPS_THE = "Gate few failed: flips <= 3; the value of a+b is 7. 4 too many"
GATE_OPEN_IS_INCONCLUSIVE_SHIFT = "Gate open is inconclusive: shift >= -5. nothing was read"
TRIAL_STORED_AS_RIGHT_WRONG = "Trial t00: stored as right, wrong under a+b."
MORE_IN_THE_REPORT_OF = "22 more in the report of the run"

# components/report/test_ci.py
ON_GITHUB_ACTIONS_JUNIT_SARIF = "report=ci on GitHub Actions: junit, sarif, annotations, summary"

# components/report/test_console.py
OF_TRIALS_AUDITED_NOT_AUDITED = "1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)"
DATA_AND_GATES_FAIL_EXIT_CODE = "╭ Data and gates: FAIL (exit code 1)"
OF_TRIALS_AUDITED_NOT_AUDITED_NO = "│ 1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)"
READING_ERROR_PP_LABELS_RIGHT = (
    "│ reading         error %                   Δ pp         labels  → right  → wrong      n  mismatches"
)
MISMATCHES_OF_ANSWER_ONLY_THE = "│ – mismatches of answer_v2+v2: only the baseline is compared"
DATA_NO_GATES_EXIT_CODE = "╭ Data: no gates (exit code 1)"

# components/report/test_findings.py
TRIAL_STORED_AS_RIGHT_WRONG_UNDER = "Trial b: stored as right, wrong under answer_v2+v1, answer_v2+v2, after_think+v2."
ITEM_SCHOLAR_VALID_AUDITOR_REJECT = "Item q1: scholar VALID, auditor REJECT; final REJECT (auditor_veto)."
GATE_AGREEMENT_FAILED_PERCENT_AGREEMENT = (
    "Gate agreement failed: percent_agreement >= 0.9; the value of scholar is 0.3333."
)
ITEM_ONE_NONE_TWO = "Item q3: one (none), two B."

# components/report/test_inspect_scores.py
AUDITFW_UNDER_RAW_NONE_THE = "auditfw: C under raw+none; the stored label is I"
SCORES_FOR_A_LOG_NEED = "scores for a log need the column 'sample_id' of each trial (the columns id, ground_truth, "
AUDITFW_WARNING_NO_SCORES_WERE = (
    "auditfw: warning: reports.inspect_scores: no scores were written: the trials '0' and '1' are both sample "
    "s, epoch 1; where there are several logs, name the column of their paths: source.columns.log=THEIRS"
)

# components/report/test_layout.py
A = "a b/\nc/d e"

# components/report/test_mlflow.py
THE_REPORT_MLFLOW_NEEDS_THE = (
    "reports.mlflow: the report mlflow needs the package mlflow - pip install 'auditfw[mlflow]'"
)
THE_REPORT_SENDS_FILES_OF = "the report 'mlflow' sends files of the run to https://elsewhere.example"
AUDITFW_WARNING_THE_RUN_WAS = "auditfw: warning: reports.mlflow: the run was not logged (no server)\n"
AUDITFW_WARNING_THE_RUN_WAS_NOT = "auditfw: warning: reports.mlflow: the run was not logged to MLflow ("
AUDITFW_ERROR_THE_RUN_WAS = "auditfw: error: reports.mlflow: the run was not logged to MLflow ("

# components/report/test_summary.py
AUDIT_PARSING_VERDICT_FAIL_EXIT = "# Audit: parsing\n\n**Verdict: FAIL** (exit code 1)"
LEFT_OUT_FOR_LACK_OF = "Left out for lack of space: S2, S3. The run's report.md has everything.\n\n"
IS_NOT_SET_NO_SUMMARY = "is not set, no summary was written"
IS_FULL_NO_SUMMARY_WAS = "is full, no summary was written"

# components/report/test_texts.py
AUDITFW_ERROR_LEAVE_IT_OUT = "auditfw: error: {} - leave it out of report=[...]"
NEEDS_THE_TEXTS_OF_TRIALS = "reports.texts: needs the texts of trials, which the alignment audit does not keep"

# components/report/test_wording.py
OF_ROWS_AUDITED_NOT_AUDITED = "60 of 267 rows audited; not audited: 207 repeat an id"
INCOMPLETE_PASS_ON_WHAT_WAS = "INCOMPLETE (PASS on what was audited)"
INCOMPLETE_NO_GATES_ON_WHAT = "INCOMPLETE (no gates on what was audited)"
INCOMPLETE_FAIL_ON_WHAT_WAS = "INCOMPLETE (FAIL on what was audited)"
THE_WHOLE_LIST_IS_IN = "The whole list is in result.json."
THE_WHOLE_LIST_IS_IN_2 = "{} The whole list is in result.json."
INPUTS_BYTES_SHA_OF_THEIR = "{} inputs, {:,} bytes, SHA-256 of their list {}."
