"""Every operation × every documented status and example: decoded, and judged as the documents say (TW-RET-001)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from peer import Reply, Script, peer_of, problem
from pydantic import BaseModel, TypeAdapter

from turnwire import AsyncClient, CallOptions, Delivered, TurnwireFault
from turnwire.gen import types
from turnwire.gen.protocol import OPERATIONS, OUTCOMES

SPEC = Path(__file__).parents[3] / "spec/gen"

SEATS: dict[str, tuple[str, dict[str, Any]]] = {
    "getHarnessInfo": ("harness_info", {}),
    "admit": ("admit", {"name": "a", "iid": "i", "key": "k", "body": {"message": "m"}}),
    "abortConversation": ("abort", {"name": "a", "iid": "i"}),
    "headConversation": ("stream_tail", {"name": "a", "iid": "i"}),
    "getHealth": ("health", {}),
    "getReadiness": ("readiness", {}),
    "getMetrics": ("metrics", {}),
    "readSurface": ("surface", {"iid": "i", "etag": '"1"'}),
    "pick": ("deliver", {"iid": "i", "turn_id": "t", "event": "e", "input": {}}),
    "readDelivery": ("poll", {"iid": "i", "delivery_id": "d"}),
    "listWorkflows": ("list_workflows", {}),
    "getWorkflow": ("get_workflow", {"name": "w"}),
    "startRun": ("start_run", {"workflow": "w", "input": {}}),
    "listRuns": ("list_runs", {}),
    "getRun": ("get_run", {"run_id": "r"}),
    "answerGate": ("answer_gate", {"run_id": "r", "gate": "g", "event": "e", "input": {}}),
    "cancelRun": ("cancel_run", {"run_id": "r"}),
    "getOrchestratorInfo": ("orchestrator_info", {}),
    "registerNode": (
        "register_node",
        {
            **{"node_id": "n", "instance_id": "i", "base_url": "http://h", "deployment": "resident", "agents": []},
            "capabilities": {},
        },
    ),
    "heartbeatNode": ("heartbeat", {"node_id": "n", "instance_id": "i", "lifecycle": "ready"}),
    "listNodes": ("list_nodes", {}),
    "readNode": ("read_node", {"node_id": "n"}),
    "removeNode": ("remove_node", {"node_id": "n"}),
    "startExecution": ("execute", {"target": "n.a", "input": 1, "wait_seconds": 0}),
    "readExecution": ("read_execution", {"execution_id": "e", "wait_seconds": 1}),
    "listExecutions": ("list_executions", {"limit": 1}),
    "cancelExecution": ("cancel_execution", {"execution_id": "e", "reason": "r"}),
    "replayExecution": ("replay_execution", {"execution_id": "e", "reuse": "succeeded"}),
}


def documented() -> list[Any]:
    cases = []
    for role in ("harness", "orchestrator"):
        document = json.loads((SPEC / f"{role}.json").read_text("utf-8"))
        for item in document["paths"].values():
            for operation in item.values():
                if isinstance(operation, dict) and operation.get("operationId") in SEATS:
                    cases += of_operation(role, operation)
    return cases


def of_operation(role: str, operation: dict[str, Any]) -> list[Any]:
    name = operation["operationId"]
    cases = []
    for status, response in operation["responses"].items():
        media, content = next(iter(response.get("content", {"": {}}).items()))
        examples = content.get("examples") or {"none": {}}
        for example, given in examples.items():
            reply = reply_of(int(status), media, response, given.get("value"))
            cases.append(pytest.param(name, int(status), reply, id=f"{role}-{name}-{status}-{example}"))
    return cases


def reply_of(status: int, media: str, response: dict[str, Any], body: Any) -> Reply:
    headers = {"content-type": media} if media else {}
    for name, header in response.get("headers", {}).items():
        value = header.get("example", next(iter(header["schema"].get("enum", [None]))))
        if value is not None and name.lower() != "turnwire-version":
            headers[name.lower()] = str(value)
    if isinstance(body, dict) and "code" in body:
        headers["turnwire-code"] = body["code"]
    return Reply(status, body, headers)


@pytest.mark.parametrize(("operation", "status", "reply"), documented())
def test_documented(operation: str, status: int, reply: Reply) -> None:
    seat, arguments = SEATS[operation]
    row = OPERATIONS[operation].responses[status]

    async def main() -> Any:
        # A pick that is outstanding is polled, and a poll says at once that its turn is over.
        over = problem(404, "turn_over")
        polled = operation == "pick"
        script: Script = lambda request, _: over if polled and request.method == "GET" else reply  # noqa: E731
        async with peer_of(script) as peer, AsyncClient(peer.url, random=lambda: 0.0) as client:
            options = CallOptions(window_ms=0, attempt_ms=5000)
            try:
                return await getattr(client, seat)(**arguments, options=options)
            except TurnwireFault as fault:
                return fault

    told = asyncio.run(main())
    if isinstance(told, Delivered):
        assert told.code in OUTCOMES
        assert row.taken in (told.taken, "unknown")
    elif row.taken is True and row.codes == ():
        assert not isinstance(told, TurnwireFault), told
    else:
        assert isinstance(told, TurnwireFault)
        assert told.status == status
        assert told.problem.get("code") in (None, *row.codes)
        assert told.certainty == "answered" or status >= 500


def test_every_named_body_has_a_model_that_takes_its_examples() -> None:
    for role in ("harness", "orchestrator"):
        document = json.loads((SPEC / f"{role}.json").read_text("utf-8"))
        for name, schema in document["components"]["schemas"].items():
            for example in schema.get("examples", []):
                TypeAdapter(getattr(types, name)).validate_python(example)
    assert issubclass(types.RunView, BaseModel)


def test_every_operation_is_a_seat_here() -> None:
    streams = {"readConversation", "readRunEvents", "readEvents"}
    assert SEATS.keys() | streams == OPERATIONS.keys()
