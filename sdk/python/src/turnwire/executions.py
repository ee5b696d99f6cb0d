"""Executions: calls of an agent of a node, and what became of every turn.

Every call here raises ``TurnwireFault`` with the code of a final answer, ``unreachable`` or ``aborted``, and ``ArgumentError``
naming the argument that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from .arguments import check_segment, check_text, check_wait, json_text, need
from .ask import Answered, ask, object_of, object_with
from .certainty import Answer
from .fault import TurnwireFault
from .gen.protocol import CONSTANTS, HEADERS
from .internals import CallOptions, Connection
from .keyed import is_replayed, key_header, page_of
from .request import request_of
from .retry import Fences
from .wire import ExecutionAccepted, ExecutionRecord, ExecutionResult, JsonValue, Page, model_of

_Outcome = Union[ExecutionResult, ExecutionAccepted]


@dataclass(frozen=True)
class Executed:
    """What came of a call so far."""

    execution: _Outcome
    """``ExecutionResult`` when it succeeded; any other goes on, and is read with ``read_execution``."""
    replayed: bool
    """The key was known: it is an earlier copy's."""


async def execute(
    connection: Connection,
    *,
    target: str,
    input: JsonValue,
    timeout_seconds: float | None = None,
    usage_context: str | None = None,
    wait_seconds: int | None = None,
    key: str | None = None,
    options: CallOptions | None = None,
) -> Executed:
    """Calls an agent of a node (seat ``start_execution``, 30 s; TW-EXE-001, TW-EXE-002).

    :param target: ``node.agent``.
    :param timeout_seconds: How long the execution may take.
    :param wait_seconds: How long the answer may wait, in seconds (0–25, 25 when it is not given).
    :param key: ``Idempotency-Key``; minted when it is not given, so that it can be sent again. Keep it to ask for the same
        execution later.
    :raises TurnwireFault: ``target_not_found`` with ``problem["agents"]``, and ``node_unavailable``: there is no record
        (TW-EXE-004, TW-EXE-007); ``execution_failed`` and ``execution_timed_out`` with ``problem["category"]`` and
        ``problem["executionId"]``; ``invalid``; ``idempotency_mismatch``.
    """
    check_text(target, "target")
    if wait_seconds is not None:
        check_wait(wait_seconds, CONSTANTS.poll_wait_seconds, "wait_seconds")
    optional = {"timeoutSeconds": timeout_seconds, "usageContext": usage_context}
    given = {name: value for name, value in optional.items() if value is not None}
    headers = {**key_header(key), HEADERS.prefer: _prefer(wait_seconds)}
    body = json_text({"target": target, "input": input, **given}, "input")
    request = request_of(connection, "startExecution", headers=headers, body=body, options=options)
    fences = Fences(same_key=True)
    asked: Answered[_Outcome] = await ask(
        connection, "start_execution", "startExecution", request, _executed, fences=fences, options=options
    )
    return Executed(asked.value, is_replayed(asked.answer))


async def read_execution(
    connection: Connection, *, execution_id: str, wait_seconds: int = 0, options: CallOptions | None = None
) -> ExecutionRecord:
    """Shows one execution (seat ``execution``, 30 s and the wait).

    As soon as it has ended, or after ``wait_seconds`` (0–25) as it is then (TW-EXE-024). Fault ``unknown_execution``.
    """
    check_segment(execution_id, "execution_id")
    check_wait(wait_seconds, CONSTANTS.poll_wait_seconds, "wait_seconds")
    path, query = {"executionId": execution_id}, {"wait": wait_seconds}
    request = request_of(connection, "readExecution", path=path, query=query, options=options)
    decode = object_with(ExecutionRecord, "executionId", "status")
    poll_ms = wait_seconds * 1000
    asked = await ask(connection, "execution", "readExecution", request, decode, poll_ms=poll_ms, options=options)
    return asked.value


async def list_executions(
    connection: Connection,
    *,
    status: str | None = None,
    target: str | None = None,
    node: str | None = None,
    agent: str | None = None,
    run_id: str | None = None,
    usage_context: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
    options: CallOptions | None = None,
) -> Page[ExecutionRecord]:
    """Lists executions, newest first, of runs and of calls alike (seat ``executions``, 30 s; TW-EXE-025).

    :param target: ``node.agent`` of a call. :param node: The node or the placement.
    :param limit: A number of executions. :param cursor: A page's ``next_cursor``.
    """
    need(limit is None or limit > 0, "limit", "a whole number above 0")
    query = {
        **{"status": status, "target": target, "node": node, "agent": agent},
        **{"runId": run_id, "usageContext": usage_context, "limit": limit, "cursor": cursor},
    }
    request = request_of(connection, "listExecutions", query=query, options=options)
    decode = page_of(ExecutionRecord)
    return (await ask(connection, "executions", "listExecutions", request, decode, options=options)).value


async def cancel_execution(
    connection: Connection, *, execution_id: str, reason: str | None = None, options: CallOptions | None = None
) -> None:
    """Cancels an execution (seat ``cancel_execution``, 30 s). When an earlier copy of this call did it, that is success too.

    :raises TurnwireFault: ``already_ended``, ``unknown_execution``.
    """
    check_segment(execution_id, "execution_id")
    if reason is not None:
        check_text(reason, "reason")
    body = json_text({} if reason is None else {"reason": reason}, "reason")
    path = {"executionId": execution_id}
    request = request_of(connection, "cancelExecution", path=path, body=body, options=options)
    try:
        await ask(connection, "cancel_execution", "cancelExecution", request, object_of, options=options)
    except TurnwireFault as fault:
        if fault.code != "already_ended" or fault.attempts == 1:
            raise
        if (await read_execution(connection, execution_id=execution_id, options=options)).status != "cancelled":
            raise


async def replay_execution(
    connection: Connection,
    *,
    execution_id: str,
    reuse: Literal["succeeded"] | None = None,
    key: str | None = None,
    options: CallOptions | None = None,
) -> Executed:
    """Runs an execution again (seat ``replay_execution``, 30 s), as a new one that names it in ``replay_of``.

    :param reuse: One that succeeded is answered from its record, and its node is not contacted (TW-EXE-032).
    :param key: ``Idempotency-Key``; minted when it is not given.
    :raises TurnwireFault: ``unknown_execution``, ``target_not_found``, ``node_unavailable``, ``invalid``, ``idempotency_mismatch``.
    """
    check_segment(execution_id, "execution_id")
    body = json_text({} if reuse is None else {"reuse": reuse}, "reuse")
    path = {"executionId": execution_id}
    request = request_of(connection, "replayExecution", path=path, headers=key_header(key), body=body, options=options)
    fences = Fences(same_key=True)
    asked: Answered[_Outcome] = await ask(
        connection, "replay_execution", "replayExecution", request, _executed, fences=fences, options=options
    )
    return Executed(asked.value, is_replayed(asked.answer))


def _prefer(wait_seconds: int | None) -> str | None:
    """25 s is the default and needs no word."""
    if wait_seconds is None:
        return None
    return "respond-async" if wait_seconds == 0 else f"wait={wait_seconds}"


def _executed(answer: Answer) -> _Outcome | None:
    """A success without a result is no answer."""
    body = object_of(answer)
    if body is None or not isinstance(body.get("executionId"), str) or not isinstance(body.get("status"), str):
        return None
    if body["status"] != "succeeded":
        return model_of(ExecutionAccepted, body)
    return model_of(ExecutionResult, body) if "result" in body else None
