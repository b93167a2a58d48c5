"""Every sentence of the command line that a test pins, by the file that pins it first."""

# commands/comparison/test_accepted.py
AS_THE_BASELINE_ITS_LABELS = "as the baseline baseline.json, the labels of its trials as baseline.labels.parquet"
DIFFER_FROM_THE_BASELINE_THAT = "differ from the baseline that it replaces"
EXISTS_AND_BELONGS_TO_NO = "exists and belongs to no baseline"
DOES_NOT_MATCH_ITS_SHA = "does not match its SHA-256 in baseline.json"
DOES_NOT_MATCH_ITS_SHA_2 = "does not match its SHA-256"

# commands/comparison/test_pull_request.py
THE_ANSWER_CHANGED_FROM_STABLE = "- The answer changed from stable to fragile because of this"
OF_TRIALS_AUDITED_NOT_AUDITED = "9 of 10 trials audited; not audited: 1 missing; verdict fail, exit code 1."
LABELS_THAT_CHANGED_SINCE_THE = "#### Labels that changed since the run before"
LABELS_OF_READING_CHANGED_OF = "3 labels of 1 reading changed, of 10 trials in both."
READING_IN_BOTH_CHANGED_RIGHT = "| reading | in both | changed | → right | → wrong | p |"
GATE_RULE_READING_VALUE_STATUS = "| gate | rule | reading | value | status |"
NONE_ALL_LABELS_OF_THE = "None: all labels of the 10 trials in both are as they were."
VERDICT_PASS_EXIT_CODE_THE = "**Verdict pass, exit code 0.** The parsing audit draws no answer."
THIS_RUN_HAS_NO_GATES = "This run has no gates."
OTHER_VERSIONS_AUDITFW_NEW_NONE = "- Other versions: auditfw 1 → 2, new none → 1"
LABELS_OF_READINGS_CHANGED_OF = "60 labels of 2 readings changed, of 50 trials in both."
STORED_TRUE_FALSE_STORED_TRUE = "| stored+v1 | t1 | true | false |\n| stored+v1 | t4 | true | false |\n"
NEEDS_AT_LEAST_TWO_RUN = "needs at least two run folders"

# commands/completion/test_shells.py
COMPLETION_NEEDS_THE_NAME_OF = "completion: needs the name of a shell - write auditfw completion bash|fish|zsh"
COMPLETION_NEEDS_THE_NAME_OF_A = (
    "completion: needs the name of a shell (bash x) - write auditfw completion bash|fish|zsh"
)
COMPLETION_BSH_NO_SUCH_SHELL = "completion bsh: no such shell - did you mean 'bash'?"

# commands/decisions/test_decisions.py
OF_TO_WRONG_YOU_READ = (
    "of 23 to wrong you read 12: your label right in 9, a in 2, cannot tell 1 (75 % [55, 88] of the 23)"
)
TO_RIGHT_YOU_READ_YOUR = "to right you read 12: your label right in 2, a in 9, cannot tell 1"
OF_TO_WRONG_YOU_READ_YOUR = "of 23 to wrong you read 6: your label right in 5, a in 1, cannot tell 0 (75 % ["
OF_THE_BY_THE_FIRST = "({} of the 23, by the first 4)"
YOUR_LABEL_RIGHT_IN_A = "your label right in 1, a in 0, cannot tell 0"
DECISIONS_BY_READERS_WHO_SAW = "2 decisions by readers who saw the labels: not blind"
A_OF_TO_WRONG_YOU = "a: of 3 to wrong you read 2: your label right in 1, a in 1, cannot tell 0 (50 % ["
TO_RIGHT_YOU_READ_YOUR_LABEL = "b: to right you read 1: your label right in 1, b in 0, cannot tell 0"

# commands/explanation/test_changed.py
CHANGED_LABELS_OF_ANSWER_NONE = "╭ 63 changed labels of answer_v2+none: 63 to right"
NUMBER_FORMAT_A_NUMBER_WITH = "│ number format (43 labels): a number with separators, $ or %, as 1,234"
SEVERAL_CANDIDATES_WHAT_IS_COMPARED = "│ several candidates (36 labels): what is compared holds several answers"
MARKDOWN_THE_TEXT_HAS_MARKS = "│ Markdown (21 labels): the text has marks of Markdown, as **"
A_LABEL_MAY_HAVE_SEVERAL = "│ A label may have several: these do not add up to 63."
WE_NEED_ANSWER_QUESTION_TRAIN = "│ We need 10.4 / 4.⏎10.4 / 4 = 2.6.⏎Answer: 2.6⏎⏎Question: A train has 3 wagons"
YOUR_LABEL_WRONG_ANSWER_NONE = '│ your label: wrong (read "120"); answer_v2+none: right, "We need 10.4 / 4.⏎10.4'
THE_NUMBERS_ARE_AND_SO = "│ <think>⏎The numbers are 59 and 86, so I use *.⏎59 * 86 ="
YOUR_LABEL_WRONG_ANSWER_NONE_RIGHT = '│ your label: wrong (read "074"); answer_v2+none: right, "Answer: 5,074"'
CHANGED_LABELS_OF_STORED_NONE = "╭ 0 changed labels of stored+none"
EXPLAIN_ANSWER_NON_NO_GATE = "explain answer_v2+non: no gate or reading named 'answer_v2+non' - did you mean"
EXPLAIN_STORED_NO_GATE_OR = "explain stored: no gate or reading named 'stored'"
LIMIT_EXPECTED_A_WHOLE_NUMBER = "limit: expected a whole number of 0 or more, got -1"
LIMIT_EXPECTED_A_WHOLE_NUMBER_OF = "limit: expected a whole number of 0 or more, got few"
EXPLAIN_NEEDS_A_RUN_FOLDER = "explain: needs a run folder, and at most one gate or reading"
CHANGED_LABELS_OF_ONE_TO = "╭ 20 changed labels of one: 20 to B"
KEEPS_WHAT_FOLLOWS_THE_LAST = "keeps what follows the last delimiter, without leading white space"
THE_NORMALIZER_OF_THE_REFERENCE = "the normalizer of the reference"

# commands/explanation/test_rules.py
LESS_THAN_PP_IN_SIZE = "less than 0.5 pp in size, or p above 0.05"
AT_LEAST_PP_IN_SIZE = "at least 0.5 pp in size"
AT_LEAST_PP_IN_SIZE_AND = "at least 0.5 pp in size and p at most 0.05"
PP_APPROXIMATE_INTERVAL_BY_SIGN = "+2.13 pp, approximate interval [0.00, 4.22], p = 0.0007 by sign flips"
PP_BY_SIGN_FLIPS = "0.00 pp, p < 0.0001 by sign flips"
APPROXIMATE_INTERVAL_BY_SIGN_FLIPS = "0.75, approximate interval [0.5, 0.9], p = 0.010 by sign flips"

# commands/notebook/test_exhibits.py
IT_IS_CHARACTERS_OMITTED_END = "It is… [10 characters omitted] …end"
NO_SUCH_READING_IN_THIS = "exhibits.reading: no such reading in this run (c+n) - write one of a+n, b+n"
NO_SUCH_READING_IN_THIS_RUN = "exhibits.reading: no such reading in this run (stored) - write one of a+n, b+n"
NO_SHOWN_TRIAL_CHANGES_TO = (
    "exhibits.direction: no shown trial changes to this label (rihgt) - write one of right, wrong"
)
NO_SUCH_COLUMN_AMONG_THE = (
    "exhibits.cell: no such column among the shown trials (temp) - write one of temperature, stored, a+n, b+n"
)
NO_SHOWN_TRIAL_CHANGES_TO_THIS = (
    "exhibits.direction: no shown trial changes to this label (right) - write one of REJECT, VALID"
)
NO_SUCH_COLUMN_AMONG_THE_SHOWN = (
    "exhibits.cell: no such column among the shown trials (reading) - write one of temperature, marker, id, "
    "truth, number"
)
EXPECTED_A_WHOLE_NUMBER_OF = "exhibits.limit: expected a whole number of 0 or more, got -1"
EXPECTED_A_WHOLE_NUMBER_OF_OR = "exhibits.limit: expected a whole number of 0 or more, got True"
NO_SUCH_KIND_OF_FRAME = "exhibits.kind: no such kind of frame (arrow) - write one of polars, pandas"
THE_SHOWN_TRIALS_OF_THIS = (
    "exhibits.reading: the shown trials of this run have no labels that a reading changes (live) - leave "
    "reading and direction out"
)

# commands/notebook/test_frames.py
KIND_A_PANDAS_FRAME_NEEDS = "{}.kind: a pandas frame needs the extra pandas - pip install 'auditfw[pandas]'"

# commands/notebook/test_guest.py
RUN_NO_SUCH_FILE_OR = "run: no such file or folder (seed=3) - write overrides as a list: run(['seed=3'])"
RUN_RUNS_ONE_AUDIT_WITHOUT = "run: runs one audit, without flags and settings of Hydra (-m) -"
RUN_RUNS_ONE_AUDIT_WITHOUT_FLAGS = "run: runs one audit, without flags and settings of Hydra (hydra.run.dir=x) -"
SEVERAL_VALUES_WITHOUT_A_SWEEP = "seed=1,2: several values without a sweep -"
SEDE_NO_SUCH_KEY_DID = "sede: no such key - did you mean 'seed'?"
RUN_EXPECTED_SETTINGS_A_LIST = "run: expected settings, a list of overrides or a path; got int"
RUN_EXPECTED_SETTINGS_A_LIST_OF = "run: expected settings, a list of overrides or a path; got list"

# commands/notebook/test_lines.py
AUDIT_PARSING_GATES_PASS_EXIT = "Audit parsing, gates: PASS (exit code 0: all gates passed)"
FRAGILE_ERROR_LIES_BETWEEN_AND = "FRAGILE: Error lies between 3 and 9 %."
AUDIT_PARSING_GATES_FAIL_EXIT = (
    "Audit parsing, gates: FAIL (exit code 1: of 3 gates 1 failed, 1 inconclusive, 1 passed)"
)
AUDIT_PARSING_NO_GATES_EXIT = "Audit parsing: no gates (exit code 0: no gates)"
AUDIT_PARSING_GATES_FAIL_EXIT_CODE = "Audit parsing, gates: FAIL (exit code 1: of 1 gate 1 failed)"
AUDIT_PARSING_GATES_INCONCLUSIVE_EXIT = "Audit parsing, gates: INCONCLUSIVE (exit code 1: of 1 gate 1 inconclusive)"
AUDIT_PARSING_GATES_INCOMPLETE_PASS = (
    "Audit parsing, gates: INCOMPLETE (PASS on what was audited) (exit code 4: the run is incomplete)"
)
AUDIT_PARSING_INCONCLUSIVE_EXIT_CODE = "Audit parsing: INCONCLUSIVE (exit code 5: nothing was audited)"
NO_ANSWER_TRIALS_READ_NOT = "No answer; 2 trials read; not audited: 2 filtered"
OPEN_THIS_RESULT_HAS_NO = (
    'open: this result has no run folder, and so no page - run({..., "report": ["html"]}, FOLDER) writes one'
)
OPEN_NO_IN_THE_RUN = "open: no report.html in the run folder ({}) - write it with: auditfw report '{}' 'report=[html]'"

# commands/paths/test_field_logs.py
THE_ERROR_RATE_IS_TO = "The error rate is 0.0 to 25.0 %"
AUDITFW_LOGS_OF_INSPECT_AI = (
    "auditfw: logs of Inspect AI: auditfw source=inspect source.path={} 'scorer=[inspect_choice]' "
    "'parser=[choice_letter,first_letter,inspect_answer_letter]' 'normalizer=[casefold]' matcher=exact "
    "audit.baseline=inspect_choice 'report=[]' seed=3\n"
)
RUN_AGAIN_WITH_THE_RULE = "Run again with the rule of the labels as baseline: {}"
GATE_BASELINE_REPRODUCES_LEFT_OUT = "gate baseline_reproduces left out: audit.baseline is null"
THE_MEMBER_IS_TOO_LARGE = "the member is too large (2,0"
SAMPLES_THE_MEMBER_IS_TOO = "a.eval:samples/1_epoch_1.json: the member is too large"
AUDITFW_LOGS_OF_INSPECT_AI_AUDITFW = "auditfw: logs of Inspect AI: auditfw source=inspect "
SCORER_PATTERN_A_PATTERN_OF = "0.json: scorer pattern: a pattern of 531,441 counted repeats"

# commands/paths/test_guessed_runs.py
AUDITFW_A_TABLE_OF_ANSWERS = (
    "auditfw: a table of answers (jsonl; 30 of 30 truths are numbers): auditfw source=jsonl source.path={} "
    "'source.columns={{raw_text: response, ground_truth: truth, stored: ok}}' \"source.columns.id='#'\" 'by=[]' "
    "'parser=[answer_v2,last_number,announced_number]' 'normalizer=[none]' matcher=numeric "
    "audit.matcher.which=last audit.baseline=search 'guessed=[source.columns,by]' 'report=[json]'"
)
GUESSED_RAW_TEXT_RESPONSE_GROUND = (
    "Guessed: raw_text: response, ground_truth: truth, stored: ok. If one is wrong: source.columns.raw_text=COLUMN"
)
WITHOUT_CARL_THE_COMMAND = "Without carl: auditfw rerun latest 'audit.raters=[anna,bela,gpt_judge]'"
GUESSED_ID_REFERENCE = "Guessed: id: summary_id; humans: anna, bela; reference: gpt_judge; by: domain."
WEIGHTED_KAPPA_OF_BELA = "Weighted kappa (linear weights) of bela and gpt_judge is 0.45 [0.36, 0.54] on 126 items"
NO_RATER_CARL = (
    "auditfw: error: audit.humans: no rater 'carl' (raters: anna, bela, gpt_judge) - leave it out: write "
    "audit.humans=[anna,bela] (no judge is tested without 3 people) or audit.raters=[anna,bela,gpt_judge,carl]"
)
GUESSED_ID_RATERS_AND_MORE = (
    "Guessed: id: n; raters: r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11 and 2 more; reference: r13. If "
    "one is wrong: source.columns.id=COLUMN or audit.reference=RATER"
)
GROUND_TRUTH_MAY_BE_TRUTH = "(ground_truth may be truth or solution; columns q, "
SAY_WHICH_COLUMNS_ARE_WHICH = "- say which columns are which: auditfw source=jsonl"
WHICH_COLUMN_HOLDS_THE_RIGHT = "which column holds the right answer (ground_truth)"
WHICH_COLUMN_HOLDS_WHETHER_THE = "which column holds whether the answer was scored right (stored)"
DO_ANNA_BELA_HOLD_THE = "do anna, bela hold the labels of raters"
DO_ANNA_JUDGE_HOLD_THE = "do anna, judge hold the labels of raters"
WHAT_DOES_THE_TABLE_HOLD = "what does the table hold"
SAY_WHICH_COLUMNS_ARE_WHICH_2 = "say which columns are which"

# commands/paths/test_guesses.py
STORED_ANSWERS_JSONL_OF_TRUTHS = "stored answers (jsonl; 2 of 2 truths are numbers; yes or no, and not used: hit)"

# commands/paths/test_judged_tables.py
HOLDS_HOW_OFTEN_EACH_LABEL = "holds how often each label was given, not by whom"
TEXT = "source.columns={id: id, rater: rater, label: label}"

# commands/paths/test_left_out.py
OUTSIDE_THE_FOLDER_BY_A = "outside the folder by a link"
LOGS_OU_JSONL_HOLDS_NO = "logs/ou*/*.jsonl: holds no file that can be read"
AUDITFW_ERROR_ONLY_HOLDS_NO = "auditfw: error: only: holds no file that can be read ({}) - name the files themselves\n"
PATH_IS_NO_REGULAR_FILE = "1 path is no regular file (a FIFO, a socket or a device)"
LINK_IS_DANGLING_PATH_IS = "1 link is dangling; 1 path is outside the folder by a link"
NOT_RECOGNISED_AS_A_LOG = "not recognised as a log"
FOLDER_IS_MORE_THAN_FOLDERS = "1 folder is more than {} folders deep and left out: deep/d/d"
FILE_IS_UNREADABLE_AND_LEFT = "1 file is unreadable and left out: b.jsonl"
FOLDER_IS_UNREADABLE_AND_LEFT = "1 folder is unreadable and left out: closed"
THE_FILE_IS_CUT_OFF = "x.json:1: the file is cut off (one JSON object that does not end) - write it again"
THE_FILE_IS_CUT_OFF_2 = "x.json:3: the file is cut off"
THE_FILE_IS_CUT_OFF_3 = "x.json:2: the file is cut off"
IS_NOT_JSON_EXPECTING_DELIMITER = "x.json:2: is not JSON (Expecting ',' delimiter, column 10) - mend that place"
NOT_RECOGNISED_AS_A_LOG_OBJECT = "x.json: not recognised as a log (object with a, b) - name the files themselves"
NOT_RECOGNISED_AS_A_LOG_OBJECT_WITH = "x.json: not recognised as a log (object with a, b)"

# commands/paths/test_log_rules.py
THE_SCORER_MODEL_GRADED_QA = "the scorer model_graded_qa asks a model"
THE_SCORER_MINE_HAS_NO = "the scorer mine has no shipped rule"
THE_METRIC_SCORE_HAS_NO = "the metric f1_score has no shipped rule"
THE_LOG_DOES_NOT_SAY = "the log does not say how it was scored"

# commands/paths/test_loops_and_models.py
TEXT_2 = "scenarios.columns={params: inputs, intended: expected, actual: observed}"

# commands/paths/test_paths.py
AUDITFW_ERROR_CHEKC_NO_SUCH = "auditfw: error: chekc: no such command - did you mean 'check'?\n"
AUDITFW_LOGS_OF_LM_EVALUATION = "auditfw: logs of lm-evaluation-harness: auditfw source=lm_eval"
AUDITFW_WARNING_IS_THE_PATH = "auditfw: warning: seed=1: is the path of this name; a setting goes behind another"
MODEL_NO_SUCH_KEY_KNOWN = "model: no such key - known: audit, by"
SORCE_NO_SUCH_KEY_DID = "sorce: no such key - did you mean 'source'?"

# commands/paths/test_recognisers.py
ARC_TASKS_WITH_RECORDED_ATTEMPTS = "ARC tasks with recorded attempts"

# commands/paths/test_several.py
AUDITFW_JOB_LOGS_OF_INSPECT = "auditfw: job 0: logs of Inspect AI:"
AUDITFW_JOB_LOGS_OF_LM = "auditfw: job 1: logs of lm-evaluation-harness:"
AUDITFW_JOB_RESULTS_OF_PROMPTFOO = "auditfw: job 2: results of promptfoo:"
AUDITFW_WARNING_FILE_IS_NOT = "auditfw: warning: 1 file is not recognised and left out: logs/notes.md"
AUDITFW_WARNING_FILE_IS_EMPTY = "auditfw: warning: 1 file is empty and left out: logs/empty.jsonl"
LOGS_THE_ZIP_FILE_IS = "logs/b.eval: the zip file is cut off"
CFG_WORKS_ON_ONE_RUN = "--cfg: works on one run, and these paths make several runs"
INFO_WORKS_ON_ONE_RUN = "--info: works on one run"
TAKES_ITS_RUNS_FROM_THE = "resume=x: takes its runs from the folder - auditfw resume=x"
HAS_SEVERAL_VALUES_WRITE_FOR = "seed=1,2: has several values - write -m for all of them"
HYDRA_SWEEPER_CANNOT_SWEEP_OVER = "hydra/sweeper: cannot sweep over several runs"
FOLDERS_ARE_OF_AUDITFW_ITSELF = "2 folders are of auditfw itself and left out: logs/outputs/r, logs/outputs/s"
IS_THE_FOLDER_OF_A = "is the folder of a run or sweep of auditfw"
STORED_ANSWERS_JSONL_OF_TRUTHS_ARE = "stored answers (jsonl; 2 of 2 truths are numbers)"
A_FOLDER_OF_CONFORMITY_RUNS = "a folder of conformity runs"
FILES_ARE_NOT_RECOGNISED_AND = (
    "7 files are not recognised and left out: ./0.txt, ./1.txt, ./2.txt, ./3.txt, ./4.txt and 2 more"
)
NOWHERE_EVAL_NO_FILE_MATCHES = "nowhere/*.eval: no file matches (there is no folder nowhere)"
IS_A_PATH_AND_PATHS = "a.jsonl: is a path, and paths come first - auditfw a.jsonl"
IS_A_PATH_AND_PATHS_COME = "a.jsonl: is a path, and paths come first"
NONE_THE_FOLDER_HOLDS_NO = "none: the folder holds no file"
BARE_ALL_FILES_ARE_EMPTY = "bare: all 2 files are empty"
IS_A_RESULTS_FILE_OF = "results.json: is a results file of lm-evaluation-harness without samples beside it"

# commands/paths/test_tables.py
AUDITFW_STORED_ANSWERS_JSONL_OF = (
    "auditfw: stored answers (jsonl; 3 of 3 truths are numbers): auditfw source=jsonl source.path={} "
    "\"source.columns.id='#'\" 'parser=[answer_v2,last_number,announced_number]' 'normalizer=[none]' "
    "matcher=numeric audit.matcher.which=last 'by=[model]' audit.baseline=search 'report=[json]'"
)
NOT_RECOGNISED_AS_A_LOG_STORED = (
    "x.jsonl: not recognised as a log (stored may be correct or ok; columns response, answer, correct, ok; 2 "
    "of 2 truths are letters) - say which columns are which: auditfw source=jsonl source.path=x.jsonl "
    "'source.columns={raw_text: response, ground_truth: answer, stored: correct}' \"source.columns.id='#'\" "
    "'by=[]' 'parser=[choice_letter,mmlu_pro_three_step,first_letter]' 'normalizer=[casefold]' matcher=exact "
    "audit.baseline=search\n"
)
NOT_RECOGNISED_AS_A_LOG_CSV = "x.md: not recognised as a log (csv) - name the files themselves"
NOT_RECOGNISED_AS_A_LOG_READ = "x.md: not recognised as a log (read as csv: "
NOT_RECOGNISED_AS_A_LOG_READ_AS = (
    " x.jsonl:2:1: not recognised as a log (read as jsonl: not JSON: Expecting value) - write a text in "
)
IS_DAMAGED_THE_END_OF = "x.db: is damaged: the end of the file is missing (16 of 100 bytes) - copy"
IS_A_ZIP_ARCHIVE_THAT = "x.zip: is a zip archive that cannot be read"
NOT_RECOGNISED_AS_A_LOG_OBJECT_WITH_A = "x.json: not recognised as a log (object with a) - name the files themselves"

# commands/sweep/test_jobs.py
NOT_RUN_JOBS_FAILED_BEFORE = "not run: 2 jobs failed before it (on_error)"
JOB_NOT_RUN_JOBS_FAILED = "- job 3: not run: 2 jobs failed before it (on_error)\n"
AUDITFW_ERROR_ON_ERROR_IS = (
    "auditfw: error: on_error: is a setting of the whole sweep and cannot be swept (on_error=stop,continue)"
)
JOBS_HAVE_THE_SAME_CONFIG = "2 jobs have the same config as another and are not run again"
MAX_JOBS_A_SWEEP_OF = "max_jobs: a sweep of 10,000,000,000 jobs (at most 1,000 are allowed) - narrow it"
JOBS_OF_DONE_FAILED_ABOUT = "jobs 3 of 12 done, 1 failed, about 0:42 left"
JOBS_OF_DONE_FAILED_ABOUT_LEFT = "jobs 1 of 1001 done, 0 failed, about 2:46:40 left"

# commands/sweep/test_launchers.py
AUDITFW_ERROR_FINISHED_WORK_IS = "auditfw: error: {}; finished work is kept - run the rest with: auditfw resume=run"
HYDRA_THE_SWEEP_STOPPED_EARLY = "hydra: the sweep stopped early: AssertionError"

# commands/sweep/test_own_choices.py
WHAT_THE_JOB_CHOSE_AS = "*: what the job chose, as its overrides say."

# commands/sweep/test_page.py
WITHOUT_A_NUMBER_JOB_ERROR = "Without a number: job 2 (error)."
NOT_COMPARABLE_BETWEEN_JOBS_THE = "Not comparable between jobs: k (the jobs judged different trials)."
MARKS_JOBS_THAT_FAILED_A = "× marks jobs that failed a gate."
EXIT_CODE_JOBS_OVER_A = "exit code 2, 4 jobs over a"
EVERY_NUMBER_IS_THE_SAME = "every number is the same in all jobs"

# commands/sweep/test_resume.py
THESE_OVERRIDES_MAKE_DIFFERENT_JOBS = "these overrides make different jobs"

# commands/sweep/test_screen.py
JOBS_ERROR_THE_BEST_FIRST = "6 jobs: 1 equals another, 5 differ; error %, the best first"
JOBS_EQUALS_ANOTHER_DIFFER = "6 jobs: 1 equals another, 5 differ"
MEANS_PARSER_TO_NORMALIZER_AND = "means: parser 30 to 45, normalizer 33 and 43"
DEPEND_ON_SCORING_CANNOT_TELL = "4 depend on scoring, 1 cannot tell, 1 holds (job 2); no job failed (exit 0)"
NO_GATE_CHECKS_THE_ANSWER = "no gate checks the answer: gate=[stable]"
DIFFER_LEFT_OUT_JOB_ACCEPTS = (
    "6 jobs: 3 left out (1 accepts wrong answers, 1 reads no answers, 1 takes the first number), 1 equals another, "
    "2 differ; error %, the best first"
)
FIRST_NUMBER_JOBS_TAKE_THE = (
    "first number: jobs 0, 1, 2, 3, 4, 5 take it of an answer where the last is right; write {}"
)
LABELS_ARE_IN_DOUBT_ANSWERS = "1: labels are in doubt (answers_unsourced), 1 reads no answers, 1 holds (job 2)"
LOWEST_ERROR_IS_NOT_PROOF = (
    "lowest error is not proof: read the labels that job 2, the best, changes: auditfw explain 2 q+v1 ({})"
)
OF_LABELS_HAVE_NO_RULE = "1 OF 3: LABELS HAVE NO RULE"
OF_THEY_AGREE_IN_PART = "2 OF 2 THEY AGREE IN PART"
DEPEND_ON_SCORING_CANNOT_TELL_2 = "2 depend on scoring, 1 cannot tell"
LABELS_HAVE_NO_RULE_HOLDS = "1: labels have no rule, 1 holds (job 1)"
OF_DEPEND_ON_SCORING_FRAGILE = "4 OF 6 DEPEND ON SCORING (fragile)"
JOBS_DIFFER_IN_SCORING_NOT = "Jobs differ in scoring, not in models: the best is no better system."
READ_WHY_JOB_DEPENDS_ON = "read why job 2, the best, holds: auditfw report 2 (from the folder of this file)"
READ_WHY_JOB_SAYS_LABELS = "read why job 2, the best, says: labels have no rule: auditfw report 2"
WITH_RIGHT_IF_NONE_DIFFERED = "{} with {:.1f} % right; if none differed"
THE_BEST_OF_WOULD_LIE = "the best of 4 would lie {:.1f} points above the mean (p = "
JOB_JSONL_IS_THE_BEST = "job {} (source.path=m{}.jsonl) is the best of 4"
IS_THE_BEST_OF_WITH = " is the best of 4 with "
FROM_THE_FOLDER_OF_THIS = "(from the folder of this file)"

# commands/sweep/test_subdirs.py
NAME_ONE_AUDITFW_EXPLAIN = "name one: auditfw explain s/{}"
A_RESUMED_SWEEP_HAS_THE = "hydra.sweep.subdir: a resumed sweep has the folders"
GIVES_THE_JOBS_AND_THE = "hydra.sweep.subdir: gives the jobs 0 and 1 the same folder"

# commands/sweep/test_table.py
LOSSY_THE_READING_ACCEPTS_WRONG = (
    "lossy: the reading accepts wrong answers and is never the best (auditfw help parsing)."
)
READS_NONE_THE_READING_FINDS = (
    "reads none: the reading finds no answers of the kind of the truths and is never the best."
)
FIRST_NUMBER_JOB_TAKES_THE = "first number: job 1 takes it of an answer where the last is right; write x=last"
IN_BRACKETS_THE_INTERVAL_OF = "In brackets: the interval of the number. n: the trials that it counts."
NOT_COMPARABLE_BETWEEN_JOBS_ERROR = "Not comparable between jobs: error % ({})."
DIFFERENT_TRIALS_IN_JOBS_IN = "different trials: n 50 in jobs 0, 2; n 40 in job 1"
THE_JOBS_JUDGED_DIFFERENT_TRIALS = "the jobs judged different trials"
NO_JOB_COMPUTES_THE_METRIC = "sweep.metrics: no job computes the metric 'flops' - did you mean 'flips'?"

# commands/test_accept.py
STORE_ONE_WITH_AUDITFW_ACCEPT = "store one with auditfw accept RUN"

# commands/test_check.py
READINGS_STORED_NONE_LAST_LINE = "readings: stored+none, last_line+none, stored+v2, last_line+v2\n"
AUDITFW_ERROR_JOB_NOT_SET = "auditfw: error: job 1, parser=raw source=jsonl: source.path: not set"
AUDITFW_ERROR_JOB_NO_PARSER = (
    "auditfw: error: job 2, parser=rw source=sample_parsing: parser=rw: no parser named 'rw' (1 more like this)"
)
WARNING_GATES_FEW_AND_MANY = "warning: gates few and many cannot both pass: flips <= 3 and >= 5\n"

# commands/test_compare.py
RUN_ANSWER_CHANGED_FROM_STABLE = (
    "Run 2: answer changed from stable to fragile because raw+none shifts the error rate by +2.00 pp"
)
ANSWER_CHANGED_FROM_STABLE_TO = "answer changed from stable to fragile"

# commands/test_explain.py
ANSWER_DEPENDS_ON_SCORING_FRAGILE = "Answer: DEPENDS ON SCORING (fragile)"
WHAT_WAS_FOUND_IN_THE = "What Was Found in the Data"
WHAT_COULD_NOT_BE_LOOKED = "What Could Not Be Looked For"
WHAT_WOULD_HAVE_CHANGED_IT = "What Would Have Changed It"
RULES_THAT_DID_NOT_FIRE = "Rules That Did Not Fire"
WHAT_IT_IS_BASED_ON = "What It Is Based On"
ITS_NUMBER_IS_THE_SHIFT = "Its number is the shift of the error rate."
IT_FIRES_IF_IT_IS = (
    "It fires if it is at least 0.5 pp in size, and p at most 0.05 (audit.margin and audit.alpha); the answer "
    "is then fragile."
)
READ_THE_CHANGED_LABELS_AUDITFW = "Read the 23 changed labels (report.html; auditfw explain run answer_v2+v1)"
MOVES_WHOLE_DOES_A_READING = "moves_whole: Does a reading move the error rate?"
WITHOUT_ALL_OF_THESE_RULES = "Without all of these rules the answer would be unknown:"
EXPLAIN_NEEDS_A_RUN_FOLDER_AND = (
    "explain: needs a run folder, and at most one gate or reading - write auditfw explain RUN [GATE|READING]"
)
EXPLAIN_NEEDS_A_RUN_FOLDER_AND_AT = (
    "explain: needs a run folder, and at most one gate or reading (run a b) - write auditfw"
)
EXPLAIN_FEW_FLIP_NO_GATE = "explain few_flip: no gate or reading named 'few_flip' - did you mean 'few_flips'?"
NOWHERE_NO_SUCH_FILE_NAME = "nowhere/result.json: no such file - name the folder of a finished run"
RUN_IS_A_FILE_NOT = "run/result.json: is a file, not the folder of a run"
IS_OLDER_THAN_THE_ANSWERS = "is older than the answers of audits"
TRIALS_WHERE_ANSWER_AND_STORED = "30 trials where answer_v2+v2 and stored differ."
AUDITFW_ERROR_EXPLAIN_FEW_FLIPS = (
    "auditfw: error: explain few_flips: the run has no gates - write auditfw explain run\n"
)
THE_RUN_DOES_NOT_STORE = "The run does not store what the gate looked at"
AN_OLDER_RUN_DOES_NOT = "An older run does not store which rules decide: auditfw rerun RUN runs it again."
THE_DECIDING_VALUE_OF_ANSWER = "The deciding value of answer_v2+v2 is 30."
IT_FIRES_IF_THE_LOWER = "It fires if the lower end is above 1 %; the answer is then fragile."
NO_STORED_RULE_GIVES_THE = "No stored rule gives the reason."
AUDITFW_ERROR_COMPARE_A_SWEEP = (
    "auditfw: error: sweep: is a sweep of 2 jobs (1 fragile, 1 unknown) - name two: auditfw compare sweep/1 sweep/0\n"
)
AUDITFW_ERROR_SWEEP_IS_A = (
    "auditfw: error: sweep: is a sweep of 2 jobs (1 fragile, 1 unknown) - name one: auditfw explain sweep/1\n"
)
ANSWER_DEPENDS_ON_SCORING_FRAGILE_2 = "╭ Answer: DEPENDS ON SCORING (fragile)"

# commands/test_export.py
KEY_COMBINED_WITHOUT_THE_FLOOR = "key,combined,without the floor,effect of the floor\nattack_rate,0."
WE_SCORED_ALL_INTENDED_OUTCOMES = "We scored all 96 intended outcomes, in 24 scenarios, from 0 to 1 (auditfw "
WROTE_FILES_INTO_OF_THEM = "wrote 2 files into {}, 1 of them over older ones: coverage.csv, units-and-floor.csv\n"

# commands/test_finished.py
NAME_THE_FOLDER_OF_A = " - name the folder of a finished run"
GATES_VALUE_EXPECTED_A_NUMBER = "gates[0].value: expected a number or null, got text"
GATES_BOUND_EXPECTED_A_LIST = "gates[0].bound: expected a list of length 2"
GATES_TERMS_METRIC_EXPECTED_TEXT = "gates[0].terms[0].metric: expected text, got a whole number"
GATES_OBJECT_MISSING_REQUIRED_FIELD = "gates[0]: object missing required field status"
IS_NOT_AN_OBJECT_OF = "is not an object of schema auditfw.result/2 ([]) - name the folder of a finished run"
EXIT_CODE_IS_NOT_A = "error.json: exit_code is not a whole number or null (x)"
AUDITFW_ERROR_TWO_IS_NOT = (
    "auditfw: error: two/result.json: is not an object of schema auditfw.result/2 ([]) - name the folder of"
)

# commands/test_fuzz.py
THE_JOURNAL_IS_DAMAGED_ITS = "the journal is damaged (its checksum is wrong)"
THIS_FOLDER_ALREADY_HOLDS_A = (
    "hydra.run.dir: this folder already holds a run (r) - leave the setting out, or name a new folder"
)
THIS_FOLDER_ALREADY_HOLDS_A_SWEEP = "hydra.sweep.dir: this folder already holds a sweep (s) - resume=s continues it"
OR_A_OF_ANOTHER_PROGRAM = "or a manifest.json of another program"

# commands/test_init.py
CREATED_DEMO_CD_DEMO_AUDITFW = "created demo: cd demo && auditfw experiment=mine\n"
AUDITFW_ERROR_DEMO_IS_NOT = "auditfw: error: demo: is not an empty folder - name a new one\n"
NEXT_CD_AUDITFW_PYTHON_PYTEST = "next: cd p && auditfw experiment=mine && python -m pytest tests/test_audit.py"
IS_IN_THE_WAY_MOVE = "is in the way - move it away, or name another folder; nothing was written"

# commands/test_list.py
GATE_A_BOUND_ON_MEASUREMENTS = "╭ gate: a bound on measurements"
AUDITFW_LIST_GATE_NAME_SHOWS = "│ auditfw list gate NAME shows one with its settings and an example."
METRIC_MUST_BE_SET_TEXT = "│   metric     must be set  (text)"
KEEPS_WHAT_WE_NEED_CONF = "Keeps what we need. (conf/)"
PARSER_MINE_VARIANT_OF_STEPS = "╭ parser mine  (variant of steps, conf/)"
LIST_GAT_NO_SUCH_KIND = "list gat: no such kind - did you mean 'gate'?"
LIST_GATE_BUND_NO_GATE = "list gate bund: no gate named 'bund' - did you mean 'bound'?"
LIST_EXPERIMENT_POSIWD_NO_EXPERIMENT = "list experiment posiwd: no experiment named 'posiwd' - did you mean 'posiwid'?"
LIST_GATE_BOUND_TOO_MANY = "list gate bound x: too many words - write auditfw list KIND NAME"

# commands/test_memory.py
AUDITFW_ERROR_ULIMIT_MB_OF = "auditfw: error: ulimit -v: 300 MB of address space is too little"
MEMORY_THE_SYSTEM_GIVES_THIS = "memory: the system gives this process no more memory or threads - raise its limits"
MEMORY_THE_SYSTEM_GIVES_THIS_PROCESS = "memory: the system gives this process no more memory or threads"
A_DEFECT_OF_AUDITFW_RUNTIMEERROR = "a defect of auditfw: RuntimeError: another"

# commands/test_probe.py
ALL_TRIALS_OF_ITEMS_THE = "All 1,080 trials of 20 items; the scorer of the reference is stored+v1."
STORED_ANSWERS_VS_PARSED_ANSWERS = "Stored Answers vs Parsed Answers"
TRIALS_OF_ITEMS_A_RANDOM = "300 trials of 300 items, a random sample of whole items (seed 0)"
EITHER_WAY_OF_ACCEPTED_ANSWERS = "Either way: 300 of 300 accepted answers"
PROBE_NO_SUCH_FLAG_PROBE = "probe -m: no such flag - probe takes paths, overrides and --config-dir"
PROBE_THE_ALIGNMENT_AUDIT_HAS = "probe: the alignment audit has no scorer to probe - choose a parsing audit"
DRAWS_NO_TRIAL_WRITE_A = "audit.probe: draws no trial (0) - write a number up to 20000, or leave it out"
DRAWS_NO_TRIAL_WRITE_A_NUMBER = "audit.probe: draws no trial - write a number"
EXPECTED_A_WHOLE_NUMBER_FROM = "audit.probe: expected a whole number from 0 to 20,000, got 30000 - write 0 for none"

# commands/test_pytest_plugin.py
GATE_FEW_FAIL_FLIPS_STORED = "gate few: fail: flips <= 0; stored+v1 is 1"
TYPEERROR_OBJECT_IS_NOT_CALLABLE = "TypeError: 'NoneType' object is not callable"

# commands/test_report.py
AUDITFW_ERROR_RESUME_THE_PARSING = "auditfw: error: resume: the parsing audit keeps no journal"

# commands/test_rerun.py
COMPARED_WITH_ONE_HAS_THE = "╭ Compared with one\n│ result.json has the same bytes\n"

# commands/test_result_schema.py
ANSWER_SHIFTS_THE_ERROR_RATE = "answer_v2+v1 shifts the error rate by +2.1 pp"

# commands/test_run.py
AUDITFW_ERROR_STANDARD_OUTPUT_CANNOT = "auditfw: error: standard output: cannot be written or read (No space left"
PLUGINS_A_COMPONENT_FAILED_PANICEXCEPTION = "plugins/panics.py:13: a component failed (PanicException: "
RUN_CANNOT_BE_WRITTEN_OR = "run: cannot be written or read (Too many open files, errno 24)"

# commands/test_run_folder.py
IS_NOT_A_REGULAR_FILE = "is not a regular file (a"
IS_NOT_A_REGULAR_FILE_2 = "is not a regular file"
IS_A_SYMBOLIC_LINK_OUT = "is a symbolic link out of its folder (/dev/zero)"

# commands/test_signals.py
AUDITFW_ERROR_NOTHING_WAS_LEFT = "auditfw: error: {}; nothing was left half written\n"

# commands/test_stranger_files.py
EXIT_CODE_IS_NOT_ONE = "result.json: exit_code is not one that a run ends with"
CONFIGS_EXPECTED_AN_OBJECT_GOT = "configs: expected an object, got a list"
EXPECTED_AN_OBJECT_GOT_TEXT = "configs.mygsm: expected an object, got text"
EXPECTED_A_LIST_OR_NULL = "configs.mygsm.filter_list: expected a list or null, got text"
FILTER_FUNCTION_EXPECTED_TEXT_OR = "configs.mygsm.filter_list[0].filter[0].function: expected text or null, got a list"
EXPECTED_AN_OBJECT_GOT_NULL = "configs.mygsm.metric_list[0]: expected an object, got null"
IS_NOT_AN_ACCEPTED_RUN = "is not an accepted run: nested too deep"
EXPECTED_AN_OBJECT_GOT_A = "expected an object, got a list"

# commands/test_tables.py
BY_IS_A_COLUMN_OF = "by: '{}' is a column of the "

# commands/test_trust.py
HYDRA_A_STORED_OVERRIDE_THAT = "R/.hydra/overrides.yaml: a stored override that is not accepted"
COPY_YOU_DID_NOT_MAKE = (
    "copy: you did not make this run here, and its stored settings would start code: the simulator 'python' "
)
YOU_DID_NOT_MAKE_THIS = "s: you did not make this run here, and its stored settings would start code"
CANNOT_RECORD_THAT_THIS_RUN = "cannot record that this run was made here (Not a directory)"

# commands/sweep/test_models.py
ERROR_BY_MODEL_AND_MORE = "Error by model, % (3 more in the jobs)"

# commands/labelling/test_label.py
DRAWN_100 = (
    "Drawn 100 of 1,080 trials: 50 all right, 16 all wrong, 34 where readings differ. The true error rate will be "
    "known to about ± 7.0 points, if people confirm 95 % of what all readings say."
)
DRAWN_20_MORE = "Drawn 20 more, 50 in all, of 240 trials: "
WITH_ALL_50 = " With all 50 labels the true error rate will be known to about ± "
WHERE_IT_SAVES = "The page saves {} where the browser saves files."
WHERE_THEY_SAVE = "The pages save {} and so on where the browser saves files."
THEN_ADJUDICATE = "Then: auditfw adjudicate"
THEN_WITH_EARLIER = "Then, with the files of earlier pages: auditfw adjudicate run "
ONE_READING = "points, if people confirm 95 % of what stored says."
QUESTIONS_NOT_SHOWN = "the questions are not shown: mine.jsonl: no such file - put it back, or run with"
SOURCE_GONE = "mine.jsonl: no such file - put it back, or run with report=[texts]"
SOURCE_CHANGED = "mine.jsonl: changed since the run - run it again, or put the file back"
BARRED_NEEDS_TRUST = "you did not make this run here, and its stored settings would start code: the source 'barred'"

# commands/labelling/test_page.py
SIX_ARE_TOO_LARGE = "n: 6 trials make a page of 2.4 MB, more than 2 - n=4, or format=[csv]"

# commands/labelling/test_page_in_browser.py
END_OF_PAGE = "The end of the page"
FOUR_WITHOUT = "4 of 6 trials have no label."
ALL_LABELLED = "All trials have a label. Thank you!"
MIDDLE_LEFT_OUT = "The middle of this text of 1,200,000 characters is left out."
NONE_EXPECTED = "No expected answer is known."
FILL_THE_CSV = "writes {}.csv; fill its column label with right, wrong or cannot_tell"
KEPT_HERE = "Each label is kept in this browser: you may stop at any time and go on later."
KEEPS_NOTHING = "This browser keeps nothing: save the CSV before you close."
SAVED_AS = "Saved {} of 6 labels as {}"
ASKS_FOR_NAME = "Your name goes into the file: type it and press Enter. To save without it, save again."

# commands/labelling/test_adjudicate.py
CANNOT_TELL_WHETHER_OFF = (
    "People call 18.1 % wrong [10.4, 28.7], stored 24.7 %: 100 labels cannot tell whether stored is off by 5 points."
)
ABOUT_82_MORE = "About 82 more labels would make it ± 5 points: auditfw label run n=82"
BY_PEOPLE_CANNOT_TELL = "By people: CANNOT TELL (unknown). People call 18.1 % wrong"
WHETHER_FAR_FROM_PEOPLE = "Is the error rate of the reference far from what people say?"
WAS_NOT_DRAWN = (
    "mine.csv:2: key k0 was not drawn from this run (1 of 1 row) - labels of hand-picked trials give no rate; chosen "
    "at random elsewhere: audit.sampling=random"
)
IS_NO_TRIAL = "mine.csv:2: id x-1 is no trial of this run (1 of 1 row) - name the run that the labels are of"
NO_COLUMN_LABEL = "mine.csv: no column 'label' (id, verdict) - audit.columns.label=verdict"
MAYBE_IS_NO_LABEL = (
    "mine.csv:2: 'maybe' is no label (2 rows) - right, wrong, cannot_tell, or audit.unsure=[maybe] "
    "(audit.right and audit.wrong likewise, with all words of theirs)"
)
ANOTHER_LABEL = "mine.csv:3: another label for id a-1 (right at mine.csv:2, wrong) - leave one of them"
LABELLED_IN_PART = "mine.csv: item 2: 1 of 3 trials have a label - label all of them"
EXPECTED_A_PROBABILITY = "mine.csv:2: expected a probability above 0, at most 1; got 0"
EXPECTED_A_PROBABILITY_NOTHING = "mine.csv:2: expected a probability above 0, at most 1; got nothing"
NO_RANDOM_TRIALS = (
    "mine.csv: these are no random trials: 68 % differ, reference wrong, 18 % of all (p < 0.0001) - give their "
    "probabilities: audit.sampling=probability"
)
KEYS_OF_A_DRAW = (
    "mine.csv: names trials by the keys of a draw, not by their ids - audit.columns.id=NAME, or audit.sampling=drawn"
)
NO_READING = "audit.reference: no reading 'raw+v2' - did you mean 'raw+v1'?"
NO_DRAW_OF_THIS_NAME = "audit.draw: no draw of run is named 'second' - known: labels"
NO_LABELS_WERE_DRAWN = (
    "run: no labels were drawn from this run - auditfw label run, or audit.sampling=random for labels chosen at random "
    "elsewhere"
)
NO_FINISHED_RUN = "audit.run: no finished run is there (run) - name the folder of a finished parsing or consistency run"
NEEDS_A_RUN = "adjudicate: needs a run folder and files with labels - write auditfw adjudicate RUN labels.csv"
NEEDS_FILES = (
    "adjudicate: needs files with labels behind the run folder (run) - write auditfw adjudicate RUN labels.csv"
)
LABELS_97_OF_100 = "labels: 97 of 100 drawn trials, 3 undecided"
LEAST_FAILS = "Claim least fails under people: 32.50 [32.50, 32.50] against 60."
NO_SINGLE_TRIALS = (
    "mine.csv: these are no random single trials: 30 labels of 10 questions (23 are expected) - whole questions at "
    "random: audit.sampling=items, all trials of each labelled"
)
ITEMS_ARE_TWO_NUMBERINGS = "row.item is two numberings: 97 of 100 questions agree"
AN_ITEM_OF_DIFFERENT_TRUTHS = "1 item has trials of different truths: left out"
HOLDS_NOTHING_WHERE_BASELINE = ": entries.style.max_relative: holds nothing where the baseline is 20 or more"
AT_MOST_1000_ENTRIES = ": entries: at most 1,000 entries are possible (1,001)"
BY_ITS_VALUE_ALONE = "more than 0.5 by its value alone (critical)."
OTHER_REPEATS = "all is of 2 repeats in the baseline, of 3 in the candidate"
FORTY_HAVE_ANOTHER_TRUTH = "40 of 1,319 common items have another truth (3.0 %)"
MORE_ARE_ONLY_IN_THE_BASELINE = (
    "a: on the 400 common items; 919 more are only in the baseline, 0 only in the candidate."
)
MAY_HAVE_DROPPED = (
    "INCONCLUSIVE: nothing breached; b may have dropped by up to 0.8 (bound 0.5): about 6,200 items decide."
)
ONLY_ADVISORY_BREACHED = (
    "INCONCLUSIVE: only advisory entries breached; b may have dropped by up to 0.8 (bound 0.5): "
    "about 6,200 items decide."
)
DROPPED_BY_5 = "NO-GO: b dropped by 5.0 points [3.8, 6.2], more than 1 (critical)."
TWO_AND_ONE_MORE = (
    "NO-GO: c dropped by 5.0 points [3.8, 6.2], more than 1 (critical); "
    "b dropped by 5.0 points [3.8, 6.2], more than 1 (supporting); 1 more reason."
)
CANNOT_BE_COMPARED = "NO-GO: a cannot be compared: 40 of 1,319 common items have another truth (3.0 %)."
BREACHED_AND_NOT_RUN = "│ b<x> dropped by 5.0 points [3.8, 6.2], more than 1 (supporting); 1 of 5 was not run (gone)."

# commands/planning
DIFFERENCE_IS_POINTS = "difference=0: expected points above 0 and at most 100 - difference=2"
NEVER_DIFFER = "discordant=0: two sides that never differ have no difference - discordant=0.1"
TEN_PERCENT_DIFFER = "only 10 % of the pairs differ"
SIX_THOUSAND_FIVE_HUNDRED_ITEMS = "needs about 6,500 items at the 33 % of discordant ones seen; your 1,319 can see 4.4."
NOW_AND_WHAT_TO_BUY = "Now ±11.7; twice the repeats ±11.3, twice the items ±8.0; 180 items asked once ±5.6 points."
ELEVEN_HOLD_THE_RARER = "No intervals: 11 items hold the rarer label, 30 are needed."
TWO_THOUSAND_ITEMS = "needs about 2,000 items at the 10 % of discordant ones expected."
NO_NUMBER_OF_ITEMS = "gate=0.95: the rate seen is 0.80, no number of items will pass"
NO_COMMON_ITEM = "than: the two cells have no common item (a and c)"
NEEDS_DISCORDANT = "difference: needs the share of pairs that differ to plan from"
PLAN_NEEDS_A_RUN = "plan: needs a run folder, or typed numbers"
NO_DIFFERENCE_WITHOUT_ITEMS = (
    "No difference is planned: the run has no items that two cells could share. "
    "Name the share of pairs that will differ: discordant=0.1."
)
BOTH_SIDES_ARE_ALIKE = (
    "No difference is planned: both sides are alike on all 4 common items. "
    "Name the share of pairs that will differ: discordant=0.1."
)
FEWER_THAN_30 = "Fewer than 30 items are an approximation for many: take 30 at least."
TRIALS_SAY_AS_MUCH = "an item's 3 trials say as much as"
RATERS_ARE_NO_SAMPLE = "so few are no sample of raters."
RUN_HAS_NO_LABEL_TABLE = "auditfw: error: run: no label table - auditfw rerun run\n"


# commands/paths/test_upgrade.py
MATCH_NUMERIC_FROM_TO = "╭ match(numeric) of inspect_ai from 0.3.220 to 0.3.221"
POINTS_FEWER_RIGHT = (
    "1.14 points fewer right from 0.3.220 to 0.3.221: `match(numeric)` no longer takes 5 in 25 (69 labels);"
    " 9 go the other way."
)
AS_MANY_OF_MATCH_NUMERIC = (
    "As many are right from 0.3.219 to 0.3.285, though not the same:"
    " by `match(numeric)` 1 label becomes right, 1 wrong."
)
NO_CHANGE_OF_MATCH_NUMERIC = (
    "no change of `match(numeric)` between 0.3.221 and 0.3.252 is known"
    " (changelogs and sources of inspect_ai up to 0.3.285)"
)
NO_CHANGE_UP_TO_THE_LAST = (
    "no change of `match(numeric)` between 0.3.270 and 0.3.285 is known"
    " (changelogs and sources of inspect_ai up to 0.3.285)"
)
NO_CHANGE_BEYOND_THE_TABLE = (
    "no change of `match(numeric)` between 0.3.270 and 0.3.999 is known"
    " (changelogs and sources of inspect_ai up to 0.3.285; what came after 0.3.285 is not known)"
)
NO_CHANGE_OF_PATTERN = (
    "no change of `pattern` between 0.3.240 and 0.3.285 is known (changelogs and sources of inspect_ai up to 0.3.285;"
    " 1 change that no label turns on: auditfw upgrade --list)"
)
THE_SCORER_MINE_IS_NONE = (
    "auditfw: error: a.json: the scorer `mine` is none of inspect_ai, so its changes are not known -"
    " compare two installations: audit.published, or report=[texts]"
)
THE_LOG_NAMES_NO_VERSION = "auditfw: error: the log names no version of inspect_ai - write from=0.3.200"
NO_VERSION_BUT_A_DATE = (
    "the log names no version of inspect_ai: {} is taken, the newest that turned labels on its date, {};"
    " from=VERSION says otherwise"
)
TWO_LABELS_NOT_DECLARED = "warning: 'MAYBE' × 1, 'valid' × 1 among the first rows: not declared, so a run stops there"
NO_VERSION_BUT_A_TASK = (
    "the log names no version of lm_eval: {} is taken, the first with version {} of its task;"
    " from=VERSION says otherwise"
)
NO_CHANGE_OF_HENDRYCKS_MATH = "no change of `hendrycks_math_algebra` between 0.4.3 and 0.4.13 is known"
EQUAL_TEXTS_COUNT = "version 3.1: equal texts count"
POINTS_MORE_RIGHT_OF_GSM8K = (
    "25.00 points more right from 0.4.1 to 0.4.13: `gsm8k` ignores a full stop at the end (1 label)."
)
NO_CHANGE_OF_GSM8K = (
    "no change of `gsm8k` between 0.4.2 and 0.4.13 is known (changelogs and sources of lm_eval up to 0.4.13;"
    " 2 changes that no label turns on: auditfw upgrade --list)"
)
A_RULE_BEFORE_THE_OLDEST = (
    "auditfw: error: a.json: a rule of `match(numeric)` between 0.3.100 and 0.3.285 is not shipped"
    " (0.3.123: reads numbers with characters behind them) - rules are shipped since 0.3.128 (from=0.3.128);"
    " or compare two installations: audit.published, or report=[texts]"
)
A_RULE_OF_GRADED = (
    "auditfw: error: a.json: a rule of `graded` between 0.3.230 and 0.3.285 is not shipped"
    " (0.3.242: the pattern of verdicts is stricter) -"
    " compare two installations: audit.published, or report=[texts]"
)
TO_IS_BEFORE_THE_LOG = (
    "auditfw: error: to=0.3.100: is before 0.3.270, the version of the log - write to=0.3.285, or leave it out"
)
TO_IS_BEFORE_FROM = (
    "auditfw: error: to=0.3.279: is before 0.3.280, the version that from= names - write to=0.3.285, or leave it out"
)
FROM_IS_NO_VERSION = "auditfw: error: from=new: is no version of inspect_ai - write from=0.3.285"
PARSER_HAS_NO_VALUE = "auditfw: error: parser: has no value - write parser=answer_v2, without spaces"
UPGRADE_NEEDS_A_LOG = (
    "auditfw: error: upgrade: needs a log first - write auditfw upgrade LOG [from=VERSION] [to=VERSION]"
)
UPGRADE_NEEDS_A_LOG_FROM = (
    "auditfw: error: upgrade: needs a log first (from=0.3.200) - write auditfw upgrade LOG [from=VERSION] [to=VERSION]"
)
A_TABLE_IS_NO_LOG = (
    "auditfw: error: a.csv: is no log of a program whose scorers are known -"
    " name logs of Inspect AI or lm-evaluation-harness"
)
LOGS_OF_TWO_VERSIONS = (
    "auditfw: error: old.json: was scored by several rules (match of old.json of 0.3.220, match of new.json of 0.3.285)"
    " - name logs of one rule and version, or choose one: source.scorer=NAME"
)
LIST_STANDS_ALONE = "auditfw: error: --list: stands alone (old.json --list) - write auditfw upgrade --list"
HALF_HELD_LATE_MISSING = "│ 1 of 2 held; late: missing, advisory."
GATE_OPEN_FAILED = "gate open failed: suite_missing <= 0, it is 1."
SAME_MAY_HAVE_DROPPED = "same may have dropped by up to"
GATE_ALL_FAILED = "NO-GO: gate all failed: suite_undecided <= 0, it is 1."
LABELS_PAIRED = "Labels of A and B, paired (29 common items)"
ONE_TRIAL_ALONE = "1 trial is only in A."
THE_SAME_ERROR = "auditfw: error: seed=2: the same error"
