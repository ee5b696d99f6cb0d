"""The Harness API over `http.server`: the token, admissions, aborts, the stream, the history."""
import base64, hashlib, hmac, http.server, json, re, socket, time
from urllib.parse import parse_qsl, unquote, urlsplit
from log import ENV, READY, WAKE, Conversation, append, conversations, log, new_id, remembered, state

DIGEST, PUBLIC = ENV.get("TURNWIRE_HARNESS_TOKEN_SHA256", ""), ENV.get("TURNWIRE_PUBLIC_URL")
MOST, QUEUE, REMEMBER = 8 * 1024 * 1024, 64, 600  # bytes of a body, Submissions that wait, seconds of an early abort
ID, VISIBLE = re.compile(r"[A-Za-z0-9._~-]{1,128}"), re.compile(r"[\x21-\x7e]{1,128}")

class Problem(Exception): """Status, code, detail; further members of the body, and headers."""

def limits_problems(limits, at):
    whole = ("maxToolCalls", "maxOutputTokens", "maxTotalTokens")
    if not isinstance(limits, dict): return [(at, "must be an object")]
    return [(f"{at}/{name}", "must be a positive number") for name, value in limits.items() if name in (*whole, "deadlineSeconds")
            and (isinstance(value, bool) or not isinstance(value, (int, float) if name == "deadlineSeconds" else int) or value <= 0)]

def admission_problems(body):
    if not isinstance(body, dict): return [("", "must be an object")]
    wrong = [] if isinstance(body.get("message"), str) else [("/message", "must be a text")]
    wrong += [(f"/{name}", "must be a text") for name in ("model", "thinkingLevel") if name in body and not isinstance(body[name], str)]
    if "turnId" in body and not (isinstance(body["turnId"], str) and VISIBLE.fullmatch(body["turnId"])): wrong.append(("/turnId", "must be 1 to 128 visible characters"))
    if not (isinstance(body.get("notices", []), list) and all(isinstance(each, str) for each in body.get("notices", []))): wrong.append(("/notices", "must be texts"))
    if "limits" in body: wrong += limits_problems(body["limits"], "/limits")
    if "definition" in body: wrong.append(("/definition/model", "no model is known here: the agent `contract` follows a script"))
    return wrong

def script_problems(message):
    try: steps = json.loads(message)["steps"]
    except (ValueError, TypeError, KeyError, RecursionError): steps = None
    return [] if isinstance(steps, list) and all(isinstance(step, dict) for step in steps) else [("/message", "must be a script: {\"steps\": [...]}")]

class Api(http.server.BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", 65
    def log_message(self, *_): pass
    def answer(self, status, body=None, headers=(), media="application/json", close=False):
        data = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Turnwire-Version": "1", "Turnwire-Store": state["store"], **dict(headers)}.items(): self.send_header(name, value)
        if body is not None: self.send_header("Content-Type", media)
        if status not in (204, 304): self.send_header("Content-Length", str(len(data)))
        if close or self.unread(): self.send_header("Connection", "close"); self.close_connection = True
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(data)
        if self.unread():  # so that a reset does not destroy the answer on its way (TW-ADM-016)
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(0.5)
            end = time.monotonic() + 2
            try:
                while time.monotonic() < end and self.connection.recv(65536): pass
            except OSError: pass
    def unread(self): return not self.read and (self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers)
    def problem(self, status, code, detail="", more=None, headers=(), close=False):
        body = {"type": f"urn:turnwire:problem:{code}", "title": code.replace("_", " "), "status": status, "detail": detail or code, "code": code, **(more or {})}
        self.answer(status, body, {"Turnwire-Code": code, **dict(headers)}, "application/problem+json", close)
    def handle_any(self):
        self.read, url = False, urlsplit(self.path)
        try:
            if url.path not in ("/healthz", "/readyz"): self.authorize()
            if self.headers.get("Turnwire-Version", "1") != "1": raise Problem(400, "unsupported_version")
            self.route(url)
        except Problem as problem: self.problem(*problem.args)
        except (BrokenPipeError, ConnectionResetError): self.close_connection = True
        except Exception as error:
            log(event="error", error=type(error).__name__, where=error.__traceback__.tb_lineno)
            self.problem(500, "internal_error")
    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = handle_any
    def authorize(self):
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).decode().rstrip("=")
        if kind != "Bearer" or not hmac.compare_digest(digest, DIGEST): raise Problem(401, "unauthorized")
    def route(self, url):
        parts = url.path.split("/")[1:]
        if url.path == "/healthz": return self.answer(204)
        if url.path == "/readyz":
            code = "draining" if state["draining"] else "starting"
            return self.answer(204) if READY.is_set() and not state["draining"] else self.problem(503, code, headers={"Retry-After": "1"})
        if url.path == "/metrics": return self.answer(200, f"turnwire_submissions_settled_total {state['settled']}\n", media="text/plain; version=0.0.4")
        if url.path == "/.well-known/turnwire":
            can = {"idempotentAdmissions": True, "fencedAbort": True, "submissionStreams": True}
            return self.answer(200, {"role": "harness", "version": "1", "software": {"name": "minimal-harness", "version": "1"}, "store": state["store"], "capabilities": can})
        if parts[0] != "agents" or len(parts) not in (3, 4) or (len(parts) == 4 and (parts[3] != "abort" or self.command != "POST")): raise Problem(404, "not_found")
        key = "/".join(unquote(part) if ID.fullmatch(unquote(part)) else "" for part in parts[1:3])
        if key.startswith("/") or key.endswith("/"): raise Problem(400, "bad_request", "a name is 1 to 128 of A-Z a-z 0-9 . _ ~ -")
        if self.command == "POST" and len(parts) == 3 and not url.query:
            if state["draining"] or not READY.is_set(): return self.problem(503, "draining", headers={"Retry-After": "1"}, close=True)
            return self.admit(key, parts[1])
        if len(parts) == 3 and self.command not in ("GET", "HEAD"): raise Problem(405, "method_not_allowed", "", None, {"Allow": "GET, HEAD, POST"})
        READY.wait()
        self.abort(key) if len(parts) == 4 else self.conversation(key, url.query)
    def body(self, empty=None):
        length = int(self.headers.get("Content-Length", "0"))
        if length > MOST: raise Problem(413, "too_large")
        data, self.read = self.rfile.read(length), True
        if not data and empty is not None: return empty
        if not self.headers.get("Content-Type", "").startswith("application/json"): raise Problem(400, "bad_request", "send application/json")
        try: return json.loads(data.decode())
        except RecursionError: raise Problem(422, "invalid", "", {"problems": [{"path": "", "message": "nested too deep"}]})
        except ValueError: raise Problem(400, "bad_request", "this is no JSON")
    def invalid(self, wrong):
        if wrong: raise Problem(422, "invalid", "", {"problems": [{"path": path, "message": message} for path, message in wrong]})

    def admit(self, key, agent):
        for name in ("Idempotency-Key", "Turnwire-Expect-Store"):
            if not VISIBLE.fullmatch(self.headers.get(name, "x")): raise Problem(400, "bad_request", f"{name} is 1 to 128 visible characters")
        body, idempotency = self.body(), self.headers.get("Idempotency-Key")
        self.invalid(admission_problems(body))
        if agent != "contract": raise Problem(404, "unknown_agent")
        self.invalid(script_problems(body["message"]))
        if self.headers.get("Turnwire-Expect-Store", state["store"]) != state["store"]: raise Problem(412, "store_changed")
        with WAKE:
            c = conversations.get(key) or Conversation(key)
            of = next((each for each in c.submissions if idempotency and each["key"] == idempotency), None)
            if of and of["body"] != body: raise Problem(409, "idempotency_mismatch")
            replayed = of is not None
            if of is None:
                if sum(each["state"] == "queued" for each in c.submissions) >= QUEUE: raise Problem(429, "queue_full", "", None, {"Retry-After": "1"})
                of = {"id": new_id("sub"), "key": idempotency, "body": body, "trace": self.headers.get("traceparent"), "first": len(c.records)}
                head = [] if conversations.get(key) else [{"incarnation": new_id("inc")}]
                c.write(*head, {"admitted": of}, c.say(of, "submission.queued"))
                conversations[key] = c
                if remembered.get((key, body.get("turnId")), 0) > time.time(): c.submissions[-1]["abort"].set()
        c.work()
        origin = PUBLIC or f"http://{self.headers.get('Host')}"
        handle = {"streamUrl": f"{origin}/agents/{key}?view=updates&submission={of['id']}", "offset": c.offset(of["first"]), "submissionId": of["id"]}
        self.answer(202, handle, {"Idempotency-Replayed": "true"} if replayed else {})

    def abort(self, key):
        fence = self.body(empty={})
        if not isinstance(fence, dict): self.invalid([("", "must be an object")])
        self.invalid([(f"/{name}", "must be 1 to 128 visible characters") for name in ("submissionId", "turnId")
                      if name in fence and not (isinstance(fence[name], str) and VISIBLE.fullmatch(fence[name]))])
        with WAKE:
            c = conversations.get(key)
            all, named = c.submissions if c else [], "submissionId" in fence or "turnId" in fence
            until = [n for n, each in enumerate(all) if each["id"] == fence.get("submissionId") or each["body"].get("turnId", "") == fence.get("turnId")]
            if not until and "turnId" in fence:  # not admitted yet: remembered, on disk as well (TW-ABT-003)
                remembered[key, fence["turnId"]] = time.time() + REMEMBER
                append("aborts", {"key": key, "turnId": fence["turnId"], "until": remembered[key, fence["turnId"]]})
            hit = [each for each in (all[: until[-1] + 1] if until else [] if named else all) if each["state"] != "settled"]
            for each in hit: each["abort"].set()
            WAKE.wait_for(lambda: all_settled(hit), timeout=8)
            ended = [each["id"] for each in hit if each.get("settlement", {}).get("error", {}).get("code") == "aborted"]
        self.answer(200, {"aborted": bool(ended), "submissionIds": ended})

    def conversation(self, key, query):
        given = parse_qsl(query, keep_blank_values=True)
        q = dict(given)
        offset, live, cursor = q.get("offset", "-1"), q.get("live"), q.get("cursor", "0")
        shape = re.fullmatch(r"-1|now|(.+)_(\d{16})", offset) if re.fullmatch(r"[^,&=?/\s]{1,255}", offset) else None
        if (len(q) != len(given) or q.get("view") not in ("updates", "history") or not shape or live not in (None, "long-poll", "sse") or "" in q.values()
                or (live and "offset" not in q) or not re.fullmatch(r"\d{1,20}", cursor)): raise Problem(400, "bad_request", "a parameter is malformed")
        c = conversations.get(key)
        if c is None: raise Problem(404, "unknown_conversation")
        if q["view"] == "history": return self.history(c, key)
        of = c.find(q["submission"]) if "submission" in q else None
        if "submission" in q and of is None: raise Problem(404, "unknown_submission")
        at = 0 if offset == "-1" else self.view(c, of, 0)[1] if offset == "now" else int(shape[2])
        if shape[1] and (shape[1] != c.incarnation or at > len(c.records)): raise Problem(410, "stream_gone")
        if live == "sse" and self.command == "GET": return self.events(c, of, at, cursor)
        with WAKE:
            if live: WAKE.wait_for(lambda: self.view(c, of, at)[0] or self.view(c, of, at)[2] or state.get("over"), timeout=20)
            records, end, closed = self.view(c, of, at)
        headers = {"Stream-Next-Offset": c.offset(end), "Stream-Up-To-Date": "true", "Cache-Control": "no-store"}
        if closed: headers["Stream-Closed"] = "true"
        if live and not closed: headers["Stream-Cursor"] = str(max(int(time.time()) // 20, int(cursor) + 1))
        if self.command == "HEAD": return self.answer(200, "", headers)
        if live and not records: return self.answer(204, headers=headers)
        etag = f'"{at}-{end}-{"closed" if closed else "open"}"'
        if records and not live:
            headers["ETag"] = etag
            if self.headers.get("If-None-Match") == etag: return self.answer(304, headers=headers)
        self.answer(200, records, headers)
    def view(self, c, of, at):
        """What a reader at an offset gets: records, the next offset, and whether the stream is closed there."""
        if of is None: return c.records[at:], max(at, len(c.records)), False
        last = next((n for n, each in enumerate(c.records) if each["submissionId"] == of["id"] and each["type"] == "submission.settled"), None)
        end = max(at, len(c.records) if last is None else last + 1)
        return [each for each in c.records[at:end] if each["submissionId"] == of["id"]], end, last is not None
    def history(self, c, key):
        with WAKE:
            messages = [each["message"] for each in c.records if each["type"] == "message.appended"]
            submissions = [{"submissionId": each["id"], "state": each["state"], **({"turnId": each["body"]["turnId"]} if "turnId" in each["body"] else {}),
                            **({"settlement": each["settlement"]} if "settlement" in each else {})} for each in c.submissions]
            body = {"conversationId": key.split("/")[1], "incarnation": c.incarnation, "offset": c.offset(len(c.records)), "messages": messages, "submissions": submissions}
        self.answer(200, body)
    def events(self, c, of, at, cursor):
        self.send_response(200)
        for name, value in (("Turnwire-Version", "1"), ("Turnwire-Store", state["store"]), ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("Transfer-Encoding", "chunked")): self.send_header(name, value)
        self.end_headers()
        def send(text): self.wfile.write(f"{len(text.encode()):x}\r\n{text}\r\n".encode()); self.wfile.flush()
        end, closed, first = time.monotonic() + 60, False, True
        while not closed and time.monotonic() < end:
            with WAKE:
                if not first: WAKE.wait_for(lambda: self.view(c, of, at)[0] or self.view(c, of, at)[2] or state.get("over"), timeout=10)
                records, at, closed = self.view(c, of, at)
            if state.get("over") and not records: break
            control = {"streamNextOffset": c.offset(at), "upToDate": True, **({"streamClosed": True} if closed else {"streamCursor": str(max(int(time.time()) // 20, int(cursor) + 1))})}
            data, first = f"event: data\ndata: {json.dumps(records)}\n\n" if records else "", False
            send(f"{data}event: control\ndata: {json.dumps(control)}\n\n")
        send("")
        self.close_connection = True

def all_settled(of): return all(each["state"] == "settled" for each in of)
