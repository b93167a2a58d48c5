"""What the tests of a comparison's conditions expect to read."""

SAME_ON_ONE = "the same on all 1 common items"
SAME_ON_ONE_SEEN = "the same on all 1 common items looked at"
ONE_OF_TWO_SEEN = "differ on 1 of 2 common items looked at (50.0 %)"
ALIKE = "exact_match (labels all common texts alike)"
HEAD = "Conditions (2 differ, 1 not recorded, 1 the same: --all)"
HEAD_OF_ALL = "Conditions (2 differ, 1 not recorded, 1 the same)"
OF_ONE_MODEL = (
    "limit (64, 16): not the same on both sides; what is left of the gap is theirs, or chance: the model is the same."
)
OF_TWO_MODELS = "limit, shots: not the same on both sides; what is left of the gap may be theirs, not the model's."
SCORED_TWICE = "byte-equal on 100 % of 1 common trials: one run, two scorings"
