"""What the tests of a comparison's conditions expect to read."""

SAME_ON_ONE = "the same on all 1 common items"
SAME_ON_ONE_SEEN = "the same on all 1 common items looked at"
ONE_OF_TWO_SEEN = "differ on 1 of 2 common items looked at (50.0 %)"
ALIKE = "exact_match (labels all common texts alike)"
HEAD = "Conditions (2 differ, 1 not recorded, 1 the same: --all)"
HEAD_OF_ALL = "Conditions (2 differ, 1 not recorded, 1 the same)"
OF_ONE_MODEL = (
    "One model; not the same: token limit (A 64, B 16). What is left of the gap comes from that, or from chance."
)
OF_TWO_MODELS = "Besides the model, not the same: token limit, shots. What is left of the gap may come from that."
SCORED_TWICE = "byte-equal on 100 % of 1 common trials: one run, two scorings"
