"""The arbitration policies of a run, each checked against its raters and labels."""

from __future__ import annotations

from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.judgements import Policy

from .decisions import FINAL, doubtful_finals
from .settings import ConsistencySettings


def checked_policies(audit: ConsistencySettings, raters: tuple[str, ...]) -> tuple[dict[str, Policy], list[str]]:
    """The policies of this run, each checked, and warnings on those left out. Raises UsageError."""
    kept: dict[str, Policy] = {}
    warnings = []
    labels = audit.named_labels
    for name, policy in audit.policies.items():
        compared = capability(policy, "labels", ())
        if compared and not set(compared) & set(labels):
            message = f"policy {name} is for other labels ({', '.join(compared)}) and is left out"
            warnings.append(f"{message}; choose others with policy=[...]")
            continue
        try:
            policy.check(raters, labels, audit.reference if audit.reference in raters else raters[-1])
        except UsageError as error:
            where = f"audit.policies.{name}.{error.where}".rstrip(".")
            raise UsageError(where, error.what, error.found, error.do) from None
        kept[name] = policy
        warnings += doubtful_finals(name, policy, labels, tuple(map(str, audit.acceptable)))
    if audit.reference.startswith(f"{FINAL}.") and audit.reference.removeprefix(f"{FINAL}.") not in kept:
        what = f"no policy '{audit.reference.removeprefix(f'{FINAL}.')}' in this run"
        raise UsageError("audit.reference", what, None, nearest(audit.reference, [f"{FINAL}.{name}" for name in kept]))
    return kept, warnings
