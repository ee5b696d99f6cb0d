"""What the adapter answers of the pure parts: classification, ladder, texts, receipts, as in the spec's vectors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .certainty import Answer, Verdict, classify
from .gen.protocol import TEXTS
from .gen.table import SeatPolicy
from .json_text import parsed
from .outcomes import outcome_text, render
from .receipt import read_delivery, receipt_outcome
from .retry import AttemptOutcome, Fences, RetryState, Stop, decide, retry_after_ms, rung_ms
from .wire import Receipt


def classified(given: Mapping[str, Any]) -> dict[str, Any]:
    """Judges evidence whose native error is JSON."""
    evidence = given.get("evidence") or {}
    response = evidence.get("response")
    error = evidence.get("error")
    verdict: Verdict = classify(
        kind=evidence.get("kind"),
        error=None if error is None else native(error),
        aborted=evidence.get("aborted") is True,
        response=None if response is None else _answer_of(response),
    )
    said = {"certainty": verdict.certainty, "taken": verdict.taken, "code": verdict.code, "evidence": verdict.evidence}
    permanent = {"permanent": True} if verdict.permanent else {}
    return {**{name: value for name, value in said.items() if value is not None}, **permanent}


def _answer_of(response: Mapping[str, Any]) -> Answer:
    return Answer(
        response["status"],
        response.get("headers") or {},
        body=response.get("body"),
        body_lost=response.get("bodyLost") is True,
    )


def native(json: Any) -> Any:
    """An error as ``spec/vectors/README.md`` writes it; ``{"$ref": "#/cause"}`` stands for the object at that place."""
    made: dict[str, Any] = {}

    def build(value: Any, at: str) -> Any:
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return made.get(value["$ref"])
        error = _class_of(value.get("name", "Exception"))(value.get("message", ""))
        made[at] = error
        if "code" in value:
            error.code = value["code"]
        if "exceptions" in value:
            members = value["exceptions"]
            error.exceptions = [build(each, f"{at}/exceptions/{index}") for index, each in enumerate(members)]
        cause = build(value.get("cause"), f"{at}/cause")
        error.__cause__ = cause if isinstance(cause, BaseException) else None
        return error

    return build(json, "#")


def _class_of(name: str | list[str]) -> Any:
    """A class of that name, and of those that it inherits from."""
    base: type[BaseException] = Exception
    for each in reversed([name] if isinstance(name, str) else name):
        base = type(each, (base,), {})
    return base


def delays(given: Mapping[str, Any]) -> dict[str, Any]:
    """The delays of successive re-sends, or the one of a single rung."""
    random = given["random"]
    if isinstance(random, list):
        return {"delaysMs": [rung_ms(at, partial(float, draw)) for at, draw in enumerate(random)]}
    policy = SeatPolicy("resend", "resend", (), given.get("leftMs"), 1)
    asked = retry_after_ms(given.get("retryAfter"), None, given.get("nowMs", 0))
    outcome = AttemptOutcome(Verdict("unknown"), retry_after_ms=asked)
    state = RetryState(0, given.get("rung", 0))
    decision = decide(policy, outcome, state, Fences(), now=0, random=lambda: float(random))
    return {"exhausted": True} if isinstance(decision, Stop) else {"delayMs": decision.delay_ms}


def text_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """A text of the spec with its values."""
    code, values = given.get("code"), given.get("values", {})
    return {"text": render(TEXTS[given["text"]], values) if code is None else outcome_text(code, values)}


def receipt_says(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the body of a 200 to a pick says, and what the model is told."""
    read = read_delivery(Answer(200, {}, parsed(given["body"])))
    if not isinstance(read, Receipt):
        return {"readable": False}
    outcome = receipt_outcome(read)
    said = {"answer": read.answer, "answerError": read.answer_error, "endedBy": read.ended_by}
    return {
        "readable": True,
        "moved": read.moved,
        "allowed": read.allowed,
        "turnComplete": read.turn_complete is True,
        "outcome": outcome,
        "text": outcome_text(outcome, {"event": given["event"], "allowed": read.allowed, **said}),
        **{name: value for name, value in said.items() if value is not None},
    }
