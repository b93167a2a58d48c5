"""The shipped sample of the parsing audit by question: what the readings of `experiment=answer_parsing` change.

Counted from `trials.parquet` of that run, its ids joined with the column `question` of the three
`behavioral_t*.csv`: 20 questions with a truth, in the order of their text, 54 trials of each.
"""

from __future__ import annotations

TRIALS = [54] * 20
WRONG = [6, 28, 38, 19, 7, 15, 8, 12, 21, 4, 8, 6, 7, 5, 5, 24, 9, 32, 6, 7]  # of the stored labels: 267 of 1,080
CHANGES = {  # to right less to wrong, of each question
    "stored+v2": [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 15, 0, 0, 0, 0],
    "answer_v2+v1": [0, -1, 0, -1, -3, -1, -1, -1, -1, 0, -1, 0, 0, -2, 0, -8, -1, 0, -1, -1],
    "answer_v2+v2": [0, -1, 0, -1, 0, -1, -1, -1, -1, 0, -1, 0, 0, -2, 1, 15, -1, 0, -1, -1],
}
