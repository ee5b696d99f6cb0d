"""What went wrong in an attempt, for people: one clause, with errno and address, never a bare "failed" (TW-RET-021)."""

from __future__ import annotations

from .certainty import Answer, Verdict, is_ours
from .error_shape import causes, code_of, members_of
from .gen.protocol import CAUSE_DEPTH, CONSTANTS, EVIDENCE, UNEXPLAINED
from .limits import REASON_LENGTH, TOLD_MEMBERS
from .transport import Exchange
from .wire import ProblemBody


def reason_of(exchange: Exchange, verdict: Verdict) -> str:
    """The clause of a fault's message."""
    if exchange.response is not None:
        return _answer_reason(exchange.response, verdict, exchange.error)
    if exchange.aborted:
        return "the call was aborted"
    if exchange.error is not None:
        return error_reason(exchange.error)
    return EVIDENCE[verdict.evidence or UNEXPLAINED].meaning


def last_of(exchange: Exchange, verdict: Verdict) -> str:
    """One word for a log line: an errno, an evidence name, the code or the status of an answer."""
    if exchange.response is not None:
        lost = "_body_lost" if exchange.response.body_lost else ""
        return verdict.code or f"http_{exchange.response.status}{lost}"
    error = None if exchange.aborted else _telling(exchange.error)
    code = None if error is None else code_of(error)
    return code or verdict.evidence or UNEXPLAINED


def problem_of(answer: Answer | None) -> ProblemBody | None:
    """The problem document of an answer of ours, if its body was read."""
    if answer is None or answer.body_lost or not is_ours(answer) or not isinstance(answer.body, dict):
        return None
    return answer.body if isinstance(answer.body.get("code"), str) else None


def _answer_reason(answer: Answer, verdict: Verdict, error: BaseException | None) -> str:
    if not is_ours(answer):
        return f"{answer.status} from something that is not Turnwire (no version, or no code of ours)"
    said = f"{answer.status} {verdict.code}" if verdict.code else f"{answer.status}"
    if answer.status < CONSTANTS.error_from_status:
        why = "cut, too slow, or not what was asked for" if error is None else error_reason(error)
        return _clip(f"{said}, but its body was not usable: {why}")
    detail = (problem_of(answer) or {}).get("detail")
    return _clip(f"{said}: {detail}" if isinstance(detail, str) and detail != "" else said)


def error_reason(error: BaseException) -> str:
    """The message of the error that says most: of a wrapper its cause, of a group each member. Never raises."""
    telling = _telling(error) or error
    members = [_message(_telling(each) or each) for each in (members_of(telling) or ())[:TOLD_MEMBERS]]
    said = ", ".join(dict.fromkeys(members)) or _message(telling)
    code = code_of(telling)
    return _clip(said if code is None or code in said else f"{said} ({code})")


def _telling(error: BaseException | None) -> BaseException | None:
    """The first level of an error that has a code or members, or the deepest one that says anything."""
    levels = list(causes(error, CAUSE_DEPTH))
    coded = (each for each in levels if code_of(each) is not None or members_of(each))
    return next(coded, None) or next((each for each in reversed(levels) if str(each) != ""), None)


def _message(error: BaseException) -> str:
    try:
        # OpenSSL's messages have line breaks, and a clause in the middle of a text has none.
        return " ".join(str(error).split()) or type(error).__name__
    except Exception:
        return type(error).__name__


def _clip(text: str) -> str:
    return f"{text[:REASON_LENGTH]}…" if len(text) > REASON_LENGTH else text
