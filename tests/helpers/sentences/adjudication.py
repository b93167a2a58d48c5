"""Every sentence of the adjudication that a test pins, by the file that pins it first."""

# audits/adjudication/test_answer.py
CONFIRMED = "People confirm stored: 40.0 % wrong [39.2, 41.1] by 405 labels, 40.0 % by stored."
OFF = "People call 36.0 % wrong, stored 40.0 %: off by 4.0 points (100 labels)."
OFF_THE_OTHER_WAY = "People call 44.0 % wrong, stored 40.0 %: off by 4.0 points (100 labels)."
FAR_OFF = "People call 20.0 % wrong, stored 40.0 %: off by 20.0 points (100 labels)."
SAYS_LITTLE = (
    "Labels of stored say little: right are 50 % of those it calls right and 50 % of those it calls wrong (100 labels)."
)
MAY_SAY_LITTLE = (
    "Labels of stored may say little: right are 63 % of those it calls right and 37 % of those it calls wrong (420 "
    "labels)."
)
BETTER = "v1 agrees with people on 100.0 %, stored on 88.9: where they differ v1 is right on 10 of 10."
TURNED = "People turn the order of b and a: b is better by 4.0 points, under stored a by 4.0 (200 labels)."
FEW = "People call 40.0 % wrong [23.0, 57.0]: 14 labels are too few."
TOO_FEW = "Only 8 labels are there: too few to say what people call wrong."
WIDE = "People call 41.0 % wrong [34.7, 48.1], stored 40.0 %: 90 labels cannot tell whether stored is off by 5 points."
READ_THE_FOUR = "Read the 4 answers that stored calls wrong and people right in report.html"
READ_THE_OTHER_FOUR = "Read the 4 answers that stored calls right and people wrong in report.html"
MORE_LABELS = "About 64 more labels would make it ± 5 points: auditfw label run n=64"
FALSE_LABELS = (
    "Of the answers that stored calls right 10.0 % are wrong [4.3, 21.0]; of those it calls wrong 12.5 % are right "
    "[5.5, 25.5]."
)
BEST = (
    "v1 agrees best with people, on 100.0 %: it is right on 10 of 10 labels where it differs from stored, at 10 "
    "questions (p = 0.0020)."
)
UNDECIDED = "8 trials are undecided: the intervals count them as right and as wrong."
COMPARE_WITH_IT = "Compare with it: auditfw rerun run audit.reference=v1"
SCOPE = "250 labels of 1,000 trials by 1 person."
