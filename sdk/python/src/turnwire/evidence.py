"""Native error → evidence, by the generated rules (TW-CER-003 … TW-CER-009, TW-CER-016, TW-CER-017).

Works for the errors of httpx and httpcore in every flavour of theirs (asyncio, anyio, blocking) and of the sockets below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from .error_shape import cause_of, code_of, members_of, names_of
from .gen.protocol import CAUSE_DEPTH, EVIDENCE, NATIVE, UNEXPLAINED, EvidenceName
from .gen.table import NativeRule
from .limits import ERROR_MEMBERS


@dataclass
class _Budget:
    """How much of a graph of errors may still be walked."""

    members: int


def python_evidence(error: object) -> EvidenceName:
    """The evidence that an error is.

    :param error: Anything that was raised; wrappers, groups and cycles are tolerated.
    :returns: A name of ``gen.protocol.EVIDENCE``; ``UNEXPLAINED`` when nothing in the error is evidence. Never raises.
    """
    return _walk(error, 1, frozenset(), (), _Budget(ERROR_MEMBERS))


def _walk(
    error: object, first_level: int, seen: frozenset[int], within: tuple[str, ...], budget: _Budget
) -> EvidenceName:
    """From the outside in, at most ``CAUSE_DEPTH`` levels; the first that is evidence decides (TW-CER-016)."""
    for level in range(first_level, CAUSE_DEPTH + 1):
        if not isinstance(error, BaseException) or id(error) in seen:
            break
        seen = seen | {id(error)}
        members = members_of(error)
        if members is not None:
            return _of_group(members, level + 1, seen, within, budget)
        names = names_of(error)
        rule = _rule_for(names, code_of(error), within)
        if rule is not None:
            return cast(EvidenceName, rule.evidence)
        within = within + names
        error = cause_of(error)
    return UNEXPLAINED


def _of_group(
    members: tuple[BaseException, ...], level: int, seen: frozenset[int], within: tuple[str, ...], budget: _Budget
) -> EvidenceName:
    """Proof only if it has members and every one is proof; it ends the walk (TW-CER-017)."""
    proof: EvidenceName | None = None
    for member in members:
        budget.members -= 1
        if budget.members < 0:
            return UNEXPLAINED
        # Each member sees its own path only: one object that stands in two members is no cycle.
        evidence = _walk(member, level, seen, within, budget)
        if EVIDENCE[evidence].certainty != "never_delivered":
            return UNEXPLAINED
        # One member that a re-send can change is enough for a re-send to make sense.
        if proof is None or not EVIDENCE[evidence].permanent:
            proof = evidence
    return UNEXPLAINED if proof is None else proof


def _rule_for(names: tuple[str, ...], code: str | None, within: tuple[str, ...]) -> NativeRule | None:
    return next((rule for rule in NATIVE if _matches(rule, names, code, within)), None)


def _matches(rule: NativeRule, names: tuple[str, ...], code: str | None, within: tuple[str, ...]) -> bool:
    if rule.code is not None and not any(_code_matches(pattern, code) for pattern in rule.code):
        return False
    if rule.name is not None and not any(name in names for name in rule.name):
        return False
    return rule.within is None or any(name in within for name in rule.within)


def _code_matches(pattern: str, code: str | None) -> bool:
    """``*`` stands for any run of characters; the whole code is matched, in its own case."""
    if code is None:
        return False
    first, *rest = pattern.split("*")
    if not rest:
        return code == pattern
    last = rest.pop()
    if len(code) < len(first) + len(last) or not code.startswith(first) or not code.endswith(last):
        return False
    middle = code[len(first) : len(code) - len(last)]
    for part in rest:
        at = middle.find(part)
        if at < 0:
            return False
        middle = middle[at + len(part) :]
    return True
