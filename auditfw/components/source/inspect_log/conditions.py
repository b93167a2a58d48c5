"""What a log of Inspect AI was made under, by its head and the messages of its first samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.components.files.logs.conditions import MOST_PROMPTS, prompt_text, scorer_of, system_of
from auditfw.components.files.logs.converted import objects
from auditfw.kinds.evidence import LogConditions, ScorerRule

from .decoding import part_of
from .rows import LogStart, RowReader
from .samples import LogSample, SampleRules


def conditions_of_log(
    head: Mapping[str, Any], start: LogStart, rules: SampleRules, scorer: ScorerRule | None
) -> LogConditions:
    """The conditions of a log, with the whole prompts of its first samples."""
    reader = RowReader(rules, frozenset())
    prompts: dict[str, Any] = {}
    for text in start.texts:
        item, messages = reader.opened(text, _prompt)
        if messages and len(prompts) < MOST_PROMPTS:
            prompts.setdefault(item, messages)
    options = {} if scorer is None else {k: v for k, v in scorer.options.items() if k != "model"}
    own = None if scorer is None else scorer_of([scorer._replace(options=options)])
    system = system_of(prompts.values())
    whole = {name: prompt for name, one in prompts.items() if (prompt := prompt_text(one)) is not None}
    return LogConditions({**head, "scorer": own, "system text": system}, whole)


def _prompt(sample: LogSample) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """The item of a sample, and the messages before the first that the model wrote itself."""
    asked = part_of(sample.decoded.input)
    messages = objects(part_of(sample.decoded.messages))
    before = len(asked) if isinstance(asked, list) else 0
    own = next((i for i, one in enumerate(messages) if one.get("role") == "assistant" and i >= before), len(messages))
    return f"{sample.rules.item_prefix}{sample.decoded.id}", [
        {**one, "content": sample.resolved("question", one.get("content"))} for one in messages[:own]
    ]
