"""A harness double for the interop test: as much of a Harness as one turn takes, its turns run with the Python SDK."""

from __future__ import annotations

import json
import os
import sys
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import turnwire

STAND_IN = "turnwire-held-TURNWIRE_PLACEMENT_TOKEN"
STORE = "store_interop"
PICKS: list[tuple[str, dict[str, Any]]] = [("run_checks", {}), ("approve", {"summary": "fine, says Python"})]
PARKED_SECONDS = 20.0


def say(event: str, **more: Any) -> None:
    """One line on standard output; the test reads them."""
    print(json.dumps({"event": event, **more}), flush=True)


class Conversation:
    """The log of one conversation, in memory."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.settled: set[str] = set()
        self.changed = threading.Condition()

    def append(self, kind: str, submission: str, **more: Any) -> None:
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with self.changed:
            self.records.append({"type": kind, "submissionId": submission, "at": at, **more})
            if kind == "submission.settled":
                self.settled.add(submission)
            self.changed.notify_all()

    def behind(self, offset: int, submission: str, park: bool) -> tuple[list[dict[str, Any]], int, bool]:
        """The records of a Submission from an offset on, where that ends, and whether more can come."""
        with self.changed:
            if park:
                self.changed.wait_for(lambda: len(self.records) > offset or submission in self.settled, PARKED_SECONDS)
            found = [each for each in self.records[offset:] if each["submissionId"] == submission]
            return found, len(self.records), submission in self.settled


class Harness:
    """The conversations of this process, and their turns."""

    def __init__(self, custodian: str) -> None:
        self.custodian = turnwire.Client(custodian, token=STAND_IN, log=lambda line: say("routability", msg=line.msg))
        self.conversations: dict[str, Conversation] = {}
        self.admitted: dict[tuple[str, str], str] = {}
        self.lock = threading.Lock()

    def admit(self, iid: str, key: str) -> tuple[str, bool]:
        """The Submission of a key, and whether it is an earlier copy's."""
        with self.lock:
            known = self.admitted.get((iid, key))
            if known is not None:
                return known, True
            submission = self.admitted[iid, key] = f"sub_{len(self.admitted) + 1}"
            log = self.conversations.setdefault(iid, Conversation())
        log.append("submission.queued", submission)
        threading.Thread(target=self.turn, args=(iid, submission, log), daemon=True).start()
        return submission, False

    def turn(self, iid: str, submission: str, log: Conversation) -> None:
        """Picks as the script says until the turn is over."""
        log.append("submission.started", submission)
        outcome = "completed"
        try:
            read = self.custodian.surface(iid=iid)
            assert isinstance(read, turnwire.SurfaceRead)
            for event, given in PICKS:
                delivered = self.custodian.deliver(
                    iid=iid,
                    turn_id=read.surface.turn_id,
                    event=event,
                    input=given,
                    client_delivery_ids=read.surface.capabilities.client_delivery_ids,
                    on_outstanding=lambda delivery_id: say("outstanding", deliveryId=delivery_id),
                )
                say("delivered", pick=event, code=delivered.code, attempts=delivered.attempts, text=delivered.text)
                log.append(
                    "tool.answered", submission, name=event, outcome=delivered.code, ms=round(delivered.elapsed_ms)
                )
        except turnwire.TurnwireFault as fault:
            say("fault", message=str(fault))
            outcome = "aborted"
        error = {} if outcome == "completed" else {"error": {"code": "aborted", "message": "the double gave up"}}
        log.append("submission.settled", submission, outcome=outcome, **error)


class Handler(BaseHTTPRequestHandler):
    """The routes."""

    protocol_version = "HTTP/1.1"
    harness: Harness

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: standard output is for the test, and standard error for failures."""

    def reply(self, status: int, body: Any = None, **headers: str) -> None:
        text = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("turnwire-version", "1")
        self.send_header("turnwire-store", STORE)
        if status != 204:
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/.well-known/turnwire":
            capabilities = {"idempotentAdmissions": True, "fencedAbort": True, "submissionStreams": True}
            software = {"name": "interop-double", "version": turnwire.__version__}
            info = {
                "role": "harness",
                "version": "1",
                "software": software,
                "store": STORE,
                "capabilities": capabilities,
            }
            return self.reply(200, info)
        if url.path in ("/healthz", "/readyz"):
            return self.reply(204)
        log = self.harness.conversations.get(url.path.split("/")[-1])
        if log is None:
            body = {"type": "urn:turnwire:problem:unknown_conversation", "title": "No such conversation", "status": 404}
            body |= {"detail": "this process never had it", "code": "unknown_conversation"}
            return self.reply(404, body, turnwire_code="unknown_conversation")
        offset = int(query["offset"].rpartition("_")[2]) if "_" in query.get("offset", "") else 0
        found, end, closed = log.behind(offset, query["submission"], "live" in query)
        ends = {"stream_closed": "true"} if closed else {}
        position = f"i_{end:016d}"
        status = 200 if found or "live" not in query else 204
        return self.reply(
            status, found if status == 200 else None, stream_next_offset=position, stream_up_to_date="true", **ends
        )

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", "0")))
        parts = self.path.split("/")
        if parts[-1] == "abort":
            return self.reply(200, {"aborted": False, "submissionIds": []})
        submission, replayed = self.harness.admit(parts[-1], self.headers["idempotency-key"])
        stream = f"http://{self.headers['host']}{self.path}?view=updates&submission={submission}"
        more = {"idempotency_replayed": "true"} if replayed else {}
        return self.reply(202, {"streamUrl": stream, "offset": f"i_{0:016d}", "submissionId": submission}, **more)


def main() -> None:
    """Serves until it is ended."""
    Handler.harness = Harness(os.environ["TURNWIRE_CUSTODIAN_URL"])
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("TURNWIRE_PORT", "0"))), Handler)
    say("listening", role="harness", url=f"http://127.0.0.1:{server.server_port}", pid=os.getpid())
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
