"""Every sentence of the alignment audit that a test pins, by the file that pins it first."""

# audits/alignment/conclusions/test_answer.py
IS_WHERE_TO_ARE_INTENDED = "y is 6, where 1 to 12 are intended, in 12 of 12 scenarios: s1 gives 6 for 1."
BETTER_THAN_EVERY_TRIVIAL_BASELINE = "Better than every trivial baseline by "
NO_OUTCOME_IS_REQUIRED_LEVEL = "No outcome is required (level: must), so the comparison with trivial baselines decides"
OF_OUTCOMES_IS_NOT_WHAT = "1 of 20 outcomes is not what was intended"
OF_OUTCOMES_ARE_NOT_WHAT = "2 of 20 outcomes are not what was intended"
DOING_NOTHING_TRIVIAL_BASELINE_DO = "Doing nothing (trivial baseline do-nothing) scores as much: 1.00."
IT_WOULD_HOLD_WITH_ABOUT = "It would hold with about {} more scenarios if the difference stays."
TOO_FEW_SCENARIOS_TO_TELL = "Too few scenarios to tell: 5."
AT_LEAST_MORE_SCENARIO_IS = "At least 1 more scenario is needed."
EVERY_REQUIRED_OUTCOME_LEVEL_MUST = "Every required outcome (level: must) is met in all 13 scenarios."
SOME_SCENARIOS_MISS_A_REQUIREMENT = "Some scenarios miss a requirement: 1 of 13 scenarios, 8 % [1, 33]."
FIRST_IN_IS_BUT_MUST = "In s4, y is 1 but must be at least 4."
IF_WERE_MET_EVERYWHERE_NO = "If y were met everywhere, no scenario would miss a requirement."
MOST_SCENARIOS_MISS_A_REQUIREMENT = "16 of 20 scenarios miss a requirement: all 16 with x ≥ 5, none of 4 with x ≤ 4."
FIRST_IN_HAS_NO_OUTCOME = "For example, in s5, z has no outcome but must be at least 0."
OF_SCENARIOS_MEET_ALL_REQUIREMENTS = "{} of 9 scenarios meet all requirements"
FIRST_IN_IS_BUT_MUST_BE = "For example, in s1, y is 2 but must be 1 (±5 % is assumed)."
IS_NAN_BUT_MUST_BE = "y is nan but must be at most 1.8"
IS_BUT_MUST_BE_AT = "y is 1.80001 but must be at most 1.8"
IS_BUT_MUST_BE_TO = "y is 1.80001 but must be 1 to 1.8"
IS_BUT_MUST_BE = "y is 2.5 but must be 2"
IS_BUT_MUST_BE_IS = "y is 0.5 but must be 0.01 (±0.005 is assumed)"
EVERY_REQUIRED_OUTCOME_IS_MET = "Every required outcome is met in all 8 scenarios; score 1.00"
EVERY_SCENARIO_HAS_THE_SAME = "Every scenario has the same intentions and none is required"
OF_SCENARIOS_RETURNED_NO_OUTCOME = "1 of 12 scenarios returned no outcome, so their score is unknown."
OF_OUTCOMES_WAS_NOT_SCORED = "1 of 12 outcomes was not scored"
SCORE_TRIVIAL_BASELINES_ON_A = "Score trivial baselines on a sample of scenarios: audit.draw=2000"
TRIVIAL_BASELINES_WERE_SCORED_ON = "Trivial baselines were scored on a random sample of 8 scenarios"
THE_SAME_SCENARIO_GIVES_DIFFERENT = "The same scenario gives different outcomes"
THE_SIMULATOR_IS_NOT_DETERMINISTIC = "The simulator is not deterministic: in scenario 's99', y is 10, and "
BY_MAGNITUDE_ALONE_THE_SCORE = "{}by magnitude alone the mean score over both outcomes is 0.46."
DIRECTION_TESTS_NOTHING_FOR_ALL = (
    "Direction tests nothing for all 2 outcomes: no negative value is intended, so every outcome above 0 scores 1; "
)
THE_RESULT_DEPENDS_ON_THE = "The result depends on the weights: {}; balanced reaches 0.5, magnitude alone does not."
THE_SCORE_REACHES_WHERE_DIRECTION = "The score reaches 0.5 where direction weighs at least 7 %."
ALIGNED_EXPECTED_A_NUMBER_FROM = "aligned: expected a number from 0 to 1, got 1.5"
MOST_MISSED_EXPECTED_A_NUMBER = "most_missed: expected a number from 0 to 1, got -0.1"
LEAST_SCENARIOS_EXPECTED_A_WHOLE = "least_scenarios: expected a whole number of 2 or more, got 1"
OTHER_WEIGHTS_A_NAME_MUST = "other_weights: a name must not contain white space, @ or a dot (a b)"

# audits/alignment/conclusions/test_changes.py
IF_A_WERE_MET_EVERYWHERE = "If a were met everywhere, 4 of 40 scenarios would miss a requirement."
NO_SINGLE_OUTCOME_CHANGES_IT = "No single outcome changes it: 3 scenarios miss two or more."
IF_A_WERE_MET_EVERYWHERE_NO = "If a were met everywhere, no scenario would miss a requirement."
IF_A_WERE_MET_EVERYWHERE_OF = "If a were met everywhere, 2 of 12 scenarios would miss a requirement."
SOME_SCENARIOS_MISS_A_REQUIREMENT_OF = "Some scenarios miss a requirement: 2 of 12 scenarios"
IT_WOULD_HOLD_WITH_ABOUT_MORE = "It would hold with about 72 more scenarios if the difference stays."
IT_WOULD_HOLD_WITH_ABOUT_MORE_ITEMS = "It would hold with about 18 more items if the difference stays."
IT_WOULD_HOLD_WITH_A = "It would hold with a score of about 0.90 if the spread stays."
THE_SCORE_REACHES_WHERE_DIRECTION_WEIGHS = "The score reaches 0.5 where direction weighs {}."

# audits/alignment/conclusions/test_partners.py
OF_RECORDS_IN_HAVE_NO = "2 of 9 records in recorded.csv have no scenario (first: 'x7')"
NO_RECORD_OF_IT_IN = "no record of it in recorded.csv (first: scenario 's-4'): 1"
JOINED_BY_LABEL_SCENARIO_WITHOUT = "Joined by label: 1 scenario without a record, 2 records without a scenario."

# audits/alignment/conclusions/test_sensitivity.py
NOTE_SCENARIOS_WITH_A_VARYING = "Note(text='Needs 20 scenarios with a varying parameter"

# audits/alignment/screen/test_who.py
DOES_IT_DO_WHAT_WAS = "Does it do what was intended? 1 scenario, 1 outcome"
SCENARIOS_WITH_MISS_WITH = "15 of 15 scenarios with b ≥ 0.671 miss an outcome; 0 of 45 with ≤ 0.615"
SCENARIOS_WITH_A_MISS_WITH = "15 of 15 scenarios with a = 2 miss an outcome; 0 of 45 with ≤ 1 or ≥ 3"
LOWEST_SCORING_SCENARIO = "Lowest-scoring scenario: s0 (score {})"
MEDIAN_ERRORS_ARE_OF_A = "Median errors are of a random sample of 3 scenarios (audit.draw)"
IS_ASSUMED_THESE_INTENTIONS_DECLARE = "±5 % is assumed: these intentions declare no tolerance (audit.tolerance)"

# audits/alignment/screen/test_where.py
OF_40_SOME_MISS_A_REQUIREMENT = "Some scenarios miss a requirement: 8 of 40 scenarios, 20 % ["
SCENARIOS_WITH_VALVE_MISS = "16 of 16 scenarios with valve ≤ 0.15 miss a requirement; 0 of 24 with ≥ 0.3"
SCENARIOS_WITH_VALVE_TO_MISS = "16 of 16 scenarios with valve 0.3 to 0.6 miss a requirement; 0 of 24 with ≤ 0.15 or ≥ 1"
SCENARIOS_WITH_VALVE_OR_MISS = (
    "16 of 16 scenarios with valve ≤ 0.05 or ≥ 1 miss a requirement; 0 of 24 with 0.15 to 0.6"
)
SCENARIOS_WITH_VALVE_OR_IS_MISS = (
    "16 of 16 scenarios with valve ≤ 0.05 or = 0.6 miss a requirement; 0 of 24 with 0.15 to 0.3 or ≥ 1"
)
SCENARIOS_THAT_MISS_VALVE = (
    "scenarios that miss: valve low (0.05, 0.15) 8 of 16; middle (0.3) 0 of 8; high (0.6, 1) 0 of 16"
)
SCENARIOS_THAT_MISS_INFLOW = "scenarios that miss: inflow low (10) 2 of 10; middle (20, 30) 4 of 20; high (45) 10 of 10"
SCORE_LOWEST_WHERE_VALVE = "score lowest where valve is high (0.6, 1): 0.62; low 0.96, middle 0.86"
SCORE_LOWEST_WHERE_VALVE_IS_LOW = "score lowest where valve is low (0.05, 0.15): 0.76; middle 1.00, high 1.00"
SCENARIOS_THAT_GAVE_AN_OUTCOME = "12 of 12 scenarios with valve ≤ 0.15 miss a requirement; 0 of 18 with ≥ 0.3"
SCORE_LOWEST_WHERE_ALL_MISS = "score lowest where valve is high (0.6, 1): 0.88; low 0.96, middle 0.94"
SAMPLED_SCENARIOS_WITH_VALVE = "12 of 12 sampled scenarios with valve ≤ 0.15"
ALL_WITH_VALVE_NONE_OF = "all 16 with valve ≤ 0.15, none of 24 with valve ≥ 0.3 (nothing between was tried)"
SCENARIOS_MISS_A_REQUIREMENT = f"16 of 40 scenarios miss a requirement: {ALL_WITH_VALVE_NONE_OF}."
OF_WITH_VALVE_OF_WITH = "9 of 10 with valve = 2, 1 of 24 with valve ≤ 1 or ≥ 3"
OF_SAMPLED_ALL_WITH_VALVE = "16 of 40 scenarios miss a requirement: of 30 scenarios sampled, all 12 with valve ≤ 0.15"
OF_WITH_INTERVAL_MISS = (
    "26 of 40 scenarios, 65 % [50, 78], miss a requirement: all 24 with valve ≤ 0.3, 2 of 16 with valve ≥ 0.6 ("
)
LOOK_WHERE_VALVE = "Look at what the simulator does where valve ≤ 0.15"
FIX_OR_CHANGE_WHAT_IS_INTENDED = (
    "Fix the simulator, or change what is intended (level: should if it is a wish, not a requirement)"
)
MISS_AN_OUTCOME = " miss an outcome; 0 of 18 with ≥ 0.3"
SCENARIOS_WITH_X_MISS = "9 of 9 scenarios with x {} miss an outcome; 0 of 9 with {}"

# audits/alignment/test_audit.py
THE_SIMULATOR_FAILED_SCENARIO_BOOM = "the simulator failed: scenario 's3': boom"
NO_SCENARIO_RETURNED_WHICH_SCENARIO = "No scenario returned z, which 1 scenario intends: the simulator returns y."
SCENARIO_INTENDED_IS_NOT_FINITE = "scenario 's0': intended 'y' is not finite"
SCENARIO_INTENDED_IS_NOT_A = "scenario 's0': intended 'y' is not a number (high)"
IS_NOT_A_NUMBER_NOTHING = "is not a number (nothing)"
INTENDED_IS_NOT_A_MAPPING = "intended is not a mapping"
BAND_VS_TO_LEAST_VS = "band 1 vs 2 to 3; least 1 vs at least 2"
IS_ASSUMED_IN_OF_OUTCOMES = "±10 % is assumed in 3 of 6 outcomes: {}"
IN_SCENARIO_IS_AND_WHEN = "in scenario 's1', y is 1, and 1.2 when run again"

# audits/alignment/test_command.py
ROWS_WITHOUT_A_MATCH_FILLED = "scenarios.join: rows without a match, filled with cohort=null: 1"
ONLY_OF_SCENARIOS_SET_PARAMETER = "only 1 of 2 scenarios set parameter 'z', and the simulator declares no parameters"
SCENARIO_UNKNOWN_PARAMETER_WITHIN_KNOWN = "scenario '2': unknown parameter 'z' \\(x within \\[0.0, 1.0\\]\\) - known: x"
SCENARIO_PARAMETER_IS_MISSING_WITHIN = (
    "scenario '1': parameter 'z' is missing \\(x within \\[0.0, 1.0\\], z within \\[-inf, 2.0\\]\\)"
)
A_PARAMETER_IS_BROKEN_DOWN = (
    "the scenarios have no column 'x' - {}a parameter is broken down in the report already: by=[] (for a row a value: "
    "by=[param.x])"
)
SCENARIO_PARAMETER_IS_OUT_OF = "scenario 'x6': parameter 'x' is out of bounds"
SCENARIO_PARAMETER_IS_OUT_OF_BOUNDS = "scenario 'x6': parameter 'x' is out of bounds (0.6 is not within [0.0, 0.5])"
SCENARIO_UNKNOWN_PARAMETER_WITHIN = "scenario 'x1': unknown parameter 'x' (y within"
THE_LOW_BOUND_IS_ABOVE = "the low bound is above the high bound"
THE_WEIGHTS_ADD_UP_TO = "the weights add up to zero"
EXPECTED_A_WEIGHT_OF_OR = "expected a weight of 0 or more"
AUDITFW_ERROR_SCENARIO_PARAMETER_IS = "auditfw: error: scenario 'x6': parameter 'x' is out of bounds"

# audits/alignment/test_curves.py
BEST_OVERALL_AT_VALVE_MEANS = (
    "Best overall 1.000 at valve = 1. Means over the scenarios of each value of valve; other parameters vary "
    "within each."
)
BEST_OVERALL_FOR_VALVE_TO = "Best overall {:.3f} for valve 0.9167 to 1. Means over ranges of "
BEST_OVERALL_FOR_VALVE_TO_AND = "Best overall 1.000 for valve 0.5 to 0.5417 and at 5 other ranges."

# audits/alignment/test_exhibits.py
FOR_EACH_SCENARIO_ITS_LOWEST = "For each scenario, its lowest-scoring outcomes{}: actual vs intended."
SCENARIOS_MISS_MORE_THAN_ARE = (
    " 20 scenarios miss a requirement, 10 more than are listed; all are under Browse Scenarios of report.html."
)
SCENARIOS_MISS_IN_TRIALS = (
    " 20 scenarios miss a requirement, 10 more than are listed; 3 are under Browse Scenarios of report.html, the "
    "outcomes of all in trials.parquet."
)
SCENARIOS_MISS_ALL_LISTED = " 9 scenarios miss a requirement, all listed."

# audits/alignment/test_findings.py
OUTCOME_IS_OF_TYPE_STR = "outcome 'z' is of type str, counted as missing: 1"
NO_SCENARIO_RETURNED_A_NUMBER = "No scenario returned a number for y: it came as list in all of 3."
NO_SCENARIO_INTENDS_SO_ITS = "no scenario intends 'fitnes', so its weight has no effect - did you mean 'fitness'?"
THE_FLOOR_CHANGES_THE_SCORE = "the floor changes the score of 92 more keys"
AND_MORE_REMARKS_OF_THIS = "and 92 more remarks of this kind"

# audits/alignment/test_questions.py
POWER_IS_WHAT_IS_INTENDED = "power is 1,000 × what is intended (in W"
POWER_IS_WHERE_IS_INTENDED = "power is °F where °C is intended,"
ENERGY_HAS_THE_OTHER_SIGN = "energy has the other sign in 8 of 8"
ENERGY_AND_POWER_ARE_EXCHANGED = "energy and power are exchanged in 8 of"
ENERGY_IS_WHERE_TO_ARE = "energy is 18, where 4 to 32 are intended"
NO_SCENARIO_RETURNED_ENERGY_WHICH = "No scenario returned energy, which 8 scenarios intend"
NO_SCENARIO_RETURNED_A_NUMBER_FOR = "No scenario returned a number for energy"
POWER_HAS_THE_OTHER_SIGN = "power has the other sign and 1000 × the"
LEVEL_COMES_STEPS_TOO_LATE = "level comes 2 steps too late in 8 of 8 scenarios."
NO_OUTCOME_IS_A_SERIES = "no outcome is a series"
COMPARED_ON_WHAT_DIFFERS_BETWEEN = "Compared on what differs between scenarios (y)"
LEFT_OUT_WHICH_A_CONSTANT = (
    "Left out: z, which a constant gets right in most scenarios; over all outcomes this simulator has 1.000."
)
