"""What is proved about a request (TW-CER-001 … TW-CER-017).

Evidence, the answer as far as it came, and whether the caller aborted → certainty, by the generated tables. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from .evidence import python_evidence
from .gen.protocol import (
    AFTER_ABORT,
    ANSWERS,
    CONSTANTS,
    EVIDENCE,
    HEADERS,
    PROBLEM_CODES,
    UNEXPLAINED,
    EvidenceName,
)
from .gen.table import AnswerRule, Certainty
from .json_text import parsed


@dataclass(frozen=True)
class Answer:
    """An answer as far as it came."""

    status: int
    headers: Mapping[str, str | Sequence[str]]
    """Names in any case; one that came more than once has a list."""
    body: object = None
    """A JSON value, or the text of the body. None: it was not read, was lost, or there was none."""
    body_lost: bool = False
    """The status line came and the body did not, or not whole."""


@dataclass(frozen=True)
class Verdict:
    """The judgement of one attempt."""

    certainty: Certainty
    taken: bool | None = None
    """Whether the request had its effect; None: it is not known."""
    permanent: bool = False
    """A re-send cannot change it (TW-CER-006)."""
    code: str | None = None
    """The problem code of an answer of ours."""
    evidence: EvidenceName | None = None
    """The evidence that decided, where no answer did."""


def classify(
    *, kind: str | None = None, error: object = None, aborted: bool = False, response: Answer | None = None
) -> Verdict:
    """Judges one attempt. Never raises; doubt is ``unknown``.

    :param kind: The evidence, where it is known by name already.
    :param error: The native error, where there was one: of httpx, httpcore, asyncio, or an ``OSError``.
    :param aborted: The caller had aborted the call.
    :param response: The answer, as far as it came; it decides before everything else.
    """
    if response is not None:
        return _of_answer(response)
    if aborted is True:
        # TW-CER-012: nobody looked how far it had come.
        return _of_evidence(AFTER_ABORT)
    return _of_evidence(python_evidence(error) if kind is None else kind)


def _of_evidence(name: str) -> Verdict:
    row = EVIDENCE.get(name)
    if row is None:
        return Verdict("unknown", evidence=UNEXPLAINED)
    evidence = cast(EvidenceName, name)
    if row.certainty == "unknown":
        return Verdict("unknown", evidence=evidence)
    return Verdict(row.certainty, taken=False, permanent=row.permanent, evidence=evidence)


def _of_answer(answer: Answer) -> Verdict:
    ours = is_ours(answer)
    code = _code_of(answer) if ours else None
    rule = next((row for row in ANSWERS if _answer_matches(row, answer, ours, code)), None)
    if rule is None:
        return Verdict("unknown", code=code)
    taken = False if rule.taken is None and rule.certainty == "never_delivered" else rule.taken
    return Verdict(rule.certainty, taken=taken, code=code)


def _answer_matches(rule: AnswerRule, answer: Answer, ours: bool, code: str | None) -> bool:
    if rule.ours != ours:
        return False
    if rule.status is not None and not rule.status[0] <= answer.status <= rule.status[1]:
        return False
    if rule.codes is not None and code not in rule.codes:
        return False
    if rule.mark is not None and header_of(answer, HEADERS.custodian) != rule.mark:
        return False
    return rule.only_flags is None or _flags_are_only(answer, rule.only_flags)


def _flags_are_only(answer: Answer, proving: Sequence[str]) -> bool:
    """The custodian's flags, compared exactly; none, or unreadable ones, prove nothing (TW-CER-015)."""
    flags = _member(_body_of(answer), "flags")
    return isinstance(flags, list) and len(flags) > 0 and all(flag in proving for flag in flags)


def is_ours(answer: Answer) -> bool:
    """Whose answer it is (TW-CER-001).

    Ours carries the version and, when it is an error, a code of the spec, in the header and in the body where that can be
    read. Ingresses, meshes and proxies answer too, and theirs prove nothing (TW-CER-002).
    """
    if not header_of(answer, HEADERS.version):
        return False
    if answer.status < CONSTANTS.error_from_status:
        return True
    return header_of(answer, HEADERS.code) in PROBLEM_CODES and _code_of(answer) in PROBLEM_CODES


def _code_of(answer: Answer) -> str | None:
    """What an error answer says: its body, or the header where that is lost or cannot be read (TW-CER-011)."""
    header = header_of(answer, HEADERS.code) or None
    body = _body_of(answer) if answer.status >= CONSTANTS.error_from_status else None
    if body is None:
        return header
    code = _member(body, "code")
    return code if isinstance(code, str) else None


def header_of(answer: Answer, name: str) -> str | None:
    """A header by its lower-case name; a repeated one is joined, so that it equals no single value."""
    value = answer.headers.get(name)
    if value is None:
        value = next((each for key, each in answer.headers.items() if key.lower() == name), None)
    if value is None or isinstance(value, str):
        return value
    return ", ".join(value)


def _body_of(answer: Answer) -> object:
    """The body as a JSON value; None when it is lost or not JSON."""
    if answer.body_lost:
        return None
    if not isinstance(answer.body, str):
        return answer.body
    value = parsed(answer.body)
    return None if value is answer.body else value


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None
