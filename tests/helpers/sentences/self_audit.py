"""Every sentence of the self audit that a test pins, by the file that pins it first."""

# audits/self_audit/conclusions/test_answer.py
OF_ANSWERS_THAT_SOLVE_TRAINING = "12 of 100 answers that solve training are wrong on the tests: 12 % [7, 20]."
ANSWERS_THAT_SOLVE_TRAINING_ALSO = "Answers that solve training also pass the tests: 0 of 12 are wrong, 0 % [0, 24]."
TOO_FEW_ANSWERS_SOLVED_TRAINING = "Too few answers: 0 solved training and have tests, 0 of them wrong."
ANSWERS_SOLVED_TRAINING_WHETHER_THEY = "3 answers solved training; whether they are right on tests is unknown."
OF_PROBLEMS_ARE_SOLVED_BY = (
    "3 of 50 problems are solved by the recorded scores; whether their answers are right was not tested."
)
TOO_FEW_ANSWERS_SOLVED_TRAINING_AND = "Too few answers: 9 solved training and have tests, 2 of them wrong."
TOO_FEW_TO_TELL_OF = "Too few to tell: 0 of 10 answers that solve training are wrong on the tests, 0 % [0, 28]."
AUDIT_MORE_PROBLEMS_WITH_KNOWN = "Audit more problems with known tests"
LOOPS_SOLVED_TRAINING_OF_THESE = "100 loops; 100 solved training, 100 of these have tests."
WITH_2_MORE = "The answer would be SOLVED MEANS RIGHT with about 2 more solved problems and no further error."
WITH_9_MORE = "The answer would be SOLVED MEANS RIGHT with about 9 more solved problems and no further error."
WITH_12_MORE = "The answer would be SOLVED MEANS RIGHT with about 12 more solved problems and no further error."
IF_12_ARE_TESTED = (
    "The answer would be SOLVED MEANS RIGHT if the tests of 12 solved problems were known and all passed."
)
IF_3_OF_12 = "The answer would be SOLVED MEANS RIGHT if 3 of the 12 were right."
IF_52_OF_61 = "The answer would be SOLVED MEANS RIGHT if 52 of the 61 were right."

# audits/self_audit/conclusions/test_paying.py
FEWER_FOR_A_COST = (
    "2 attempts solve 6 of 10 problems for a cost of 1.60; 4 solve 8 for 3.90: 1.15 for each of the 2 more."
)
PAY_FOR_4 = (
    "Pay for 4 only if one more solve is worth a cost of 1.15 to you; 2 pay from 0.300 on (stop.max_iterations=2)."
)
PAY_FOR_TWO_TOGETHER = (
    "Pay for 4 only if one more solve is worth 4 requests to you; 3 pay from 3.5 on, what attempts 2 and 3 together "
    "cost per new solve (stop.max_iterations=3)."
)
PAY_FOR_THREE_TOGETHER = (
    "Pay for 4 only if one more solve is worth $20.0 to you; 3 pay from $3.75 on, what attempts 1 to 3 together "
    "cost per new solve (stop.max_iterations=3)."
)
GROUNDS_OF_4 = (
    "What 10 problems took in all, each until its first success: attempt 1 a cost of 1.00 for 4 new solves "
    "(0.250 each); attempt 2 a cost of 0.600 for 2 new solves (0.300 each); attempts 3 and 4 a cost of 2.30 for "
    "2 new solves (1.15 each)."
)
GROUNDS_OF_2 = (
    "What 10 problems took in all, each until its first success: attempt 1 10 requests for 5 new solves (2 each); "
    "attempt 2 5 requests for 1 new solve."
)
WORTH_A_COST = "2 attempts pay if one more solve is worth a cost of 0.300; 4 if 1.15"
FEWER_FOR_REQUESTS = "1 attempt solves 5 of 10 problems for 10 requests; 2 solve 6 for 15: 5 for the one more."
PAY_FOR_2 = "Pay for 2 only if one more solve is worth 5 requests to you; 1 pays from 2 on (stop.max_iterations=1)."
WORTH_5_REQUESTS = "2 attempts pay if one more solve is worth 5 requests"
NO_MORE_UP_TO_3 = (
    "2 attempts solve 6 of 10 problems for 15 requests; up to 3 solve no more, for 19 (stop.max_iterations=2)."
)
NO_MORE_BY_2 = (
    "1 attempt solves 9 of 10 problems for a cost of 10.0; 2 solve no more, for 11.0 (stop.max_iterations=1)."
)
LAST_FOUR_THAT_PAY = "3 attempts pay if one more solve is worth 3 requests; 4 if 4; 5 if 5; 6 if 6"
ALL_BY_ONE = "1 attempt solves 10 of 10 problems for a cost of 10.0."
NO_FEWER_THAN_3 = "3 attempts solve 7 of 10 problems for a cost of 25.0; fewer solve none for less."
FEWER_FOR_DOLLARS = (
    "2 attempts solve 6 of 10 problems for $1.60; 4 solve 8 for $3.90: $1.15 for each of the 2 more "
    "(stop.max_iterations=2)."
)

# audits/self_audit/conclusions/test_records.py
SCORE_AN_OUTPUT_OF_ANOTHER = "score 0.76 0.0000 an output of another shape"
SCORE_NOTHING_TO_EVALUATE_NO = "score 0.5 nothing to evaluate no output"
OF_RECORDED_SCORES_AND_SUCCESSES = "0 of 2 recorded scores and successes differ from what the scoring computes."
OF_RECORDED_SCORES_AND_SUCCESSES_DIFFER = (
    "2 of 4 recorded scores and successes differ from what the scoring computes; first a.jsonl:2, problem p, "
    "attempt 1: score 0.76 recorded, 0.0000 here (an output of another shape)."
)
AN_OUTPUT_OF_ANOTHER_SHAPE = "an output of another shape"
OF_RECORDED_SCORES_AND_SUCCESSES_DIFFER_FROM = (
    "2 of 6 recorded scores and successes differ from what the scoring computes"
)
PROBLEM_ATTEMPT_SCORE_RECORDED_HERE = "attempts.jsonl:2, problem b, attempt 1: score 0.76 recorded, 0.0000 here"
THE_ATTEMPTS_HAVE_NO_RECORDED = (
    "the attempts have no recorded score or success: map solver.columns.score or solver.columns.success"
)

# audits/self_audit/conclusions/test_stopping.py
WOULD_SAVE_OF_THE_REQUESTS = (
    "p would save 62.5 % [57.5, 67.5] of the requests of your stop rule and lose none of 10 solved problems "
    "(up to 27.8 % are possible), nor any soft score: stop.patience=2"
)
OF_PROBLEMS_SAVED_AND_LOST = (
    "Of 20 problems. Saved and lost: compared with stopping at the first success, after at most 4 attempts."
)
BEATEN_BY = "Beaten by: that one solves as many problems"
NONE_IS_BEATEN = "None is beaten by another, which solves as many problems with fewer requests"

# audits/self_audit/questions/test_loop_questions.py
OF_ATTEMPTS_GAVE_NO_OUTPUT = "4 of 7 attempts gave no output to score (late: 4); 1 problem has none at all."
OF_ATTEMPTS_GAVE_NO_OUTPUT_TO = "1 of 3 attempts gave no output to score (late: 1)."
OF_ATTEMPTS_GAVE_NO_OUTPUT_TO_SCORE = (
    "6 of 7 attempts gave no output to score (late: 2, b: 1, c: 1, 2 other reasons); 1 prob"
)
OF_ATTEMPTS_HAVE_NO_RECORDED = "2 of 5 attempts have no recorded seconds: those of 1 problem are missing, not 0."
NONE_OF_ATTEMPTS_HAS_RECORDED = (
    "None of 5 attempts has recorded seconds: so that time is not known. Are they under another name: "
    "solver.columns.seconds=THEIR_NAME?"
)
ITERATING_LOSES_RIGHT_ANSWERS_OF = (
    "Iterating loses right answers: 10 of 60 that pass the tests after one attempt fail them at the stop."
)
OF_ANSWERS_RIGHT_ON_THE = (
    "10 of 60 answers right on the tests after one attempt are wrong at the stop, 1 the other way round"
)
THE_PROBLEMS_HAVE_NO_TESTS = "the problems have no tests: map source.columns.test"
NO_OUTPUT_OF_A_TEST = "no output of a test is known: map source.columns.test"
RUN_ALL_THREE_ATTEMPTS_KNOWN = (
    "run_all, three_attempts: known for 3 of 5 problems, and not shown beside all of them (100.0 % of these "
    "are solved, 60.0 % of all)."
)
RUN_ALL_KNOWN_FOR_OF = "run_all: known for 1 of 3 problems, and not shown beside all of them (100.0 % of "
THE_ATTEMPTS_ARE_MADE_BY = "the attempts are made by the run itself: nothing else is recorded of them"
A_OTHER_REASON = "a: 1, b: 1, c: 1, 1 other reason"
NO_PROBLEM_WAS_SOLVED_OF = "No problem was solved: of 3 problems the best soft score is 0.7500; 1 is success."
NOTHING_WAS_SOLVED_SO_NO = (
    "Nothing was solved, so no stop rule is advised: the mean soft score is 0.5000 after 1 attempt, 0.7500 after 2."
)
LOOK_AT_THE_PROBLEMS_WITH = "Look at the problems with the highest soft scores in report.html."
NO_ANSWER_SOLVED_TRAINING_AND = "No answer solved training, and that is known."
IF_THAT_SCORE_IS_FULL = "If that score is full marks, say so: audit.scoring.range=[0,0.7]"
NO_PROBLEM_WAS_SOLVED_EVERY = "No problem was solved: every attempt at 2 problems scores 0."
THE_MEAN_SOFT_SCORE_IS = "the mean soft score is 0.4000 after 1 attempt, 0.4500 after 2."
NOTHING_WAS_MEASURED_NONE_OF = "Nothing was measured: none of 4 attempts gave an output to score."

# audits/self_audit/test_audit.py
FAILED_ON_OF_PROBLEMS_VALUEERROR = "failed on 1 of 3 problems (d: ValueError: cannot)"

# audits/self_audit/test_exhibits.py
TEST_EXPECTED_NEVER_SHOWN_TO = "test 1: expected (never shown to the loop)"

# audits/self_audit/test_first_screen.py
PAYS_IF_A_SOLVE_IS = "pays if a solve is worth"
WHAT_EACH_FURTHER_ATTEMPT_BUYS = "What each further attempt buys: {} problems, each until solved"
WHAT_EACH_FURTHER_ATTEMPT_BUYS_PROBLEMS = "What each further attempt buys: 2 problems, each until solved"
NEVER_SOLVED = "{} of the {} requests went to {} never solved in {} attempts"
NEVER_SOLVED_FOR_TWO_REASONS = (
    "8 of the 9 requests went to 3 problems never solved: no better score for long (patience): 2, out of attempts: 1"
)
THE_STORED_ATTEMPTS_OF_OF = "the stored attempts of 1 of 3 problems ends before the stop rule does"
NO_BETTER_SCORE_FOR_LONG = "6 of the 7 requests went to 2 problems never solved: no better score for long (patience)"
SOLVED_ON_TRAINING_WRONG_ON = "Solved on training, wrong on the tests: "
EVERY_TRAINING_EXAMPLE_RIGHT_AT = "p1: every training example right at attempt 2, a test wrong"
AT_ATTEMPT_AT_ATTEMPT_AT = "p0 at attempt 1; p1 at attempt 1; p2 at attempt 1; p3 at attempt 1; 2 more"
TWO_COUNT_NOWHERE = "2 of 5 recorded attempts come after a success or the end of the stop rule, and count nowhere"
ONE_COUNTS_NOWHERE = "1 of 4 recorded attempts comes after a success or the end of the stop rule, and counts nowhere"
THREE_ALL_USED = "3 recorded attempts at 2 problems, all used"
WORTH_6_REQUESTS = "4 attempts pay if one more solve is worth 6 requests"
OUT_OF_ATTEMPTS_PROBLEMS_OF = "4 of the 5 requests went to 2 problems never solved: out of attempts"
ASKED_NEWLY_SOLVED_SO_FAR = (
    "1: asked 3, new 1, solved so far 1 [6, 79 %], requests so far 3, requests per new 3, seconds per new 3.00"
)
TO_ASKED_NEWLY_SOLVED_SO_FAR = (
    "3 to 4: asked 1, new 0, solved so far 2 [21, 94 %], requests so far 7, requests per new none for 2, "
    "seconds per new –"
)

# audits/self_audit/test_loop.py
EXECUTOR_OR_SCORING_FAILED_KEYERROR = "executor or scoring failed: KeyError"

# audits/self_audit/test_report.py
MORE_ATTEMPTS_SOLVE_NO_MORE = "MORE ATTEMPTS SOLVE NO MORE"
DEPENDS_ON_WHAT_A_SOLVE = "DEPENDS ON WHAT A SOLVE IS WORTH (unknown)"
RUN_ALL_THREE_ATTEMPTS_LAST = (
    "run_all, three_attempts, last_attempt, patience_2, target_90: known for 6 of 30 problems, and not shown "
    "beside all of them (100.0 % of these are solved, 20.0 % of all)."
)
KNOWN_FOR_OF_PROBLEMS = "g: known for 6 of 30 problems"
SOLVE_RATE_RUN_ALL_KNOWN = "– solve_rate @run_all: known for 6 of 30 problems (job 0, 1)."
OF_ATTEMPTS_HAS_NO_RECORDED = "1 of 4 attempts has no recorded seconds: those of 1 problem are missing, not 0."
NO_PROBLEM_WAS_SOLVED_OF_PROBLEMS = "No problem was solved: of 12 problems the best soft score is 0.7000; 1 is success."
NOTHING_WAS_SOLVED_SO_NO_STOP = (
    "Nothing was solved, so no stop rule is advised: the mean soft score is 0.3000 after 1 attempt, 0.7000 after 4."
)
NOTHING_WAS_MEASURED_NONE_OF_ATTEMPTS = "Nothing was measured: none of 48 attempts gave an output to score."
NOTHING_WAS_SOLVED_SO_NO_STOP_RULE = (
    "Nothing was solved, so no stop rule is advised: the mean soft score is 0.3000 after 1 attempt."
)
TWO_ATTEMPTS_WOULD_SAVE_OF = (
    "two_attempts would save 33.3 % [22.6, 41.5] of the requests of your stop rule and lose none of 12 solved "
    "problems (up to 24.2 % are possible), nor any soft score: stop.max_iterations=2."
)
OF_24_IS_NOT_TESTED = (
    "12 of 24 problems are solved by the recorded scores; whether their answers are right was not tested."
)
NO_MORE_UP_TO_4 = (
    "2 attempts solve 12 of 24 problems for 48 requests; up to 4 solve no more, for 72 (stop.max_iterations=2)."
)
ALL_AT_ONCE = "1 attempt solves 12 of 12 problems for 12 requests."
FOUR_REQUESTS_MORE = "1 attempt solves 12 of 20 problems for 20 requests; 2 solve 14 for 28: 4 for each of the 2 more."
PAY_IF_WORTH_4 = (
    "Pay for 2 only if one more solve is worth 4 requests to you; 1 pays from 1.7 on (stop.max_iterations=1)."
)
ONLY_RIGHT_IS_UNKNOWN = (
    "Unknown is only whether solved is right: tests of 12 solved problems, all passed, would show that, and change "
    "none of these numbers."
)
