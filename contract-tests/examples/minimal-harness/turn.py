"""A turn: surface, step, picks, until it is over. Its model is the agent `contract`: a script."""

import http.client, itertools, json, os, random, threading, time
from urllib.parse import urlsplit
from log import Over, new_id, seconds_since
from outcomes import of_receipt, of_refusal

CUSTODIAN = urlsplit(os.environ.get("TURNWIRE_CUSTODIAN_URL", "http://127.0.0.1:8081"))
TOKEN = os.environ.get("TURNWIRE_PLACEMENT_TOKEN", "")
WINDOW, MOST_CALLS, MOST_ALIKE = 90, 256, 3
NOT_TAKEN, NO_ANSWER = ("stopping", "run_unavailable"), {"detail": "no answer came"}
TURN_OVER = ("aborted", "turn_over", "the turn is over")
DRAINING = threading.Event()

def run(conversation, of):
    """A Submission from its start, or from the pick that it waits for, to its Settlement."""
    try:
        Turn(conversation, of).play()
        conversation.settle(of, "completed")
    except Over as over:
        if over.args: conversation.settle(of, *over.args)
    except Exception as error:
        conversation.settle(of, "failed", "engine_failed", f"{type(error).__name__}: {error}")

def is_final(status):
    """Whether an answer is the last word; status 0 is none at all."""
    return 300 <= status < 500 and status not in (408, 429)

class Turn:
    def __init__(self, conversation, of):
        self.log, self.of, self.limits, self.surface = conversation, of, of.body.get("limits", {}), None
        self.calls, self.tokens, self.alike, self.last = 0, 0, 0, None

    def play(self):
        """Plays the script; what a process before this one did of it stands in the records."""
        if self.of.aborted: raise Over("aborted", "aborted", "its abort came before it")
        if self.of.state == "running": raise Over("failed", "harness_restarted", "the process died at work")
        if self.of.state == "queued": self.log.say(self.of, "submission.started")
        if seconds := self.limits.get("deadlineSeconds"):
            late = ("failed", "limit_exceeded", f"deadlineSeconds is {seconds}, and the turn took longer")
            left = seconds - seconds_since(self.of.started)
            threading.Timer(left, self.log.settle, (self.of, *late)).start()
        for n, step in enumerate(json.loads(self.of.body["message"])["steps"]):
            if n == len(self.of.steps): self.take_step(step, is_first=n == 0)
            for call in [part for part in self.of.steps[n] if part["type"] == "tool-call"]:
                if self.make(call) == "turn_complete": return
            if "picks" not in step: return

    def take_step(self, step, is_first):
        self.read_surface()
        if is_first:
            prompt = "\n\n".join([self.of.body["message"], *self.of.body.get("notices", [])])
            self.log.message(self.of, "user", {"type": "text", "text": prompt})
        for piece in self.think(step):
            self.of.saying += piece
        usage = {name: step.get("usage", {}).get(name, 0) for name in ("inputTokens", "outputTokens")}
        self.log.say(self.of, "usage", **usage)
        self.tokens += sum(usage.values())
        self.limit("maxOutputTokens", usage["outputTokens"])
        self.limit("maxTotalTokens", self.tokens)
        said = [{"type": "text", "text": self.of.saying}] if self.of.saying else []
        picks = step.get("picks", [])
        calls = [{"type": "tool-call", "id": new_id("call"), "input": {}, **pick} for pick in picks]
        self.log.message(self.of, "assistant", *said, *calls)

    def think(self, step):
        """What the agent says, as it comes. A harness of yours asks its model here."""
        self.pause(step.get("delayMs", 0) / 1000)
        while step.get("hang"):
            self.pause(60)
        said = step.get("text", "")
        size = step.get("chunkSize") or len(said) or 1
        for start in range(0, len(said), size):
            self.pause(step.get("chunkDelayMs", 0) / 1000)
            yield said[start : start + size]

    def limit(self, name, used):
        most = self.limits.get(name, used)
        if used > most: raise Over("failed", "limit_exceeded", f"{name} is {most}, and {used} were used")

    def read_surface(self):
        """Within 90 s before the first step, and by one attempt at each later one (TW-RET-007)."""
        for pause in ladder():
            status, body = self.ask("GET", "/surface", seconds=2 if self.surface else 10)
            mine = self.of.body.get("turnId") or (self.surface or body).get("turnId")
            if body.get("code") == "turn_over" or body.get("turnId", mine) != mine: raise Over(*TURN_OVER)
            if status == 200: self.surface = body
            if self.surface: return  # a read that failed leaves the last one (TW-TRN-006)
            if is_final(status): raise Over("failed", "surface_refused", str(body.get("code")))
            self.pause(pause)
        raise Over("failed", "surface_unreachable", f"it could not be read within {WINDOW} s")

    def make(self, call):
        """A call, unless a process before this one made it; its outcome."""
        what = call["name"], call["input"]
        if call["id"] in self.of.open and not self.of.sent:
            self.limit("maxToolCalls", self.calls + 1)
            if self.calls == MOST_CALLS or (self.alike == MOST_ALIKE and what == self.last):
                raise Over("failed", "runaway", f"{self.calls} calls, the last {self.alike} alike, in vain")
        if call["id"] in self.of.open: self.log.answer(self.of, call, *self.pick(call))
        outcome = self.of.outcomes[call["id"]]
        if outcome == "turn_over": raise Over(*TURN_OVER)
        in_vain = outcome in ("not_moved", "refused")
        self.alike = (self.alike + 1 if what == self.last else 1) if in_vain else 0
        self.calls, self.last = self.calls + 1, what
        return outcome

    def pick(self, call):
        """One pick until its fate is known. In doubt it is looked up before it is sent again (TW-RET-009)."""
        if not self.of.sent:
            if not self.surface: self.read_surface()
            if call["name"] not in [item["name"] for item in self.surface["menu"]]: return "unknown_call", {}
            ids = {"callId": call["id"], "deliveryId": new_id("dlv")}
            self.log.say(self.of, "tool.called", name=call["name"], **ids)
        self.delivery, look, unsure = self.of.sent["deliveryId"], False, False
        has_ids = self.surface is not None and self.surface["capabilities"]["clientDeliveryIds"]
        if self.of.state == "waiting": return self.wait()
        for pause in ladder():
            status, answer = self.look_up() if look else self.deliver(call, has_ids)
            code = answer.get("code")
            if status == 200: return of_receipt(answer), answer
            if status == 202:
                self.delivery = answer["deliveryId"]
                self.log.say(self.of, "submission.waiting", deliveryId=self.delivery)
                return self.wait()
            if is_final(status) and code != "unknown_delivery": return of_refusal(status, answer, unsure)
            unsure = unsure or code not in NOT_TAKEN
            look = code not in (*NOT_TAKEN, "unknown_delivery")
            self.pause(pause)
            if not has_ids: break  # a second copy could be a second pick (TW-RET-008)
        return "unknown" if unsure else "stopping", NO_ANSWER

    def wait(self):
        """For the receipt of a pick that was taken, without a window (TW-RET-013)."""
        while True:
            for pause in ladder():
                status, answer = self.look_up(25)
                if DRAINING.is_set(): raise Over  # it goes on waiting in the next process (TW-DRN-003)
                if status == 200: return of_receipt(answer), answer
                if answer.get("code") == "turn_over": return "turn_over", answer
                if is_final(status): return "taken_answer_lost", NO_ANSWER
                self.pause(pause)
                if status == 202: break  # an answer resets the ladder (TW-RET-019)

    def last_look(self):
        """What became of the pick that is on its way at an abort, as far as 2 s tell (TW-ABT-007)."""
        call, sent = next(iter(self.of.open.values()), None), self.of.sent
        if not call or not sent: return
        self.delivery = sent["deliveryId"]
        status, answer = self.look_up(seconds=2)
        if status == 200: self.log.answer(self.of, call, of_receipt(answer), answer)

    def deliver(self, call, has_ids):
        pick = {"turnId": self.surface["turnId"], "event": call["name"], "input": call["input"]}
        own = {"deliveryId": self.delivery} if has_ids else {}
        return self.ask("POST", "/events", {**pick, **own}, seconds=30)

    def look_up(self, wait=0, seconds=10):
        return self.ask("GET", f"/deliveries/{self.delivery}?wait={wait}", seconds=wait + seconds)

    def ask(self, method, path, body=None, seconds=10):
        """One attempt: status and body; 0 when no answer of ours came, which proves nothing (TW-CER-002)."""
        if self.of.over.is_set(): raise Over
        headers = {"Authorization": f"Bearer {TOKEN}", "Turnwire-Version": "1"}
        if body: headers["Content-Type"] = "application/json"
        if self.of.trace: headers["traceparent"] = self.of.trace
        connection = http.client.HTTPConnection(CUSTODIAN.hostname, CUSTODIAN.port, timeout=seconds)
        try:
            connection.request(method, f"/agents/{self.log.iid}{path}", body and json.dumps(body), headers)
            answer = connection.getresponse()
            is_ours = answer.status < 400 or "Turnwire-Code" in answer.headers
            if "Turnwire-Version" not in answer.headers or not is_ours: return 0, {}
            return answer.status, json.loads(answer.read() or "{}")
        except (OSError, http.client.HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def pause(self, seconds):
        if self.of.over.wait(seconds): raise Over

def ladder():
    """The pauses between attempts, for as long as the window is (TW-RET-017)."""
    end = time.monotonic() + WINDOW
    for rung in itertools.chain([0.25, 0.5, 1, 2, 4], itertools.repeat(5)):
        if time.monotonic() + rung > end: return
        yield rung * random.uniform(0.5, 1)
