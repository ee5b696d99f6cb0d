"""Workflows, runs and gates, with the instance token.

Every call here raises ``TurnwireFault`` with the code of a final answer, ``unreachable`` or ``aborted``, and ``ArgumentError``
naming the argument that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arguments import check_segment, check_text, json_text, need
from .ask import ask, object_of, object_with
from .certainty import Answer
from .fault import TurnwireFault
from .internals import CallOptions, Connection
from .keyed import is_replayed, key_header, page_of
from .request import request_of
from .retry import Fences
from .wire import JsonValue, Page, RunView, WorkflowView


async def list_workflows(connection: Connection, *, options: CallOptions | None = None) -> Page[WorkflowView]:
    """Lists the workflows that the Orchestrator loaded, refused ones with their findings (seat ``workflows``, 30 s; TW-RUN-007)."""
    request = request_of(connection, "listWorkflows", options=options)
    return (await ask(connection, "workflows", "listWorkflows", request, page_of(WorkflowView), options=options)).value


async def get_workflow(connection: Connection, *, name: str, options: CallOptions | None = None) -> WorkflowView:
    """Shows one workflow (seat ``workflows``, 30 s). Fault ``unknown_workflow``."""
    check_segment(name, "name")
    request = request_of(connection, "getWorkflow", path={"name": name}, options=options)
    decode = object_with(WorkflowView, "name")
    return (await ask(connection, "workflows", "getWorkflow", request, decode, options=options)).value


@dataclass(frozen=True)
class Started:
    """A run that was started."""

    run_id: str
    replayed: bool
    """The key was known: an earlier copy started it."""


async def start_run(
    connection: Connection,
    *,
    workflow: str,
    input: JsonValue,
    key: str | None = None,
    options: CallOptions | None = None,
) -> Started:
    """Starts a run (seat ``start_run``, 30 s); when it returns the run is committed (TW-RUN-001).

    :param key: ``Idempotency-Key``; minted when it is not given, so that it can be sent again (TW-RET-016). Keep it to repeat
        the call later.
    :raises TurnwireFault: ``unknown_workflow``; ``invalid`` with ``problem["problems"]``; ``workflow_refused`` with
        ``problem["findings"]``; ``idempotency_mismatch``.
    """
    check_segment(workflow, "workflow")
    request = request_of(
        connection,
        "startRun",
        path={"name": workflow},
        headers=key_header(key),
        body=json_text({"input": input}, "input"),
        options=options,
    )
    fences = Fences(same_key=True)
    asked = await ask(connection, "start_run", "startRun", request, _run_id_of, fences=fences, options=options)
    return Started(asked.value, is_replayed(asked.answer))


async def list_runs(
    connection: Connection,
    *,
    workflow: str | None = None,
    status: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
    options: CallOptions | None = None,
) -> Page[RunView]:
    """Lists runs, newest first (seat ``runs``, 30 s); ``limit`` is a number of runs, ``cursor`` a page's ``next_cursor``."""
    need(limit is None or limit > 0, "limit", "a whole number above 0")
    query = {"workflow": workflow, "status": status, "limit": limit, "cursor": cursor}
    request = request_of(connection, "listRuns", query=query, options=options)
    return (await ask(connection, "runs", "listRuns", request, page_of(RunView), options=options)).value


async def get_run(connection: Connection, *, run_id: str, options: CallOptions | None = None) -> RunView:
    """Shows one run, committed state only (seat ``runs``, 30 s; TW-RUN-006). Fault ``unknown_run``."""
    check_segment(run_id, "run_id")
    request = request_of(connection, "getRun", path={"runId": run_id}, options=options)
    decode = object_with(RunView, "runId", "status")
    return (await ask(connection, "runs", "getRun", request, decode, options=options)).value


@dataclass(frozen=True)
class GateAnswered:
    """An outside decision that was taken."""

    moved: bool
    """A transition was taken."""
    replayed: bool
    """The key was known: an earlier copy was answered."""


async def answer_gate(
    connection: Connection,
    *,
    run_id: str,
    gate: str,
    event: str,
    input: JsonValue,
    key: str | None = None,
    options: CallOptions | None = None,
) -> GateAnswered:
    """Answers a gate (seat ``gate_event``, 30 s); when it returns the answer is committed (TW-GAT-008).

    :param gate: The gate's name, or the ``gate_id`` of this visit, so that a stale answer never lands in the next one
        (TW-GAT-006).
    :param key: ``Idempotency-Key``; minted when it is not given.
    :raises TurnwireFault: ``gate_closed`` with ``problem["openGates"]``; ``refused`` with ``problem["problems"]`` and
        ``problem["accepts"]``; ``unknown_run``; ``run_unavailable``.
    """
    check_segment(run_id, "run_id")
    check_segment(gate, "gate")
    check_text(event, "event")
    request = request_of(
        connection,
        "answerGate",
        path={"runId": run_id, "gate": gate},
        headers=key_header(key),
        body=json_text({"event": event, "input": input}, "input"),
        options=options,
    )
    fences = Fences(same_key=True)
    asked = await ask(connection, "gate_event", "answerGate", request, _moved_of, fences=fences, options=options)
    return GateAnswered(asked.value == "moved", is_replayed(asked.answer))


async def cancel_run(
    connection: Connection, *, run_id: str, reason: str | None = None, options: CallOptions | None = None
) -> None:
    """Cancels a run (seat ``cancel_run``, 30 s). When an earlier copy of this call did it, that is success too.

    :raises TurnwireFault: ``already_ended``, ``unknown_run``.
    """
    check_segment(run_id, "run_id")
    if reason is not None:
        check_text(reason, "reason")
    body = json_text({} if reason is None else {"reason": reason}, "reason")
    request = request_of(connection, "cancelRun", path={"runId": run_id}, body=body, options=options)
    try:
        await ask(connection, "cancel_run", "cancelRun", request, object_of, options=options)
    except TurnwireFault as fault:
        if fault.code != "already_ended" or fault.attempts == 1:
            raise
        if (await get_run(connection, run_id=run_id, options=options)).status != "cancelled":
            raise


def _run_id_of(answer: Answer) -> str | None:
    run_id = (object_of(answer) or {}).get("runId")
    return run_id if isinstance(run_id, str) else None


def _moved_of(answer: Answer) -> str | None:
    moved = (object_of(answer) or {}).get("moved")
    return ("moved" if moved else "not moved") if isinstance(moved, bool) else None
