"""Every sentence of the parsing audit that a test pins, by the file that pins it first."""

# audits/parsing/conclusions/test_by_item.py
ONE_OF_ITEMS_ACCOUNTS_FOR = "One of 20 items accounts for {} of the {} changed labels of all readings."

# audits/parsing/conclusions/test_by_value.py
RULE_BEHIND_THE_STORED_LABELS = (
    "Rule behind the stored labels: that of its scorer reproduces all labels of 2 of 2 values."
)
WHERE_SCORER_IS_FIRST_ITS = (
    "Where scorer is first, its rule raw+none differs from the stored label on 6 of 12 trials; first_line+none"
    " reproduces all: in audit.baseline.rules, first: {parser: first_line, normalizer: none, matcher: exact}."
)
WHERE_SCORER_IS_FIRST_OF = "Where scorer is first, 1 of 200 answers is stored as right; no rule tried explains more."
CALLING_ALL_WRONG_DOES_ON = "; calling all wrong does on 0.5 %."
NO_RULE_REPRODUCES_THE_STORED = "No rule reproduces the stored labels where scorer is first: the best of "
WHERE_SCORER_IS_FIRST_ITS_RULE = (
    "Where scorer is first, its rule last_line+none differs from the stored label on 6 of 12 trials."
)
SCORER_FIRST_NOTHING_WAS_SEARCHED = "scorer = first: nothing was searched"
ROWS_NOT_AUDITED_NO_RULE = (
    "5 rows not audited: no rule in audit.baseline.rules for their scorer: 'judge' × 4, 'None' × 1"
)
NO_AUDITED_ROW_HAS_THE = "audit.baseline.rules: no audited row has the scorer lats"
THE_MATCHER_OF_CANNOT_READ = "the matcher of audit.baseline.rules cannot read 12 ground truths"
ONE_RULE_FOR_EACH_VALUE = "(one rule for each value)"
NOT_SET_NAME_THE_COLUMN = "audit.baseline.by: not set - name the column"
BASELINE_A_RULE_FOR_EACH = "baseline: a rule for each scorer: last, first\n"
WITHOUT_TRIALS_WHOSE_RULE_IS = "without 12 trials whose rule is negative"

# audits/parsing/conclusions/test_causes.py
BY_THE_RULE_OF_THE = "by the rule of the stored labels (normalizer v1)"
ANSWER_OF_CHANGED_LABELS_A = "answer_v2+v1: 7 of 23 changed labels, a random sample (seed 0)"
OF_CHANGED_LABELS_A_RANDOM = "1 of 23 changed labels, a random sample (seed 0)"
ANSWER_SHIFTS_THE_ERROR_RATE = "answer_v2+v1 shifts the error rate by"
TO_WRONG_NONE_TO_RIGHT = "{} labels to wrong, none to right."
STEP_CAUSES_OF_THE_CHANGES = "; step {} causes {} of the {} changes."
STEP_CAUSES_OF_THE_SAMPLED = "; step {} causes 10 of the 10 sampled changes."
ANSWER_TURNS_LABELS_RIGHT_AND = (
    "answer_v2+v1 turns 20 labels right and 20 wrong: the error rate hides that; step {} causes 40 of the 40 changes."
)
NOT_KNOWN_ASSUMED_TO_BE = "(not known, assumed to be normalizer v1)"
WITHOUT_THE_REFERENCE_NORMALIZES_IN = "Without v1: the reference normalizes in this way, the reading does not."
BY_THE_RULE_OF_THE_LABELS = "by the rule of the labels of answer_v2+v1 (normalizer v1)"
NO_STEP_THE_LABEL_DIFFERS = "No step: the label differs before the first step,"
NO_STEP_THE_REFERENCE_READS = "no step: the reference reads a different text"

# audits/parsing/conclusions/test_compared.py
TURNS_RIGHT_ANSWERS_WRONG_AND = "r turns 3 right answers wrong and 1 wrong one right"
TURNS_WRONG_ANSWERS_RIGHT_AND = "r turns 1,200 wrong answers right and 1 right one wrong"
TURNS_RIGHT_ANSWERS_WRONG_AND_WRONG = "r turns 2 right answers wrong and 2 wrong ones right"
TURNS_RIGHT_ANSWER_WRONG_AND = "r turns 1 right answer wrong and no wrong ones right"
TO_WRONG_NONE_TO_RIGHT_2 = "1 label to wrong, none to right"
TURNS_WRONG_ANSWERS_RIGHT_AND_NO = "r turns 2 wrong answers right and no right ones wrong"
TO_RIGHT_NONE_TO_WRONG = "2 labels to right, none to wrong"

# audits/parsing/conclusions/test_order.py
AND_FAILS_UNDER_RAW_NONE = " and fails under raw+none, -"
FIRST_HOLDS_IN_OF_READINGS = "first holds in 2 of 3 readings"
SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF = "Significantly different pairs: model 2 of 3"
RAW_NONE_REVERSES_THE_ORDER = "raw+none reverses the order: b is ahead of a by 1.0 pp, not clear."
A_IS_BETTER_THAN_UNDER = "a is better than b under stored by +9.0 pp ["
CLAIM_GOOD_FAILS_UNDER_STORED = "Claim good fails under stored: 3"
NO_COLUMN_OF_BY_HAS = "no column of by has 2 to 50 values"
THE_SOURCE_HAS_NO_COLUMN = "the source has no column 'parsed_text'"
THE_BEST_OF_THE_VALUES = "The best of the values of model is not compared: "
MINE_BY_NO_ANSWER_LOWER = "Mine by no answer %: lower is better; under stored+none 0 of 3 pairs differ significantly"
THE_ORDER_OF_MODEL_WAS = "The order of model was not tested: it has 51 values."
THINK_HELPS_LOWER_ERROR_WHERE = (
    "think_helps: lower error where variant = 'think_sft' than where variant = 'instruct_sft'."
)
THINK_HELPS_HOLDS_IN_OF = (
    "think_helps holds in 4 of 6 readings; 29 changed labels would reverse it, 9 would leave it undecided."
)
SIGNIFICANTLY_DIFFERENT_PAIRS_TEMPERATURE_OF = (
    "Significantly different pairs: temperature 0 of 3, variant 6 of 15, condition 0 of 3."
)
CONTRADICTS_LEAVE_ONE_OF_THE = "claims.y: contradicts claims.x - leave one of the two out"
CLAIMS_ARE_ABOUT_RATES_THAT = (
    "claims.x.metric: claims are about rates that have a better side (delta_pp) - write one of error_rate, no_answer"
)
CLAIMS_THE_ALIGNMENT_AUDIT_READS = "claims: the alignment audit reads no claims (think_helps) -"
NO_CLAIM_NAMED_DID_YOU = "claim=thinkhelps: no claim named 'thinkhelps' - did you mean 'think_helps'?"
IS_ABOUT_A_COLUMN_THAT = "claims.models.of: is about a column that is not in by (model) - add it: by=["

# audits/parsing/conclusions/test_origin.py
RUN_AGAIN_WITH_THE_RULE = "Run again with the rule of the labels as baseline: {}"
THESE_RULES_GIVE_IDENTICAL_LABELS = "These rules give identical labels here: first_line+none+exact"
CHOICE_TEXT_NONE_REPRODUCES_ALL = "choice_text+none reproduces all 60 stored labels."
THE_LABELS_ARE_A_JUDGES = "The labels are a judge's: no reading of strings tells whether they are right."
JUDGE_DOES_NOT_COMPARE_STRINGS = "A judge does not compare strings"
RAW_NONE_GIVES_ALL_OF = "raw+none gives all of these labels."
OF_LABELS_CALLING_ALL_GIVES = " of 400 labels; calling all {} gives {}. "
TO_COMPARE_WITH_A_READING = "; to compare with a reading instead: audit.reference={}+none"
NO_RULE_TRIED_EXPLAINS_MORE = "; no rule tried explains more."
OF_ANSWERS_IS_STORED_AS = "1 of 400 answers is stored as right; last_number+none finds {} more."
OF_ANSWERS_ARE_STORED_AS = "20 of 400 answers are stored as right; last_number+none finds {} more."
OF_ANSWERS_IS_STORED_AS_WRONG = "1 of 400 answers is stored as wrong; last_number+none finds {} more."
OF_ANSWERS_IS_STORED_AS_RIGHT = "1 of 400 answers is stored as right; no rule tried explains more."
GATE_BASELINE_REPRODUCES_LEFT_OUT = "gate baseline_reproduces left out: the source has no column 'parsed_text'"
OR_SEARCH_GOT_DID_YOU = "or search, got 'serch' - did you mean 'search'?"
NO_SCORER_NAMED_DID_YOU = "audit.baseline: no scorer named 'inspect_matc' - did you mean 'inspect_match"
A_BASELINE_THAT_IS_SEARCHED = "a baseline that is searched cannot be it"
EXPECTED_RULE_OR_JUDGE_GOT = "audit.labels: expected rule or judge, got 'human'"
READINGS_ARE_COMPARED_WITH_RAW = "{}: readings are compared with raw+none"
NO_ROW_HAS_A_VALUE = "no row has a value in the column 'stored'"
THERE_IS_NO_TEXT_THAT = "there is no text that a rule could read"
RULE_BEHIND_THE_STORED_LABELS_THERE = "Rule behind the stored labels: there is no text that a rule could read."

# audits/parsing/conclusions/test_published.py
ROW_IS_NOT_A_NUMBER = "table.csv, row 1: n is not a number (three)"
HAS_TWO_ROWS_FOR_ONE = "has two rows for one cell (model = a, t = 0.50)"
HAS_NO_FIGURE_FOR_ANY = "has no figure for any cell of this run (there model = z, t = 0.5; here model = a"
HAS_NO_FIGURE_FOR_ANY_CELL = "has no figure for any cell of this run (there no row"
OF_PUBLISHED_FIGURES_EQUALS_THAT = "1 of 2 published figures equals that of stored"
OF_PUBLISHED_FIGURES_DIFFERS_FROM = (
    "1 of 2 published figures differs from stored; first model = a, t = 1: error_rate 50.0 published, 57.14 here."
)
OF_FIGURES_IN_EQUAL_THOSE = "3 of 4 figures in {} equal those of stored"
CELL_ONLY_IN_THE_PUBLISHED = "1 cell only in the published table: m = z."
OF_PUBLISHED_FIGURES_EQUAL_THOSE = "3 of 4 published figures equal those of stored."
IS_OF_A_TYPE_THAT = "audit.published.path: is of a type that cannot be read (table.xls)"
THE_RUN_HAS_NO_CELLS = "audit.published.on[0]: the run has no cells by 'model'"
HAS_NO_COLUMN_DID_YOU = "has no column 'error' - did you mean 'err'?"
EXPECTED_PERCENT_OR_SHARE_GOT = "audit.published.scale: expected percent or share, got 'parts'"
HAS_NO_COLUMN_OF_FIGURES = "table.csv: has no column of figures (m, err)"
OF_FIGURES_IN_EQUALS_THAT = "1 of 2 figures in table.json equals that of stored"

# audits/parsing/conclusions/test_published_table.py
A_ROW_HAS_A_DIFFERENT = "t.csv:2: a row has a different number of fields from the header (2 of 3)"
EXPECTED_A_LIST_OF_RECORDS = "expected a list of records, got an object"
EXPECTED_A_RECORD_GOT_TEXT = "t.json[0]: expected a record, got text"
THE_RUN_HAS_NO_CELLS_BY = "audit.published.on[0]: the run has no cells by 'mm'"
IS_NEITHER_A_FIGURE_NOR = "audit.published.columns.t: is neither a figure nor a column of the cells"

# audits/parsing/conclusions/test_search.py
BEST_OF_RULES_TRIED_OF = "best of 40 rules tried, 9 of 10 labels"
EVERY_RULE_GIVES_ALL_TRIALS = "every rule gives all trials the same label"
IT_DIFFERS_FROM_THE_STORED = "It differs from the stored label on {}"
OF_ANSWERS_IS_STORED_AS_2 = "1 of 10,000 answers is stored as right"
CALLING_ALL_WRONG_DOES_ON_2 = "0.01 % [E]; calling all wrong does on 0.01 %."
OF_ANSWERS_ARE_STORED_AS_RIGHT = "9 of 10,000 answers are stored as right"
CALLING_ALL_WRONG_DOES_ON_3 = "0.09 % [E]; calling all wrong does on 0.09 %."
OF_ANSWERS_ARE_STORED_AS_WRONG = "10 of 10,000 answers are stored as wrong"
CALLING_ALL_RIGHT_DOES_ON = "0.1 % [E]; calling all right does on 0.1 %."

# audits/parsing/engine/test_currency.py
LAST_NUMBER_NONE_KEEPS_THE = (
    "last_number+none keeps the $ of an answer: 3 answers would be right without it, where the truth has none "
    "- write 'audit.parsers.last_number.steps=[{use: last_number, currency: drop}]', or matcher=numeric, or "
    "normalizer=[number]"
)

# audits/parsing/engine/test_verify.py
GIVES_DIFFERENT_VALUES_FOR_THE = "{}: gives different values for the same "

# audits/parsing/kept/test_row_facts.py
NO_SUCH_KIND_OF_ENDING = "audit.stops.cut: no such kind of ending (known: finished, length,"
IS_BOTH_FINISHED_AND_LENGTH = "audit.stops: 'stop' is both finished and length - keep one"
EXPECTED_A_WHOLE_NUMBER_FROM = "audit.limit: expected a whole number from 1 to"
EXPECTED_A_WHOLE_NUMBER_FROM_TO = "audit.planned: expected a whole number from 1 to"
TOKENS_OUT_EXPECTED_A_WHOLE = "a.jsonl:2: tokens_out: expected a whole number of tokens (-1)"
TOKENS_OUT_EXPECTED_A_WHOLE_NUMBER = "a.jsonl:2: tokens_out: expected a whole number of tokens (1.5)"
TOKENS_IN_EXPECTED_A_WHOLE = "a.jsonl:2: tokens_in: expected a whole number of tokens (4294967296)"
TOKENS_IN_EXPECTED_A_WHOLE_NUMBER = "a.jsonl:2: tokens_in: expected a whole number of tokens (many)"
LIMIT_EXPECTED_A_WHOLE_NUMBER = "a.jsonl:2: limit: expected a whole number of tokens (True)"
LIMIT_A_LIMIT_OF_TOKENS = "a.jsonl:2: limit: a limit of 0 tokens"
PLANNED_IS_BUT_TRIALS_WERE = "planned is 1, but 2 trials were read"
THE_ROWS_OF_ONE_FILE = "the rows of one file do not agree on how many trials were planned (3, 4)"
PLANNED_IS_BUT_TRIALS_WERE_READ = "audit.planned: planned is 1, but 2 trials were read"

# audits/parsing/conclusions/test_under_all.py
LET_PEOPLE_DECIDE = (
    "Let people decide on a sample (auditfw label latest), or read the 201 changed labels (report.html); if"
)
IF_RIGHT_RERUN = "if right: auditfw rerun latest audit.reference={}"
WRONG_UNDER_EVERY_READING = "Wrong Under Every Reading"
OF_ANSWERS_ARE_RIGHT_UNDER = "52 answers: 30 right by every reading, 20 by some, 2 by none (see page)"
SEE_PAGE = " (see page)"
IF_LAST_LINE_NONE = (
    "If last_line+none is right in these 40 changed labels, go on without stored: auditfw rerun latest"
    " 'audit.decides=[first_line+none]'"
)
STILL_DIFFERS = "; only first_line+none still differs, in 10 labels."
IS_RIGHT_REPORT_ITS_RATES = "; if last_line+none is right: report its rates (For Your Paper)"

# audits/parsing/probe/test_lossy.py
NO_OTHER_SOUND_READING_WAS = "No other sound reading was compared: stored+v1 accepts 2.97 for 2.7."
ADD_SOUND_READINGS_TO_LET = (
    "Add sound readings: 'parser=[last_number,answer_v2]' 'normalizer=[none]' matcher=numeric; to let this one"
    " decide: audit.decides=[stored+v1]"
)
NO_SOUND_READING_WAS_COMPARED = "No sound reading was compared: stored+v1 accepts 2.97 for 2.7."
REPORT_THE_ERROR_RATE_WITH = "Report the error rate with its interval."
STORED_LAST_NUMBER_ACCEPT_WRONG = "stored+v1, last_number+v1 accept wrong answers and do not decide (audit.decides)."
OF_TRUTHS_ARE_NUMBERS_ARE = "100 of 200 truths are numbers, 100 are empty"
OF_TRUTHS_ARE_NUMBERS_ARE_TEXT = "190 of 200 truths are numbers, 10 are text"
A_ACCEPTS_WRONG_ANSWERS_AND = "a accepts wrong answers and does"
A_ACCEPT_WRONG_ANSWERS_AND = "a, b accept wrong answers and do"
A_ACCEPTS_FOR_AND_MORE = "a accepts 2.97 for 2.7, and 1 more reading a wrong answer"

# audits/parsing/probe/test_pairs.py
TAKES_THE_DECIMAL_POINT_AWAY = "v1 takes the decimal point away"
SQUAD_TAKES_THE_MINUS_SIGN = "squad takes the minus sign away"
BECAUSE_IS_WRONG = "Because A is wrong, C"

# audits/parsing/probe/test_partners.py
HELP_WITH_THAT = "I'm sorry, but I can't help with that."

# audits/parsing/probe/test_scorers.py
ALL_TRIALS_OF_ITEMS_THE = "All 600 trials of 600 items; the scorer of the reference is stored+none."
CONSTANT_ANSWERS_DO_AT_LEAST = (
    "Constant answers do at least as well as the real answers (72.3 % accepted): all options 100.0 % [99.4, 100.0]."
)
OF_THE_ANSWERS_THAT_SCORER = "11.6 % of the answers that scorer stored+none accepts"
OF_THE_ANSWERS_THAT_SCORER_STORED = (
    "100.0 % of the answers that scorer stored+none accepts are also accepted for a different truth."
)
OR_A_PARSER_THAT_FINDS = "matcher=exact, or a parser that finds the answer alone"
THE_SCORER_STORED_NONE_DOES = "The scorer stored+none does not tell right from wrong, but raw+none does."
TO_COMPARE_WITH_A_BETTER = "to compare with a better reading: audit.reference=raw+none"
NO_RULE_IS_KNOWN_TO = "no rule is known to reproduce the stored labels"
NO_RULE_IS_KNOWN_TO_REPRODUCE = "no rule is known to reproduce the reference's labels"
ALL_TRIALS_OF_ITEMS_THE_SCORER = "All 300 trials of 300 items; the scorer of the reference is "
THE_SCORER_OF_THE_REFERENCE = "the scorer of the reference is stored+none."
THE_REFERENCES_LABELS_ARE_THOSE = "the reference's labels are those of a judge, so the probe does not affect the answer"
THE_REFERENCES_LABELS_ARE_THOSE_OF = "; the reference's labels are those of a judge."
NO_CELL_HAS_TWO_DIFFERENT = "no cell has two different truths among the sampled trials"
NO_CELL_HAS_TWO_ITEMS = "no cell has two items among the sampled trials"
NO_TRIAL_WAS_DRAWN_FOR = "no trial was drawn for the probe (audit.probe)"
THE_SCORER_WAS_NOT_PROBED = "The scorer was not probed (audit.probe=0)"
EXPECTED_A_WHOLE_NUMBER_FROM_TO_GOT = "expected a whole number from 0 to 20,000, got -1"
EXPECTED_A_WHOLE_NUMBER_FROM_2 = "expected a whole number from 0 to 20,000, got 20001"
TRIALS_OF_ITEMS_A_RANDOM = "100 trials of 100 items, a random sample of whole items (seed 0); "
THE_RULE_IS_NEGATIVE_IT = "the rule is negative (it accepts whatever lacks its text), so the probe does not apply"
PROBE_OF_THE_SCORER_WITHOUT = "Probe of the scorer: without 100 trials whose rule is negative"

# audits/parsing/probe/test_stored_text.py
AUDITED_TRIALS_HAVE_A_STORED = (
    "10 audited trials have a stored answer where answer_tag finds none; {} to {} % of them are right."
)
AUDITED_TRIALS_HAVE_A_STORED_ANSWER = "20 audited trials have a stored answer where answer_tag finds none; "

# audits/parsing/questions/test_answers_own.py
IN_ANSWERS_OF_THE_STORED = (
    "In 20 answers of n the stored answer is not in the text; 0 % of them are labelled right, 67 % of its other"
    " answers."
)
IN_ANSWERS_THE_STORED_ANSWER = "In 20 answers the stored answer is not in the text; "
WHERE_MODEL_LETTER_AND_OPTION = "Where model = n, letter and option text name different options in 34 % of 200 answers."
WHERE_MODEL_ANSWERS_ARE_RIGHT = "Where model = n, answers are right as often as they equal other items' truths ("
NO_STORED_ANSWER_IS_A = "no stored answer is a number, a letter, yes or no"
NO_COLUMN_HOLDS_THE_OPTIONS = "no column holds the options of questions: source.columns.choices holds nothing"
NO_ANSWER_OR_TRUTH_COULD = "no answer or truth could be read"

# audits/parsing/questions/test_best_of.py
A_IS_THE_BEST_OF = "a is the best of 3 with 50.0 % right; if none differed the best of 3 would lie "
PROMPT_A_IS_THE_BEST = "prompt a is the best of 3 with 100.0 % right"
THE_BEST_OF_THE_VALUES_OF = "The best of the values of model is {}."
NO_COLUMN_OF_BY_HAS_THREE = "no column of by has three values"
NOT_COMPARED_THE_VALUES_OF = "not compared: the values of model label different items"
NOT_COMPARED_FEWER_THAN_VALUES = "not compared: fewer than 3 values of model differ in a label"
NOT_COMPARED_THE_VALUES_OF_MODEL = "not compared: the values of model label items with different numbers of trials"
NOT_COMPARED_NO_COLUMN_SAYS = "not compared: no column says which rows are of one item"
OF_ITEMS_ARE_LEFT_OUT = " 1 of 6 items are left out: not all have as many labels."
OF_ITEMS_ARE_LEFT_OUT_NOT = " 1 of 3 items are left out: not all have as many labels."

# audits/parsing/questions/test_budget.py
NOT_ALL_WAS_SCORED_HAVE = (
    "Not all was scored: 50.0 % have no known result (50 empty); 50.0 % are right of all, up to 100.0 %."
)
NOT_ALL_WAS_SCORED_HAVE_NO = (
    "Not all was scored: 50.0 % have no known result (20 cut off, 30 no label); 50.0 % are right of all, up to 100.0 %."
)
NOT_ALL_WAS_SCORED_HAVE_NO_KNOWN = (
    "Not all was scored: 40.0 % have no known result (40 no label); 60.0 % are right of all, up to 100.0 %."
)
NOT_ALL_WAS_SCORED_HAVE_NO_KNOWN_RESULT = (
    "Not all was scored: 40.0 % have no known result (40 run error); 60.0 % are right of all, up to 100.0 %."
)
RIGHT_OF_ALL_WITH_WHAT = (
    "75.0 % right of all 100 [67.3, 100.0 with what is not known]; 100.0 % right of the 75 answered."
)
OF_THE_COMPLETIONS_ARE_CUT = (
    "34.0 % of the completions are cut off at 64 tokens, 26.5 % of those right; the others are 100.0 % right."
)
RUN_AGAIN_WITH_A_LIMIT = "Run again with a limit above 64 tokens;"
OF_PLANNED_TRIALS_HAVE_NO = (
    "220 of 1,000 planned trials have no score: 100.0 % of the 780 scored, between 78.0 and 100.0 % of all."
)
OF_PLANNED_TRIALS_ARE_ABSENT = "220 of 1,000 planned trials are absent."
WHERE_THE_LOST_POINTS_WENT = "Where the lost points went"
RIGHT_OF_ALL_AND_OF = "Right of all and of answered"
GAP_BY_CLASS_LESS = "Gap by class: A less B"

# audits/parsing/questions/test_copies.py
ROWS_STAND_TWICE_RIGHT_WITHOUT = "20 rows stand twice: 66.7 % right, 60.0 % without the copies."
COMPARE_WITH_WAS_A_FILE = "Compare mine.jsonl:1 with mine.jsonl:101: was a file read or joined twice?"
IS_A_COPY_OF_OF = "n is a copy of m (100 of 100 texts)."
NO_TEXTS_ARE_READ_HOLDS = "no texts are read: source.columns.raw_text holds nothing"

# audits/parsing/questions/test_graders_mixed.py
ALL_LABELS_THAT_LAST_MISSES = "All 60 labels that last misses are where model = n: another grader?"
AND_ARE_POINTS_APART_AND = "n and m are 16.7 points apart, and 20.0 % of the labels of model = n are of no rule"
ALL_LABELS_THAT_LAST_MISSES_ARE = "All 60 labels that last misses are where model = None: another grader?"
ALL_LABELS_THAT_LAST_MISSES_ARE_BETWEEN = (
    "All 25 labels that last misses are between mine.jsonl:101 and mine.jsonl:197: another grader?"
)
ALL_LABELS_THAT_LAST_MISSES_ARE_WHERE = "All 60 labels that last misses are where model = n; first gives those."
NO_TRIAL_HAS_A_STORED = "no trial has a stored label: source.columns.stored holds nothing"

# audits/parsing/questions/test_items.py
LACKS_OF_ITEMS_IS_RIGHT = "n lacks 20 of 100 items: m is right in 60.0 % of its own, in 75.0 % of those that all"
OF_ITEMS_HAVE_A_QUESTION = "3 of 100 items have a question that stands again (1 question, the same options)."
IDS_ARE_ROW_NUMBERS_SINCE = "Ids are row numbers, since qid repeats: 100 values in 200 rows."

# audits/parsing/questions/test_labels_missing.py
OF_AUDITED_TRIALS_HAVE_NO = "3 of 9 audited trials have no stored label."
OF_AUDITED_TRIALS_HAS_NO = "1 of 2 audited trials has no stored label."
NO_TRIAL_HAS_A_STORED_LABEL = "no trial has a stored label: map source.columns.stored"

# audits/parsing/questions/test_moved.py
THE_STORED_LABELS_ARE_THE = "The stored labels are the opposite of last+none: 598 of 600."
WHERE_MODEL_THE_STORED_LABELS = "Where model = n, the stored labels are the opposite of last+none: 300 of 300."
LABELS_STAND_ONE_ROW_TOO = " labels stand one row too early."
FROM_ON_LABELS_STAND_ROWS = "From mine.jsonl:3 on, 598 labels stand 2 rows too late."
ON_TRUTHS_STAND_ONE_ROW = "on, {} truths stand one row too late: "
NO_ANSWER_COULD_BE_READ = "no answer could be read: map source.columns.parsed_text, or choose a parser"

# audits/parsing/questions/test_near.py
OF_ANSWERS_ARE_RIGHT_IN = (
    "40 of 80 answers are right in another form (currency 40) and count as wrong: 100.0 % right, not 50.0."
)
ANSWERS_SAY_WHERE_IS_EXPECTED = (
    '2 answers say "eight" where 8 is expected; every reading calls them wrong (1 question).'
)
OF_WRONG_ANSWERS_WERE_EXAMINED = "100 of 600 wrong answers were examined."
STORED_NONE_CALLS_ANSWERS_RIGHT = "stored+none calls 22 answers right whose last number is another one (35.5 % of 62)."
ANSWERS_ARE_RIGHT_IN_ANOTHER = "6 answers are right in another form (currency 6)"

# audits/parsing/questions/test_one_value.py
ALL_ITEMS_HAVE_ONE_TRUTH = "All 40 items have one truth."
OF_ITEMS_HAVE_ONE_TRUTH = "95.0 % of 40 items have one truth."
OF_ITEMS_HAVE_ONE_TRUTH_2 = "75.0 % of 100 items have one truth."
ALL_STORED_LABELS_ARE_RIGHT = "All 40 stored labels are right, and last calls 10 of them wrong: any rule may fit."
ALL_STORED_LABELS_ARE_WRONG = "All 40 stored labels are wrong, and last calls 30 of them right: any rule may fit."

# audits/parsing/questions/test_readings_fit.py
ANSWER_LINE_CASEFOLD_FINDS_NO = "answer_line+casefold finds no answer in 120 of 120 texts"
RAW_CASEFOLD_CALLS_NO_ANSWER = "raw+casefold calls no answer right: it finds text where the truths"
NO_ANSWER_EQUALS_ITS_TRUTH = "No answer equals its truth under any reading: 0 of 40"
NO_DIFFERENT_RULE_WAS_COMPARED = (
    "No different rule was compared: last_number+casefold reads as flexible_extract+none does."
)
JUDGE_DOES_NOT_COMPARE = "A judge does not compare"
RAW_CASEFOLD_GIVES_ALL_OF = "raw+casefold gives all of"

# audits/parsing/questions/test_truths_whole.py
OF_TRUTHS_ARE_MISSING_ARE = (
    '10 of 100 truths are missing: 4 are empty, 4 are "None", 2 are "N/A", of which 6 are scored wrong.'
    " Rows without a truth are in no rate: a rate of all 100 rows is another."
)
OF_ITEMS_HAVE_MORE_THAN = "2 of 100 items have more than one truth."
COMPARE_THE_TRUTHS_AT_AND = "Compare the truths at mine.jsonl:99 and mine.jsonl:199"

# audits/parsing/screen/test_first_blocks.py
RIGHT_ANSWERS_BY_MODEL_ANSWERS = "Right answers by model, % (60 answers to 60 items each)"
ONE_OF_CHANGED_LABELS_OF = "One of 20 changed labels of last_number+none, like 15 of them: number format"
YOUR_LABEL_WRONG_LAST_NUMBER = "your label: wrong; last_number+none: right, "
WITHOUT_THE_BY_NUMBER_FORMAT = "Without 15 labels by number format b would stay ahead of a."
RIGHT_ANSWERS_ANSWERS_TO_ITEMS = "Right answers, % (80 answers to 80 items)"
YOUR_LABEL_WRONG_LAST_NUMBER_NONE = 'your label: wrong; last_number+none: right, "3,456"'

# audits/parsing/test_answer.py
THE_ERROR_RATE_IS_TO = (
    "The error rate is 23.1 to 26.9 % depending on scoring; answer_v2+v1 turns 23 right answers wrong and no "
    "wrong ones right."
)
ANSWER_SHIFTS_THE_ERROR_RATE_BY = (
    "answer_v2+v1 shifts the error rate by +2.1 pp (approximate interval [0.0, 4.2]; exact test p = 0.0007, "
    "adjusted for 4 readings): 23 labels to wrong, none to right, in 13 of 20 items."
)
RIGHT_OF_ALL_WITH_WHAT_IS = (
    "75.3 % right of all 1,080 [66.3, 87.6 with what is not known]; 82.0 % right of the 992 answered."
)
OF_THE_COMPLETIONS_ARE_CUT_OFF = (
    "21.4 % of the completions are cut off, 68.8 % of those right; the others are 77.0 % right."
)
TRIALS_OF_ITEMS_READINGS_COMPARED = "1,080 trials of 20 items; 4 readings compared with stored, 54 cells."
THE_ERROR_RATE_IS_WHATEVER = "The error rate is 38.3 % [33.6, 43.1], whatever the scoring"
RAW_NONE_SHIFTS_THE_ERROR = "raw+none shifts the error rate by +100.0 pp where cell = first, overall by 0.0 pp."
BEYOND_CHANCE_AND_BY_PP = "Beyond chance and by 0.5 pp or more in 2 of 3 cells (Benjamini-Hochberg); "
RAW_NONE_SHIFTS_THE_ERROR_RATE = "raw+none shifts the error rate by +3.00 pp where cell = a, overall by +0.29 pp."
BEYOND_CHANCE_AND_BY_PP_OR = (
    "Beyond chance and by 0.5 pp or more in 1 of 4 cells, by less in 2 more (Benjamini-Hochberg); first "
    "raw+none where cell = a: +3.00 pp, p = 0.0005; overall +0.29 pp [0.19, 0.39]."
)
LAST_LINE_NONE_SHIFTS_THE = "last_line+none shifts the error rate by +3.00 pp where cell = a, overall by +0.22 pp."
BEYOND_CHANCE_AND_BY_PP_OR_MORE = (
    "Beyond chance and by 0.5 pp or more in 2 of 8 pairs of reading and cell, by less in 5 more "
    "(Benjamini-Hochberg); first last_line+none where cell = a: +3.00 pp, p = 0.0006; overall +0.22 pp [0.11, "
    "0.33]."
)
THE_ERROR_RATE_IS_WHATEVER_THE = (
    "The error rate is 50.0 % [49.2, 50.8], whatever the scoring: 1 reading compared, none shown to shift it "
    "by 0.5 pp or more."
)
RAW_NONE_SHIFTS_THE_ERROR_RATE_BY = (
    "raw+none shifts the error rate by less than 0.5 pp: +0.23 pp (approximate interval [0.15, 0.30]; exact "
    "test p < 0.0001, adjusted for 1 reading)."
)
TRIALS_EACH_ITS_OWN_ITEM = "1,000 trials, each its own item (no column `item`); 2 readings compared with stored."
COMPARE_THE_READINGS_WITH_ONE = "Compare the readings with one of them: audit.reference=stored+none"
THE_LIMIT_DECIDES_WERE_CUT = "The limit decides: 6.7 % were cut off"
ERROR_RATE_PP_ON_OF = (
    "Error rate -6.7 pp on 120 of 1,080 trials; stored+v2 turns 8 wrong answers right and no right ones wrong."
)
THE_RULE_STORED_NONE_DOES = "The rule stored+none does not reproduce the stored labels: which rule does is unknown."
THE_BASELINE_STORED_NONE_DIFFERS = "The baseline stored+none differs from the stored label on 3.00 % of trials."
THE_SOURCE_HAS_NO_COLUMN_READINGS = "the source has no column 'stored': readings are compared with stored+none"
EXPECTED_A_NUMBER_ABOVE_AND = "expected a number above 0 and at most 1"
EXPECTED_A_NUMBER_ABOVE_AND_AT = "expected a number above 0 and at most 100"
THE_SOURCE_HAS_NO_COLUMN_2 = "the source has no column 'stored'"
THE_RUN_IS_INCOMPLETE_ITS = "The run is incomplete: its numbers may not hold for the rest."
A_COMPONENT_FAILED_ON_OF = "a component failed on 271 of 1,000 trials"
AFTER_THINK_ONLY_TRIALS_STORED = (
    "after_think+v2: only 120 trials. stored+v2: stored answer, normalizer v2; lines are 95 % intervals. "
    "stored: 24.72 % overall."
)

# audits/parsing/test_exhibits.py
PARIS_LYON_USER_LYON_OR = "Paris</think>Lyon\nUser: Lyon or Paris?\nAssistant: Paris"

# audits/parsing/test_page.py
CELLS_WITHOUT_CHANGED_LABELS_LEFT = "{} cells without changed labels left out."
RAW_NONE_ON_THE_SAME = "raw+none on the same trials"
CHANGED_LABELS_AGAINST_RAW_NONE = "Changed labels against raw+none"
RAW_NONE_PARSER_RAW_NORMALIZER = "raw+none: parser raw, normalizer none"
CHANGED_LABELS_AND_SHIFTS_ARE = "{}: changed labels and shifts are undefined"
CHANGED_LABELS_AND_SHIFTS_ARE_UNDEFINED = "changed labels and shifts are undefined"
NOT_CHECKED_THE_SOURCE_HAS = "Not checked: the source has no column 'stored'."
NOT_CHECKED_NO_ROW_HAS = "Not checked: no row has a value in the column 'stored'."
DIFFERS_FROM_THE_STORED_LABEL = "differs from the stored label on 0 of 4"
NOT_CHECKED_THE_SOURCE_HAS_NO = "Not checked: the source has no"

# audits/parsing/test_published.py
FIRST_HOLDS_IN_OF_READINGS_CHANGED = (
    "first holds in 2 of 2 readings; 58 changed labels would reverse it, 20 would leave it undecided."
)
BY_FOUR_HOLDS_IN_OF = (
    "by_four holds in 0 of 2 readings; 5 changed labels would reverse it. Significantly different pairs: model 6 of 6."
)
GATE_BASELINE_REPRODUCES_LEFT_OUT_THE = "gate baseline_reproduces left out: the source has no column 'stored'"
ROWS_WITHOUT_A_MATCH_FILLED = 'source.join: rows without a match, filled with stored="No": 1'

# audits/parsing/test_report.py
NO_OVERALL_ERROR_RATE_SHIFTS = "no - overall error rate shifts"
RAW_AND_STORED_TEXT_DIFFER = "Raw and stored text differ in 12 audited trials."

# audits/parsing/test_sample_errors.py
NO_RECORD_HAS_NO_SAMPLE = "no record has 'meta.error' (source.columns.error): no sample ended in an error"

# audits/parsing/test_several_matchers.py
NO_READING_AMONG_THOSE_CHOSEN = "audit.readings[0]: no reading 'stored+v1' among those chosen - did you mean"
NO_READING_DID_YOU_MEAN = "audit.reference: no reading 'stored+v1' - did you mean 'stored+v1+exact'?"
NO_READING_AMONG_THOSE_CHOSEN_DID = "audit.decides[0]: no reading 'stored+v1+exat' among those chosen - did"
DIFFERS_FROM_THE_FIRST_OF = "audit.matcher: differs from audit.matchers.exact, the first of several"
THE_MATCHER_NARROW_CANNOT_READ = (
    "the matcher narrow cannot read 3 ground truths (no label, counted as missing): all name an option beyond "
    "audit.matchers.narrow.letters=A - write audit.matchers.narrow.letters=AB"
)

# audits/parsing/probe/test_first_number.py
ANSWERS_OF_DRAWN_ARE_RIGHT = "{} answers of {} drawn are right by the last - write {}"

# audits/parsing/questions/test_same_answers.py
PAIR_OF_IDENTICAL_ANSWERS = (
    "1 pair of identical answers to one question has two labels: "
    "whatever gave them looked at something else than text and truth."
)
A_PERSON_OR_A_MODEL_GRADED = "If a person or a model graded them: audit.labels=judge"
MORE_THAN_HALF_OF_PAIRS = "more than half of the pairs have two grades"
FEWER_PAIRS_OF_SAME_ANSWERS = "fewer than 10 pairs of same answers"
NO_COLUMN_SAYS_ITEM_MAP = "no column says which rows are of one item: map source.columns.item"
THE_JUDGE_ON_THE_ANSWERS = (
    "The judge: on the 100 % of the answers that occur twice. "
    "By model: m was preferred in 8 of 8, n was preferred in 0 of 8."
)
IS_BETTER_BY_POINTS = "m is better than n by 20.0 points; two gradings of the same answers differ by up to 31.0."
THE_GATE_WRONG_HOLDS = (
    "The gate wrong <= 30 holds by 5.0 points; two gradings of the same answers differ by up to 15.5."
)

# audits/parsing/questions/test_repeats.py
RUN_ERRORS_ARE_LEFT_OUT = "1 of 7 repeats is a run error and left out."
ALL_OF_2_BETWEEN = "all of 2 is 58.3 % if all of them were wrong and 75.0 % if all were right."
ONE_DRAW_NOT_THREE = "temperature 0: one draw, not 3 (the texts of repeats are equal, byte for byte)"
ALL_OF_2_M_LESS_N = "all of 2, m less n: +100.0 [100.0, 100.0] points on the 2 common items."

# audits/parsing/conclusions/test_upgrade.py
POINTS_FEWER_RIGHT_69 = (
    "1.14 points fewer right from 0.3.220 to 0.3.285: `match(numeric)` no longer takes 5 in 25 (69 labels);"
    " 9 go the other way."
)
POINTS_FEWER_RIGHT_6 = (
    "1.00 points fewer right from 0.3.220 to 0.3.285: `match(numeric)` no longer takes 5 in 25 (6 labels);"
    " 2 go the other way."
)
LABELS_THAT_TURN_BACK = (
    "No label of 400 answers is another one from 0.3.220 to 0.3.285, though `match(numeric)` changed"
    " (no longer takes 5 in 25; reads \\$20 and 1\\,000)."
)
POINTS_MORE_RIGHT_9_OF_10 = (
    "2.00 points more right from 0.3.220 to 0.3.285: `match(numeric)` reads \\$20 and 1\\,000 (9 labels in 0.3.253;"
    " all changes together: 10 to right, 2 to wrong)."
)
AS_MANY_ARE_RIGHT = (
    "As many are right from 0.3.220 to 0.3.285, though not the same: by `match(numeric)` 2 labels become right,"
    " 2 wrong."
)
MATCH_NUMERIC_OF_INSPECT = "match(numeric) of inspect_ai from 0.3.220 to 0.3.285"
# audits/parsing/conclusions/test_published_repeats.py
THE_PLUG_IN = "70.8 is the plug-in 1 - (1 - c/n)^2, which is biased; unbiased any_of_2 is 77.8."
THE_PLUG_IN_AS_A_SHARE = (
    "cell = x: 0.7083 is the plug-in 1 - (1 - c/n)^2, which is biased; unbiased any_of_2 is 0.7778."
)
ANY_OF_THE_FIRST_TWO = "66.7 is any of the first 2; unbiased any_of_2 is 77.8."
ANY_OF_ALL = "100 is any of all repeats; unbiased any_of_2 is 78."
THE_PLUG_IN_OF_ALL = "29.2 is the plug-in (c/n)^2, which is biased; unbiased all_of_2 is 22.2."
ALL_OF_THE_FIRST_TWO = "33.3 is all of the first 2; unbiased all_of_2 is 22.2."
ALL_OF_ALL = "0 is all of all repeats; unbiased all_of_2 is 22."
NO_NINE_REPEATS = "cell = x: 100 is any of the first 9; unbiased any_of_9 is not known: no item has 9 repeats."

# audits/test_noise.py
BELOW_0_COUNTS_AS_NONE = "The estimate for items is below 0: that counts as none."

# audits/parsing/questions/test_variance.py
REPEATS_OF_ONE_ITEM = "Repeats are the trials of one item; whatever else differs between them is taken as chance."
TWENTY_HOLD_THE_RARER = "No intervals: 20 items hold the rarer label, 30 are needed."
TEXTS_OF_REPEATS_ARE_EQUAL = (
    "The texts of an item's repeats are equal, byte for byte: they are one draw, and more of them add nothing."
)
