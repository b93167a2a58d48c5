"""The names that tables of judgements often have for the item, the rater and the label."""

from __future__ import annotations

RATERS = (
    "rater", "rater_id", "rater_name", "annotator", "annotator_id", "annotator_name", "annotation_agent", "coder",
    "coder_id", "judge", "judge_id", "judge_name", "judge_model", "grader", "grader_id", "reviewer", "reviewer_id",
    "evaluator", "evaluator_id", "labeler", "labeller", "labeler_id", "assessor", "assessor_id", "worker", "worker_id",
    "participant", "participant_id", "expert", "completed_by", "created_by", "user", "user_id", "username",
    "session_id",
)  # fmt: skip
ITEMS = (
    "item", "item_id", "qid", "question_id", "task_id", "unit_id", "text_id", "example_id", "sample_id", "doc_id",
    "document_id", "summary_id", "prompt_id", "hit_id", "id", "input_hash", "task_hash", "uid", "index", "idx",
    "record_id", "unit", "case", "key", "question", "prompt", "text",
)  # fmt: skip
JUDGED = (
    "label", "labels", "rating", "annotation", "judgment", "judgement", "verdict", "winner", "preference", "grade",
    "choice", "vote", "accept", "category", "class", "sentiment", "score", "value", "answer", "code", "decision",
)  # fmt: skip
FURTHER = ("turn", "model", "model_a", "model_b", "model_1", "model_2", "aspect", "criterion", "metric", "dimension")
REFERENCES = ("gold", "human", "expert", "reference", "truth", "ground_truth", "adjudicated", "auditor")  # of raters
RATER_WORDS = frozenset(
    (
        "rater", "annotator", "coder", "judge", "human", "gpt", "gpt4", "claude", "gemini", "llama", "llm", "expert",
        "gold", "reviewer", "grader", "labeler", "worker", "model", "winner", "vote", "auto", "manual", "reference",
    )
)  # fmt: skip
OTHER_WORDS = frozenset(
    (
        "count", "num", "number", "total", "sum", "price", "sales", "amount", "quantity", "qty", "units", "year",
        "month", "day", "hour", "age", "is", "has", "q", "week", "cat", "n", "size", "stock", "goals", "points",
    )
)  # fmt: skip
MACHINES = frozenset(  # words of a rater's name that tell a machine
    (
        "gpt", "chatgpt", "claude", "llm", "judge", "model", "llama", "gemini", "gemma", "mistral", "mixtral", "qwen",
        "deepseek", "grok", "haiku", "sonnet", "opus", "phi", "bot", "ai", "openai", "anthropic",
    )
)  # fmt: skip
NO_PERSON = frozenset(  # of a name that tells neither: a truth, a vote, or a score by rule
    (
        "gold", "reference", "truth", "target", "label", "correct", "majority", "consensus", "final", "adjudicated",
        "vote", "winner", "auto", "automatic", "system", "baseline", "metric", "score", "match", "exact", "em",
        "f", "bleu", "rouge", "rule", "parser", "regex", "includes", "test", "tests", "plus",
    )
)  # fmt: skip
