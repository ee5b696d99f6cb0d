"""Every example of the README runs as it stands, and there is one for every seat."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from peer import Arrived, Reply
from served import Served

PACKAGE = Path(__file__).parents[1]
EXAMPLES = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)
AT = "2026-01-01T00:00:00Z"
RUN = {
    "runId": "run-1",
    "workflow": "review",
    "status": "done",
    "value": "merged",
    "context": {},
    "executions": [],
    "gates": [],
    "startedAt": AT,
}
RECEIPT = {
    **{"status": "delivered", "deliveryId": "delivery-1", "event": "approve"},
    **{"moved": True, "turnComplete": True, "allowed": []},
}
TOOL = {"type": "tool.answered", "submissionId": "s1", "at": AT, "name": "approve", "outcome": "moved", "ms": 3}
SETTLED = {"type": "submission.settled", "submissionId": "s1", "at": AT, "outcome": "completed"}
INFO = {
    **{"role": "harness", "version": "1", "software": {"name": "stub", "version": "1.0.0"}, "store": "st_1"},
    "capabilities": {"idempotentAdmissions": True, "fencedAbort": True, "submissionStreams": True},
}
SURFACE = {
    **{"iid": "run-1.reviewer", "turnId": "turn-1", "runId": "run-1", "menu": [], "allowed": ["approve"]},
    "capabilities": {"clientDeliveryIds": True},
}
WORKFLOW = {"name": "review", "status": "ready", "inputSchema": {}, "agents": [], "definition": {}}
NODE = {
    **{"nodeId": "laptop", "health": "active", "lifecycle": "ready", "registeredAt": AT, "instanceId": "i-1"},
    **{"baseUrl": "http://127.0.0.1:8080", "agents": [{"name": "reviewer"}], "deployment": "resident"},
    "capabilities": INFO["capabilities"],
}
RECORD = {
    **{"executionId": "exec-1", "agent": "reviewer", "status": "succeeded", "result": {"verdict": "fine"}},
    **{"startedAt": AT, "endedAt": AT},
}
HISTORY = {
    **{"conversationId": "c", "incarnation": "a", "offset": "a_1", "submissions": []},
    "messages": [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "hello"}]}],
}

ANSWERS: dict[str, Any] = {
    "GET /.well-known/turnwire": INFO,
    "POST /agents/reviewer/run-1.reviewer": {"streamUrl": "http://h/s", "offset": "a_0", "submissionId": "s1"},
    "GET /stream": [TOOL, SETTLED],
    "GET /agents/reviewer/run-1.reviewer": HISTORY,
    "POST /agents/reviewer/run-1.reviewer/abort": {"aborted": True, "submissionIds": ["s1"]},
    "GET /agents/run-1.reviewer/surface": SURFACE,
    "POST /agents/run-1.reviewer/events": RECEIPT,
    "GET /agents/run-1.reviewer/deliveries/delivery-1": RECEIPT,
    "GET /workflows": {"items": [WORKFLOW]},
    "GET /workflows/review": WORKFLOW,
    "POST /workflows/review/runs": {"runId": "run-1"},
    "GET /runs/run-1/events": f'event: run.status\ndata: {{"runId": "run-1", "status": "done", "at": "{AT}"}}\n\n',
    "GET /runs/run-1": RUN,
    "GET /runs": {"items": [RUN]},
    "POST /runs/run-1/gates/merge_decision/events": {"ok": True, "moved": True},
    "POST /runs/run-1/cancel": {"ok": True},
    "PUT /nodes/laptop": {"heartbeatSeconds": 10, "leaseSeconds": 30},
    "POST /nodes/laptop/heartbeat": {"ok": True},
    "GET /nodes": {"items": [NODE]},
    "GET /nodes/laptop": NODE,
    "POST /executions": {"executionId": "exec-1", "status": "running"},
    "GET /executions/exec-1": RECORD,
    "GET /executions": {"items": [RECORD]},
    "POST /executions/exec-1/replay": {"executionId": "exec-2", "status": "running", "replayOf": "exec-1"},
    "POST /executions/exec-2/cancel": {"ok": True},
    "GET /metrics": "# HELP x\n",
}


def stub(request: Arrived, _: int) -> Reply:
    if request.path in ("/healthz", "/readyz") or request.method == "DELETE":
        return Reply(204)
    feed = request.path.endswith("/events") and request.method == "GET"
    headers = {
        "content-type": "text/event-stream" if feed else "application/json",
        "stream-next-offset": "a_1",
        "stream-closed": "true",
    }
    body = "" if request.method == "HEAD" else ANSWERS[f"{request.method} {request.path}"]
    admits = request.method == "POST" and request.path.endswith("/run-1.reviewer")
    return Reply(202 if admits else 200, body, headers)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(1, len(EXAMPLES) + 1))
def test_example(code: str) -> None:
    with Served(stub) as served:
        urls = ("TURNWIRE_URL", "TURNWIRE_HARNESS_URL", "TURNWIRE_CUSTODIAN_URL")
        environment = {
            **dict.fromkeys(urls, served.url),
            "STREAM_URL": f"{served.url}/stream",
            "HARNESS_TOKEN": "t",
            "TURNWIRE_INSTANCE_TOKEN": "t",
            "PYTHONPATH": str(PACKAGE / "src"),
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout != ""


@pytest.mark.parametrize(
    "seat",
    [
        *("admit", "wait", "history", "stream_tail", "abort", "surface", "deliver", "poll", "start_run", "list_runs"),
        *("get_run", "answer_gate", "cancel_run", "run_events", "list_workflows", "get_workflow", "harness_info"),
        *(
            "orchestrator_info",
            "health",
            "readiness",
            "metrics",
            "classify",
            "register_node",
            "heartbeat",
            "list_nodes",
        ),
        *("read_node", "remove_node", "execute", "read_execution", "list_executions", "cancel_execution"),
        "replay_execution",
    ],
)
def test_every_seat_has_one(seat: str) -> None:
    assert any(f".{seat}(" in code for code in EXAMPLES)


def test_the_examples_are_typed(tmp_path: Path) -> None:
    for number, code in enumerate(EXAMPLES):
        (tmp_path / f"example_{number}.py").write_text(code, "utf-8")
    mypy = [sys.executable, "-m", "mypy", "--config-file", "", "--cache-dir", str(PACKAGE / ".mypy_cache")]
    environment = {"MYPYPATH": str(PACKAGE / "src"), "PATH": ""}
    done = subprocess.run(
        [*mypy, str(tmp_path)], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout
