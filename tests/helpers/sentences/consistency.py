"""Every sentence of the consistency audit that a test pins, by the file that pins it first."""

# audits/consistency/conclusions/test_coverage.py
SCHOLAR_LABELLED_OF_ITEMS_ITS = "scholar labelled 91 % of 1,000 items: its labels for the others are unknown."
IGNORE_UPPER_AND_LOWER_CASE = "Ignore upper and lower case in labels: audit.case=fold"
DECLARE_WHAT_SCHOLAR_WRITES_OR = "Declare what scholar writes, 'MAYBE': audit.labels, or audit.aliases"
OF_THE_JOINED_RECORDS_DIFFER = "25 % of the joined records differ in question: were the right ones joined?"
JOIN_BY_THE_COLUMN_THAT = "Join by the column that identifies the item: source.columns.id=THEIR_NAME"
QUESTION_IS_BY_SCHOLAR_BY = "q150: question is 'What is the answer to 151?' by scholar, 'What is the answer to 150?' by"
JOINED_RECORDS_WERE_COMPARED_IN = "Joined records were compared in question: 0 items of 200 differ"
LOOK_WHETHER_BOTH_JUDGE_THE = (
    "Look whether both judge the same answer, which never is: audit.common=[answer] compares it"
)
THE_JOINED_RECORDS_HAVE_NO = "the joined records have no further column in common"
DECLARE_WHAT_A_TIE_OF = "Declare what a tie of votes gives, 'ABSTAIN': audit.labels, or another first in audit.abstain"

# audits/consistency/conclusions/test_identity.py
IDENTICAL_RATERS_THE_AGREEMENT_OF = (
    "Identical raters: the agreement of scholar and auditor says nothing about two raters."
)
SCHOLAR_AND_AUDITOR_ARE_IDENTICAL = (
    "scholar and auditor are identical: the same label on all 180 items that both labelled."
)

# audits/consistency/conclusions/test_judge_order.py
GPT_PREFERS_THE_FIRST_ANSWER = (
    "gpt prefers the first answer 37 to 7 times (84.1 %, approximate interval [70.6, 92.1]; sign flips, p < 0.0001)."
)
SWAP_AND_OF_GPT_WHERE = "Swap A and B of gpt where first is B: agreement would rise from 50.0 to 90.0 %."
KAPPA_OF_GPT_MEETS_ITS = (
    "Kappa of gpt meets its bound 0.6 in one order of presentation only: 0.40 where first is B and 0.90 where "
    "first is A."
)
THE_SAME_LABEL_IN_BOTH = "the same label in both orders on 60 of 74 items (81.1 %)"
GPT_PREFERS_THE_SECOND_ANSWER = "gpt prefers the second answer 37 to 7 times (84.1 %, approximate interval [70.6, 92.1]"
ITEMS_WITHOUT_AN_ORDER_OF = "90 items without an order of presentation: left out."

# audits/consistency/conclusions/test_many.py
CELLS_BY_RATER_THEIR_INTERVALS = "4 cells by 1 rater: their intervals use the large-sample error, not resampling"
RATERS_THE_REPORT_SHOWS_THE = "49 raters: the report shows the 40 with the lowest kappa one by one (report.max_rows)"

# audits/consistency/conclusions/test_over_raters.py
ADJUSTED_FOR_RATERS_HOLM_OF = "Adjusted for 40 raters (Holm): of a median of 20 items, one with a kappa of 0.2 shows"

# audits/consistency/conclusions/test_renaming.py
LABELS_OF_SCHOLAR_AND_AUDITOR = (
    "Labels of scholar and auditor differ by a renaming where part = c: they agree on 3.1 %, read as 0→1, 1→2,"
    " 2→0 on 93.8 %."
)
AGREEMENT_OF_ITEMS_RISES_FROM = "agreement of 32 items rises from 3.1 % to 93.8 %"
FIX_THE_LABELS_WHERE_PART = (
    'Fix the labels where part = c; to see that cell alone: "source.where=\\"part = \'c\'\\"" '
    '\'audit.aliases={scholar: {0: "1", 1: "2", 2: "0"}}\''
)
MAP_THESE_LABELS_IN_AN = "Map these labels: in an experiment file, below `# @package _global_"
BY_HOW_NUMBERS_ARE_WRITTEN = "by how numbers are written"
OF_AND_ONLY_USES = "Of j and h only h uses 'B' × 12"

# audits/consistency/conclusions/test_settling.py
ONE_OF_THEM_WITH_TOO_FEW = "1 of them with too few items to tell"
THE_BOUND_WOULD_BE_MET = "The bound would be met if 18 of the 20 abstentions were labels."
EVEN_WITHOUT_AN_ABSTENTION = "Even without an abstention, 60 items would be too few."
WHERE_PART_B_WOULD = (
    "Where part = b scholar and auditor would agree well enough if 16 of the 20 disagreements were settled."
)
IT_WOULD_HOLD_IF_OF = "It would hold if 26 of the 30 disagreements were settled."
AND_AUDITOR_WOULD_AGREE_WELL = "b and auditor would agree well enough if 26 of the 30 disagreements were settled."

# audits/consistency/conclusions/test_stand_in.py
NO_RATER_BOD = (
    r"audit\.humans: no rater 'bod' .* did you mean 'bob'\?: write audit\.humans=\[human,ann\] "
    r"\(no judge is tested without 3 people\) or audit\.raters=\[human,ann,bob,gpt,bod\]"
)
NO_RATER_DORA = r"- leave it out: write audit\.humans=\[human,ann,bob\] or audit\.raters=\[human,ann,bob,gpt,dora\]"
GPT_WITH_PEOPLE_LOW = "gpt with people 0.14 to 0.19; people with each other 0.85 to 0.88"
GPT_WITH_PEOPLE_HIGH = "gpt with people 0.83 to 0.85; people with each other 0.81 to 0.85"
GPT_PASSES_THE_TEST_OF = "gpt passes the test of"
GPT_FAILS_THE_TEST_OF = "gpt fails the test of"
NOT_WHETHER_THEY_AGREE_WELL = "not whether they agree well"
IT_GIVES_POINTS_MORE_THAN = "it gives {} points more than they do"
IT_GIVES_ON_OF_THE = "it gives A on 75.0 % of the items, they on 50.0 %"
IT_GIVES_ON_OF_THE_ITEMS = "; it gives A on 5.0 % of the items, they on 0.0 %"
IT_GIVES_ON_OF_THE_ITEMS_THEY = "; it gives A on 50.0 % of the items, they on 56.0 %"
IT_GIVES_POINTS_LESS_THAN = "; it gives 0.50 points less than they do"
GPT_NO_ANNOTATOR_HAS_ITEMS = "gpt: no annotator has 30 items"

# audits/consistency/questions/test_judged_tables.py
NO_COLUMN_HOLDS_WHAT_WAS = "no column holds what was judged: name it source.columns.text"
ITEMS_STAND_TWICE_WITH_ALL = "10 items stand twice, with all labels: 75.7 % of labels agree, 75.0 % without the copies."
TABLE_OF_COUNTS_NOT_OF = "A table of counts, not of labels: the numbers of every item add up to 3."
FLEISS_KAPPA_OF_THE_COUNTS = "Fleiss' kappa of the counts is"
SCHOLAR_GIVES_EVERY_ONE_OF = "scholar gives every one of 60 items the label x."
SCHOLAR_GIVES_TO_OF_ITEMS = "scholar gives 4 to 75 % of 120 items, auditor to 25 %."

# audits/consistency/questions/test_scales.py
THE_LABELS_OF_STAND_ONE = "The labels of r1 stand one row too late, against r0: {} is "
LABELS_OF_STAND_ROWS_TOO = "labels of r2 stand 2 rows too early"
THE_LABELS_OF_STAND_ONE_ROW = "The labels of r0 stand one row too early, against all others"
THE_NUMBERS_OF_ARE_TIMES = "The numbers of r1 are 10 times smaller than those of r0"
THE_NUMBERS_OF_ARE_TIMES_LARGER = "The numbers of r1 are 100 times larger than those of r0"
THE_SCALE_OF_RUNS_THE = "The scale of r1 runs the other way than that of r0"
THE_NUMBERS_OF_ARE_BELOW = "The numbers of r1 are 1 below those of r0"
STANDS_FOR_NO_LABEL_AND = "'None' stands for no label, and was counted as one: 9 of 240 labels."
IF_IT_MEANS_THAT_THERE = 'If it means that there is none: \'source.nulls={r1: ["", "None"]}\''
STANDS_FOR_NO_LABEL_AND_2 = "'{}' stands for no label, and {}"
WAS_COUNTED_AS_A_LABEL = "was counted as a label that is not declared: 15 of 350 labels."
QUADRATIC_KAPPA_OF_AND_IS = "Quadratic kappa of r1 and r0 is 0.9"
NO_BETTER_THAN_CHANCE_QUADRATIC = "no better than chance: quadratic kappa"
READ_THE_ITEMS_ON_WHICH = "Read the items on which the numbers are farthest apart in report.html"
LABELS_ARE_DIFFERENT_NUMBERS_FROM = "Labels are 39 different numbers from 1 to 39: "

# audits/consistency/screen/test_example.py
WHERE_THEY_DIFFER_MOST_FAR = "Where they differ most: far"
SAY_SAY_SAY = "4 say x, 4 say y, 4 say z"
RATER_WITH_THE_OTHER_SAYS = "rater|with the other|says {}|says {}|no label"

# audits/consistency/screen/test_group.py
WHO_EACH_RATER_AGAINST_THE = "who: Each rater against the others (kappa; 8 items)"
RATER_WITH_THE_OTHERS_SAYS = "rater|with the others|says x|says y"
EXAMPLE_WHERE_THEY_DIFFER_MOST = "example: Where they differ most: q3"
OF_ITEMS_HAVE_THE_LABELS = "8 of 8 items have the labels of all 3 raters"
WHO_EACH_RATER_AGAINST_THE_OTHERS = "who: Each rater against the others (weighted kappa, linear; 7 items)"
RATER_WITH_THE_OTHERS_MEAN = "rater|with the others|mean|gives more by|commonest|no label"
OF_ITEMS_HAVE_THE_LABELS_OF = "7 of 8 items have the labels of all 3 raters"
OF_ITEMS_HAVE_THE_LABELS_OF_ALL = "4 of 6 items have the labels of all 3 raters, 6 of two or more"
RATER_WITH_THE_OTHERS_SAYS_SAYS = "rater|with the others|says 0|says 1"
RATER_WITH_THE_OTHERS_COMMONEST = "rater|with the others|commonest"
AGAINST_THE_OTHERS_NOT_OFF = "who: Each rater against the others that are not off ("

# audits/consistency/screen/test_pair.py
WHO_WHO_AGREES_WITH_WHOM = "who: Who agrees with whom: 14 items, kappa (share equal)"
RATER_WITH_THE_OTHER_SAYS_A = "rater|with the other|says a|says b|says NONE|no label"
WHO_WHERE_THEY_DIFFER_ITEMS = "who: Where they differ: 4 items"
NONE_A_COSTS_MOST_KAPPA = "x NONE, y a|3|costs most kappa: 0.34"
OF_ITEMS_HAVE_BOTH_LABELS = "14 of 16 items have both labels"
WHO_WHO_AGREES_WITH_WHOM_ITEMS = "who: Who agrees with whom: 13 items, weighted kappa, linear (share equal)"
RATER_WITH_THE_OTHER_MEAN = "rater|with the other|mean|gives more by|no label"
NO_CLEAR_LEAN = "x 1, y 2|6|no clear lean (p = 0.61)"
COSTS_MOST_KAPPA = "x 3, y 1|2|costs most kappa: 0.39"
RATER_WITH_THE_OTHER_MIDDLE = "rater|with the other|middle|gives more by|no label"
WHO_WHO_AGREES_WITH_WHOM_ITEMS_WEIGHTED = "who: Who agrees with whom: 30 items, weighted kappa, quadratic (share equal)"
WHO_WHERE_THEY_DIFFER_ITEMS_2 = "who: Where they differ: 20 items"
APART_ON_AVERAGE_AT_MOST = "1.0 apart on average, 2 at most; a clear lean (p < 0.0001)."
RATER_WITH_THE_OTHER_SAYS_SAYS = "rater|with the other|says b|says c|says d|no label"
MORE_FURTHER_PAIRS_OF_LABELS = "(98 more, 7 further pairs of labels)"
RATER_WITH_THE_OTHER_SAYS_A_SAYS = "rater|with the other|says a|says b|no label"
WHO_WHO_AGREES_WITH_WHOM_ANSWERS = "who: Who agrees with whom: 499 answers, kappa (share equal)"
RATER_WITH_THE_OTHER_SAYS_VALID = "rater|with the other|says VALID|says REJECT|no label"
WHO_WHERE_THEY_DIFFER_ANSWERS = "who: Where they differ: 72 answers"
GPT_REJECT_HUMAN_ANNOTATORS_VALID = "GPT-4 REJECT, human annotators VALID|40|costs most kappa: 0.16"
GPT_VALID_HUMAN_ANNOTATORS_REJECT = "GPT-4 VALID, human annotators REJECT|30|no clear lean (p = 0.28)"
GPT_ABSTAIN_HUMAN_ANNOTATORS_REJECT = "GPT-4 ABSTAIN, human annotators REJECT|2|"
A_COSTS_MOST_KAPPA_A = "x a, y b|8|costs most kappa: 1.00; a clear lean (p = 0.0078)"

# audits/consistency/test_answer.py
GPT_AND_HUMAN_ANNOTATORS_AGREE = "GPT-4 and human annotators agree on 86 % [82, 88] of 499 items, below 90 %."
GPT_AND_HUMAN_ANNOTATORS_AGREE_ON = (
    "GPT-4 and human annotators agree on 86 % of 499 items, kappa 0.71 [0.65, 0.77]; 72 items differ, most "
    "often REJECT against VALID (40)."
)
IT_WOULD_HOLD_IF_OF_THE = "It would hold if 36 of the 72 disagreements were settled."
ITEMS_LABELLED_BY_NOT_SPLIT = "499 items labelled by {}. Not split into cells"
GPT_SCHOLAR_HUMAN_ANNOTATORS_AUDITOR = "GPT-4 (scholar), human annotators (auditor); reference: human annotators"
KAPPA_OF_SCHOLAR_AND_AUDITOR = (
    "Kappa of scholar and auditor is 0.00 on 40 items by construction: scholar gave every item the label VALID."
)
KAPPA_OF_SCHOLAR_AND_AUDITOR_IS = (
    "Kappa of scholar and auditor is 0.00 on 40 items by construction: auditor gave every item the label VALID."
)
KAPPA_OF_SCHOLAR_AND_AUDITOR_IS_ON = (
    "Kappa of scholar and auditor is -1.00 on 2 items: too few to tell if it is at least 0.6."
)
SCHOLAR_AND_AUDITOR_AGREE_ON = (
    "scholar and auditor agree on 0 % [0, 56] of 3 items: too few to tell if it is at least 90 %."
)
SCHOLAR_AND_AUDITOR_AGREE_THAN = "scholar and auditor agree {} than chance: kappa "
KAPPA_OF_SCHOLAR_AND_AUDITOR_2 = "Kappa of scholar and auditor is 0.20 "
SCHOLAR_AND_AUDITOR_AGREE_ON_2 = "scholar and auditor agree on 60 % "
THIRD_AND_AUDITOR_AGREE_NO = "third and auditor agree no better than chance: kappa "
KAPPA_OF_SCHOLAR_AND_AUDITOR_IS_WHERE = "Kappa of scholar and auditor is 0.20 where part = d, below 0.6."
OF_CELLS_MISSES_A_BOUND = "1 of 4 cells misses a bound significantly (Benjamini-Hochberg); first where part = d"
CELLS_OF_THEM_WITH_TOO = "4 cells, 0 of them with too few items to tell"
CELLS_OF_THEM_WITH_TOO_FEW = "4 cells, 1 of them with too few items to tell"
CELLS_OF_THEM_WITH_TOO_FEW_ITEMS = "40 cells, 40 of them with too few items to tell"
NOTHING_WAS_AUDITED_SO_THERE = "Nothing was audited, so there is no result."

# audits/consistency/test_audit.py
QID_SCHOLAR_AUDITOR_FINAL_WHY = "qid\tscholar\tauditor\tfinal\twhy\n"
JUDGEMENTS_OF_RATERS_THAT_ARE = "judgements of raters that are not in audit.raters: fourth × 3"
POLICY_AUDITOR_VETO_USES_ONLY = "policy auditor_veto uses only the reference and the first other rater"

# audits/consistency/test_name_check.py
AUDIT_NO_LABEL_VALID_NOT = "audit.{}: no label '{}' (audit.labels: VALID, NOT_IN_CONTEXT, REJECT, ABSTAIN"
NO_LABEL_IS_CALLED_VALID = "no label is called VALID: write audit.valid=LABEL"
NO_RECORD_HAS_A_FLAG = "no record has a flag {}: nothing is flagged for it (audit.hard_flags)"
NO_RECORD_HAS_A_FLAG_2 = "no record has a flag"
A_RATER_CANNOT_BE_CALLED = "audit.raters: a rater cannot be called '{}' ("
BY_IS_A_RATER_NOT = "by: 'scholar' is a rater, not a cell - leave it out"
BY_IS_A_COLUMN_OF = "by: '{}' is a column of the audit's own - give the column another name"
NO_RATER_FOUND_SCHOLAR_AUDITOR = (
    "audit.reference: no rater 'an' (found: scholar, auditor) - known: auditor, scholar; or name all raters "
    "with audit.raters=[an, ...]"
)
NO_RATER_IS_NAMED_FIX = "{}/t.csv:{}: no rater is named - fix it, or write audit.malformed=count"
A_KEY_THAT_IS_NULL = "audit.aliases: a key that is null (null: VALID) - null cannot be a key; leave it"
NO_LABEL_DID_YOU_MEAN = "audit.aliases.scholar.Y: no label 'VALDI' - did you mean 'VALID'?"
NO_RATER_DID_YOU_MEAN = "audit.aliases.schola: no rater 'schola' - did you mean 'scholar'?"
AUDITFW_ERROR_A_KEY_THAT = (
    "auditfw: error: audit.aliases.first: a key that is null (null: 1) - null cannot be a key; for"
)

# audits/consistency/conclusions/test_off.py
WEIGHTED_KAPPA_OF_CARL_AND = "Weighted kappa (linear weights) of carl and {} is "
CARL_IS_OFF_MEAN = "carl is off: mean weighted kappa (linear) with the others 0."
WHETHER_JUDGE_MAY_REPLACE = (
    "Whether judge may replace people is not known: without carl 2 are left, 3 are needed; it gives "
)
WHETHER_JUDGE_TWO_PEOPLE = "Whether judge may replace people is not known: 2 people, 3 are needed; it gives "
MAY_JUDGE_TWO_PEOPLE = "may judge replace people? not known: 2 people, 3 are needed"
JUDGE_WITH_ANNA = "judge with anna 0."
ANNA_WITH_BELA = "; anna with bela 0."
HAVE_A_THIRD_PERSON = "Have a third person label the items: a judge is tested against 3 people"
OF_BOTH_CARL_GIVES = "; of the 120 items of both carl gives 4 to "
AGREEMENT_BETWEEN_PEOPLE = "The agreement between people (anna and bela) is linearly weighted kappa 0."
CARL_WAS_LEFT_OUT = "; carl was left out, whose mean linearly weighted kappa with the others is 0."
POINTS_MORE_THAN_ANNA = " points more than anna and bela."
WITHOUT_CARL_WEIGHTED_KAPPA = "Without carl, weighted kappa (linear weights) of "
WITHOUT_CARL_THE_COMMAND = (
    "Without carl: auditfw rerun latest 'audit.raters=[anna,bela,judge]' 'audit.humans=[anna,bela]'"
)
MAY_JUDGE_REPLACE_PEOPLE = "may judge replace people? not known: without carl 2 are left, 3 are needed"
WITHOUT_CARL_JUDGE_PASSES = "Without carl, judge passes the test of one annotator left out: it wins over 3 of 3"
WITH_CARL_WHICH_IS_OFF = "; with carl, which is off, over 4 of 4 annotators."
HUMANS_ANNA_BELA_DORA = "'audit.humans=[anna,bela,dora]'"

# audits/consistency/test_published.py
NQ_TEXT_DAVINCI_EXPECTED_FIELDS = "NQ301_text-davinci-003.tsv:2: expected 5 fields, as in the header; got 4"

# audits/consistency/test_titles.py
THE_JUDGE_AND_TWO_HUMANS = "the judge and two humans agree on 98.9 % ["
THE_AGREEMENT_OF_THE_JUDGE = "the agreement of the judge and two humans says nothing"
THE_JUDGE_AND_TWO_HUMANS_USE = "The judge and two humans use no label in common"
THE_JUDGE_AND_TWO_HUMANS_2 = "the judge and two humans"
HE_JUDGE_AND_TWO = "he judge and two h"
THE_JUDGE_AND_TWO_HUMANS_IS = "the judge and two humans is undefined"
AN_ID_THAT_IS_FAR = "an id that is far too long for it"
PAIRS_TO_OF_BY_KAPPA = "pairs 6 to 21 of 21, by kappa"

# audits/consistency/questions/test_truth.py
GPT_SAYS_A_ON = "gpt says A on 60.0 %; corrected by 66 labels of people 54.2 % [43.1, 65.0]."
HUMAN_LABELLED_66_ITEMS = "human labelled 66 items: single items chosen at random, as stated by you."
GPT_SAYS_A_ON_80 = "gpt says A on 80.0 %; corrected by 100 labels 40.0 % [31.0, 49.4]: 40.0 points too many."
ONE_MORE_LABEL_OF_PEOPLE = "One more label of people is worth at most 1.2 by what gpt adds."
ABOUT_MORE_LABELS_HALVE = "About 59 more labels halve the interval"
NO_RATER_IS_NAMED = (
    "no rater is named that labelled a part of the items: write audit.truth={rater: NAME, sampling: random}"
)
GPT_PEOPLE_ARE_UNDECIDED = "gpt: people are undecided on 4 items; the ends count them both ways."
PEOPLE_LABELLED_ALL_OF_ITS = "gpt: people labelled all of its items, so that their own rate is the corrected one."
SAY_HOW_THE_ITEMS_WERE = (
    "audit.truth.sampling: say how the items with a label of human were chosen - random, items, probability or all"
)
SAY_WHICH_LABEL_THE_RATE = (
    "audit.truth.positive: say which label the rate is of (audit.labels: A, B) - write positive: LABEL"
)
THE_ITEMS_WITH_A_LABEL = (
    "audit.truth: the items with a label of human are not random: 100 % where gpt says A, 60 % of all (p <0.0001)"
)

# audits/consistency/questions/test_same_grades.py
BY_MODEL_NOBODY_IS_COMPARED = "By model nobody is compared: it has more than 50 values."
NO_QUESTION_OR_NO_ANSWER = (
    "no question or no answer is known: map source.columns.item (or question) and source.columns.answer"
)
THE_GATE_HOLDS_BY_POINTS = (
    "The gate accepted >= 0.7 holds by 5.0 points; two gradings of the same answers differ by up to 15.5."
)
