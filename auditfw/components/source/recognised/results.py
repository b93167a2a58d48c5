"""Results of harnesses that shipped mappings read: OpenCompass, evalplus, openai/evals."""

from __future__ import annotations

from auditfw.components.files.columns.addresses import dig
from auditfw.components.files.looks.words import path_words
from auditfw.kinds.first_look import Looks, Recognised

EVENTS = {"run_id", "event_id", "type", "data"}
MATCH = "match"


def proposes(looks: Looks) -> Recognised | None:
    """One file of results."""
    if len(looks) != 1:
        return None
    [look] = looks
    columns = set(look.columns)
    path = path_words("source.path", looks)
    if look.records_at == "eval.*" and columns >= {"base_status", "plus_status"}:
        labels = ("audit.labels=[pass,fail,timeout]", "audit.acceptable=[pass]", "audit.reference=plus")
        more = ("policy=[]", "gate=[agreement,kappa,coverage,joins]")
        return Recognised("results of evalplus", ("experiment=cross_agent", "source=evalplus", path, *labels, *more))
    matches = [row for row in look.records if _is_match(row)] if look.format == "jsonl" and columns >= EVENTS else []
    if matches:
        truths = [dig(row, ("data", "expected")) for row in matches]
        rule = ("scorer=[openai_evals_match]", "audit.baseline=openai_evals_match")  # another one is searched
        return Recognised("events of openai/evals", ("source=openai_evals", path), truths=truths, then=rule)
    if look.records_at == "details.*" and columns >= {"predictions", "references"}:
        truths = [row.get("references") for row in look.records]
        stored = "audit.baseline=search" if "correct" in columns else "~source.columns.stored"
        return Recognised("results of OpenCompass", ("source=opencompass", path), truths=truths, then=(stored,))
    if look.records_at == "*" and columns >= {"origin_prompt", "prediction"}:
        return Recognised("predictions of OpenCompass", guess=True, then=("audit.baseline=null",))
    return None


def _is_match(row: object) -> bool:
    return isinstance(row, dict) and row.get("type") == MATCH and isinstance(row.get("data"), dict)
