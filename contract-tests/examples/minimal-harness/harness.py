"""A Turnwire Harness in Python's standard library: the API over its conversations, its start and its end."""

import base64, contextlib, fcntl, hashlib, hmac, http.server, json, os, re
import signal, socket, sqlite3, sys, threading, time
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit
from log import CHANGED, SCHEMA, Conversation, Over, new_id
from turn import DRAINING, Turn, run

DATA = Path(os.environ.get("TURNWIRE_DATA_DIR", ".turnwire/harness"))
DIGEST = os.environ.get("TURNWIRE_HARNESS_TOKEN_SHA256", "")
AGENT, MOST_BYTES, MOST_QUEUED = "contract", 8 * 1024 * 1024, 64
LIMITS = ("maxToolCalls", "maxOutputTokens", "maxTotalTokens", "deadlineSeconds")
CAPABILITIES = {"idempotentAdmissions": True, "fencedAbort": True, "submissionStreams": True}
SOFTWARE = {"name": "minimal-harness", "version": "1"}
SELF = {"role": "harness", "version": "1", "software": SOFTWARE, "capabilities": CAPABILITIES}
TEXT = {"Content-Type": "text/plain; version=0.0.4"}
NAME, VISIBLE = r"[A-Za-z0-9._~-]{1,128}", r"[\x21-\x7e]{1,128}"
QUERY = {
    "view": "updates|history",
    "submission": VISIBLE,
    "offset": r"-1|now|[0-9a-f]{12}_\d{16}",
    "live": "long-poll|sse",
    "cursor": r"\d{1,20}",
}

def end(reason):
    """The process ends, and says why in one line."""
    print(f"harness: {reason}", file=sys.stderr, flush=True)
    os._exit(1)

class Problem(Exception):
    """An answer that is an error: status, code, headers, further members (TW-GEN-004)."""

def invalid(*places):
    problems = [{"path": place, "message": "is not valid"} for place in places]
    return Problem(422, "invalid", {}, {"problems": problems})

def is_visible(value):
    return isinstance(value, str) and re.fullmatch(VISIBLE, value) is not None

def is_script(message):
    try:
        return all(isinstance(step, dict) for step in json.loads(message)["steps"])
    except (TypeError, ValueError, KeyError, RecursionError):
        return False

def wrong_places(body, agent):
    """Where an admission is not as it should be (TW-GEN-008)."""
    if not isinstance(body, dict): return [""]
    message, limits, notices = body.get("message"), body.get("limits", {}), body.get("notices", [])
    rules = {
        "/message": isinstance(message, str) and (agent != AGENT or is_script(message)),
        "/turnId": is_visible(body.get("turnId", "none")),
        "/notices": isinstance(notices, list) and all(isinstance(each, str) for each in notices),
        "/model": "model" not in body,  # none is known here: the agent follows a script (TW-ADM-006)
        "/definition/model": "definition" not in body,
        "/limits": isinstance(limits, dict),
    }
    for name in [each for each in LIMITS if isinstance(limits, dict) and each in limits]:
        kinds = (int, float) if name == "deadlineSeconds" else (int,)
        rules[f"/limits/{name}"] = type(limits[name]) in kinds and limits[name] > 0
    return [place for place, holds in rules.items() if not holds]

class Store:
    """The conversations of one data folder, which one process owns."""

    def __init__(self):
        DATA.mkdir(parents=True, exist_ok=True)
        self.conversations, self.ready = {}, threading.Event()
        self.db = sqlite3.connect(DATA / "harness.db", check_same_thread=False)
        self.db.executescript(SCHEMA)
        with self.db:
            self.db.execute("INSERT OR IGNORE INTO store VALUES (1, ?)", [new_id("store")])
        self.id = self.db.execute("SELECT id FROM store").fetchone()[0]

    def own(self):
        """Waits for the process before this one to be gone (TW-DUR-008), and goes on with what it left."""
        self.lock = (DATA / "lock").open("w")
        patience = threading.Timer(30, end, ["another process has the data folder"])
        patience.start()
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        patience.cancel()
        for (iid,) in self.db.execute("SELECT DISTINCT iid FROM records").fetchall():
            with CHANGED:
                self.conversation(iid).next()
        self.ready.set()

    def conversation(self, iid):
        with CHANGED:
            if iid not in self.conversations:
                self.conversations[iid] = Conversation(self.db, self.id, iid, run)
            return self.conversations[iid]

    def metrics(self):
        return f"turnwire_conversations {len(self.conversations)}\n"

class Api(http.server.BaseHTTPRequestHandler):
    protocol_version, store = "HTTP/1.1", None

    def handle_any(self):
        chunked, url = "Transfer-Encoding" in self.headers, urlsplit(self.path)
        self.unread = int(self.headers.get("Content-Length", chunked))
        try:
            if chunked: raise Problem(400, "bad_request")  # as much as a minimal harness reads
            if url.path not in ("/healthz", "/readyz"): self.check_token()
            if self.headers.get("Turnwire-Version", "1") != "1": raise Problem(400, "unsupported_version")
            self.route(url.path.split("/")[1:], url.query)
        except Problem as problem:
            self.refuse(*problem.args)
        except ConnectionError:
            self.close_connection = True
        except Exception as error:
            print(json.dumps({"event": "error", "error": type(error).__name__}), file=sys.stderr, flush=True)
            self.refuse(500, "internal_error")

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def log_message(self, *_):
        """Logs are JSON lines (TW-GEN-033), and there is none for each request."""

    def check_token(self):
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).decode().rstrip("=")
        if kind != "Bearer" or not hmac.compare_digest(digest, DIGEST): raise Problem(401, "unauthorized")

    def route(self, parts, query):
        match [self.command, *parts]:
            case ["GET", "healthz"]: self.answer(204)
            case ["GET", "readyz"] if self.admits(): self.answer(204)
            case ["GET", "readyz"]: raise Problem(503, "draining" if DRAINING.is_set() else "starting")
            case ["GET", "metrics"]: self.answer(200, self.store.metrics(), TEXT)
            case ["GET", ".well-known", "turnwire"]: self.answer(200, {"store": self.store.id, **SELF})
            case ["POST", "agents", name, iid] if not query: self.admit(*self.names(name, iid))
            case ["POST", "agents", name, iid, "abort"]: self.abort(*self.names(name, iid))
            case ["GET" | "HEAD", "agents", name, iid]: self.read(*self.names(name, iid), query)
            case [_, "agents", _, _]: raise Problem(405, "method_not_allowed", {"Allow": "GET, HEAD, POST"})
            case _: raise Problem(404, "not_found")

    def names(self, *parts):
        names = [unquote(part) for part in parts]
        if not all(re.fullmatch(NAME, name) for name in names): raise Problem(400, "bad_request")
        return names

    def admits(self):
        return self.store.ready.is_set() and not DRAINING.is_set()

    def body(self, empty=None):
        if self.unread > MOST_BYTES: raise Problem(413, "too_large")
        data, self.unread = self.rfile.read(self.unread), 0
        if not data and empty is not None: return empty
        try:
            if not self.headers.get("Content-Type", "").startswith("application/json"): raise ValueError
            return json.loads(data)
        except RecursionError:
            raise invalid("") from None
        except ValueError:
            raise Problem(400, "bad_request") from None

    def admit(self, name, iid):
        draining = Problem(503, "draining", {"Retry-After": "1", "Connection": "close"})
        if not self.admits(): raise draining  # before the body is read (TW-DRN-001)
        key, store = self.headers.get("Idempotency-Key"), self.headers.get("Turnwire-Expect-Store")
        if not is_visible("x" if key is None else key): raise Problem(400, "bad_request")
        body = self.body()
        if places := wrong_places(body, name): raise invalid(*places)
        if name != AGENT: raise Problem(404, "unknown_agent")
        if store not in (None, self.store.id): raise Problem(412, "store_changed")
        with CHANGED:
            if not self.admits(): raise draining
            c = self.store.conversation(iid)
            of = next((each for each in c.submissions.values() if key and each.key == key), None)
            replayed = {"Idempotency-Replayed": "true"} if of else {}
            if of and of.body != body: raise Problem(409, "idempotency_mismatch")
            queued = sum(each.state == "queued" for each in c.submissions.values())
            if not of and queued >= MOST_QUEUED: raise Problem(429, "queue_full", {"Retry-After": "1"})
            of = of or c.admit(key, body, self.headers.get("traceparent"))
        origin = os.environ.get("TURNWIRE_PUBLIC_URL") or f"http://{self.headers['Host']}"
        stream = f"{origin}/agents/{name}/{iid}?view=updates&submission={of.id}"
        handle = {"streamUrl": stream, "offset": c.offset(of.first), "submissionId": of.id}
        self.answer(202, handle, replayed)

    def abort(self, name, iid):
        fence = self.body(empty={})
        if not isinstance(fence, dict): raise invalid("")
        wrong = [f"/{each}" for each in ("submissionId", "turnId") if not is_visible(fence.get(each, "none"))]
        if wrong: raise invalid(*wrong)
        self.store.ready.wait()
        c = self.store.conversation(iid if name == AGENT else "")
        hit = c.until(fence.get("submissionId"), fence.get("turnId"))
        for of in hit:
            with contextlib.suppress(Over): Turn(c, of).last_look()
        with CHANGED:
            ended = [of.id for of in hit if c.settle(of, "aborted", "aborted")]
        self.answer(200, {"aborted": bool(ended), "submissionIds": ended})

    def read(self, name, iid, query):
        given = parse_qsl(query, keep_blank_values=True)
        q = dict(given)
        malformed = [each for each, shape in QUERY.items() if each in q and not re.fullmatch(shape, q[each])]
        if malformed or len(q) < len(given) or "view" not in q or ("live" in q and "offset" not in q):
            raise Problem(400, "bad_request")
        self.store.ready.wait()
        c = self.store.conversation(iid if name == AGENT else "")
        of = c.submissions.get(q.get("submission"))
        if not c.submissions: raise Problem(404, "unknown_conversation")
        if "submission" in q and not of: raise Problem(404, "unknown_submission")
        incarnation, _, position = q.get("offset", "-1").rpartition("_")
        if incarnation and (incarnation != c.incarnation or int(position) > len(c.records)):
            raise Problem(410, "stream_gone")
        start = c.read(of, 0)[1] if position == "now" else max(0, int(position))
        if self.command == "HEAD": self.records(c, of, 0, {})
        elif q["view"] == "history": self.answer(200, c.history())
        elif q.get("live") == "sse": self.events(c, of, start)
        else: self.records(c, of, start, q)

    def wait(self, c, of, start, seconds):
        """What there is for a reader; when there is nothing yet, what comes within the time."""
        with CHANGED:
            CHANGED.wait_for(lambda: c.read(of, start)[0] or c.read(of, start)[2], seconds)
            return c.read(of, start)

    def records(self, c, of, start, q):
        live = "live" in q
        records, end, closed = self.wait(c, of, start, 20 if live else 0)
        headers = {"Stream-Next-Offset": c.offset(end), "Stream-Up-To-Date": "true"}
        headers["Cache-Control"] = "no-store"
        if closed: headers["Stream-Closed"] = "true"
        elif live: headers["Stream-Cursor"] = str(max(int(time.time()) // 20, int(q.get("cursor", 0)) + 1))
        if live and not records: return self.answer(204, None, headers)
        tag = f'"{start}-{c.offset(end)}-{closed}"'
        if records and not live: headers["ETag"] = tag
        if self.headers.get("If-None-Match") == tag: self.answer(304, None, headers)
        else: self.answer(200, records, headers)

    def events(self, c, of, at):
        """Server-sent events in chunks (TW-STR-015), for a minute at most."""
        self.answer(200, None, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        end, closed, seconds = time.monotonic() + 60, False, 0
        while not closed and time.monotonic() < end:
            records, at, closed = self.wait(c, of, at, seconds)
            more = {"streamClosed": True} if closed else {"streamCursor": str(int(time.time()) // 20)}
            control = json.dumps({"streamNextOffset": c.offset(at), "upToDate": True, **more})
            data = f"event: data\ndata: {json.dumps(records)}\n\n" if records else ""
            self.chunk(f"{data}event: control\ndata: {control}\n\n")
            seconds = 15
        self.chunk("")

    def chunk(self, text):
        self.wfile.write(f"{len(text.encode()):x}\r\n{text}\r\n".encode())

    def refuse(self, status, code, headers=None, more=None):
        said = {"title": code, "status": status, "detail": code, "code": code}
        body = {"type": f"urn:turnwire:problem:{code}", **said}
        media = {"Content-Type": "application/problem+json", "Turnwire-Code": code}
        self.answer(status, {**body, **(more or {})}, {**media, **(headers or {})})

    def answer(self, status, body=None, headers=None):
        data = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        all = {"Turnwire-Version": "1", "Turnwire-Store": self.store.id}
        if body is not None: all["Content-Type"] = "application/json"
        chunked = "Transfer-Encoding" in (headers or {})
        if status not in (204, 304) and not chunked: all["Content-Length"] = len(data)
        if self.unread: all["Connection"] = "close"
        self.send_response(status)
        for name, value in {**all, **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(data)
        if self.unread: self.discard()

    def discard(self):
        """Reads what still comes, so that a reset does not destroy the answer on its way (TW-ADM-016)."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(0.5)
        end = time.monotonic() + 2
        try:
            while time.monotonic() < end and self.connection.recv(65536): pass
        except OSError:
            pass  # it has said all that it wanted to say

class Server(http.server.ThreadingHTTPServer):
    request_queue_size, daemon_threads = 256, True

class Drain:
    """What SIGTERM begins: all is finished, or aborted in the end; what only waits is left (TW-DRN-003)."""

    def __init__(self, store):
        self.store, self.code, self.deadline = store, 0, 0

    def signal(self, *_):
        if DRAINING.is_set():
            self.code, self.deadline = 1, 0  # the second one (TW-DRN-005)
        else:
            self.deadline = time.monotonic() + float(os.environ.get("TURNWIRE_DRAIN_TIMEOUT", "600"))
            DRAINING.set()
            threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        quiet = time.monotonic()
        while time.monotonic() < quiet + (0 if self.code else 5):  # for readers between two polls
            time.sleep(0.05)
            with CHANGED:
                for c in [each for each in self.store.conversations.values() if each.is_busy()]:
                    quiet = time.monotonic()
                    late = list(c.submissions.values()) if quiet > self.deadline else []
                    for of in late: c.settle(of, "aborted", "aborted", "the harness goes down")
        os._exit(self.code)

def main():
    if not DIGEST: end("TURNWIRE_HARNESS_TOKEN_SHA256 is not set")
    try:
        address = os.environ.get("TURNWIRE_HOST", "127.0.0.1"), int(os.environ.get("TURNWIRE_PORT", "8080"))
        server = Server(address, Api)
    except (OSError, ValueError) as error:
        end(f"cannot listen: {error}")
    Api.store = Store()
    signal.signal(signal.SIGTERM, Drain(Api.store).signal)
    threading.Thread(target=Api.store.own, daemon=True).start()
    url = f"http://{server.server_address[0]}:{server.server_address[1]}"
    print(json.dumps({"event": "listening", "role": "harness", "url": url, "pid": os.getpid()}), flush=True)
    server.serve_forever()

if __name__ == "__main__":
    main()
