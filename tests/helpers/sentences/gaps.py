"""Sentences of a comparison of two logs."""

ONE_RUN_TWO_SCORINGS = "One run, two scorings: all of the 6.7 points is the rule."
NOT_ONE_EXAM = "Not one exam: 132 questions only in A, 36 of 1,187 common items have another truth (3.0 %)."
THE_PARTS_CANCEL = "The parts cancel: scoring -6.4, cut off +5.9, truths +1.7; the gap of 2.1 tells little."
PARTLY_NOT_THE_MODELS = "THE GAP IS PARTLY NOT THE MODEL'S"
TWO_OF_THREE_TIE = "2 of 3 tie for the lead (A, C); 2 of 3 pairs differ beyond chance (Holm)."
GAP_BETWEEN_A_AND_C = "╭ What the gap of +0.32 points between A and C is made of"
