"""Words that stand where there is no label."""

BY_PROGRAMS = ("None", "nan", "NaN", "null", "NULL", "undefined", "#N/A", "N/A", "error", "ERROR")
BY_PEOPLE = ("-", "--", "\u2013", "\u2014", "n/a", "na", "NA", "none", "NONE")  # none of the labels that are declared
MINUS_ONE = "-1"
NO_LABEL = frozenset((*BY_PROGRAMS, *BY_PEOPLE, MINUS_ONE))
