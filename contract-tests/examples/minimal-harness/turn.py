"""A turn: surface, step, picks, until it is over. The model is the `contract` agent, which follows a script."""
import http.client, json, random, threading, time
from urllib.parse import urlsplit
from log import ENV, WAKE, new_id, state

RUNAWAY = 256

class Over(Exception): """The turn is over: outcome, code, message."""
class Suspended(Exception): """It only waits for a delivery, and goes on in the next process (TW-DRN-003)."""

def run(c):
    """One Submission at a time, in the order of admission (TW-ADM-014)."""
    while True:
        with WAKE:
            waiting = c.unsettled()
            if not waiting or (state["draining"] and waiting[0]["state"] == "waiting"):
                c.worker = None
                return WAKE.notify_all()
        try: Turn(c, waiting[0]).run()
        except Over as over: c.settle(waiting[0], *over.args)
        except Suspended: pass

class Turn:
    def __init__(self, conversation, of):
        self.c, self.of, self.abort, self.etag, self.menu, self.mints = conversation, of, of["abort"], None, [], False
        self.limits, self.began = of["body"].get("limits", {}), time.monotonic()
        self.calls, self.tokens, self.last, self.same = 0, 0, None, 0
    def over(self):
        if self.abort.is_set(): raise Over("aborted", "aborted")
        deadline = self.limits.get("deadlineSeconds")
        if deadline is not None and time.monotonic() - self.began > deadline:
            raise Over("failed", "limit_exceeded", f"deadlineSeconds is {deadline}, and the turn took longer")
    def sleep(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end: self.over(); self.abort.wait(min(0.05, max(0, end - time.monotonic())))
        self.over()
    def ask(self, method, path, body=None, timeout=10.0, etag=None, always=False):
        """One attempt. (None, {}) when no answer came, which proves nothing; an abort does not wait for one."""
        got, done = [None, {}, {}], threading.Event()
        def attempt():
            try:
                url = urlsplit(ENV.get("TURNWIRE_CUSTODIAN_URL", "http://127.0.0.1:8081"))
                link = http.client.HTTPConnection(url.hostname, url.port, timeout=timeout)
                headers = {"Authorization": "Bearer " + ENV.get("TURNWIRE_PLACEMENT_TOKEN", ""), "Turnwire-Version": "1"}
                headers.update({name: value for name, value in (("traceparent", self.of.get("trace")), ("If-None-Match", etag)) if value})
                if body is not None: headers["Content-Type"] = "application/json"
                link.request(method, "/agents/" + self.c.file[:-4].split("@")[1] + path, None if body is None else json.dumps(body), headers)
                answer = link.getresponse()
                text, ours = answer.read(), answer.getheader("Turnwire-Version") is not None
                if ours: got[:] = [answer.status, json.loads(text or b"{}"), dict(answer.getheaders())]
                link.close()
            except (OSError, http.client.HTTPException, ValueError): pass
            done.set()
        threading.Thread(target=attempt, daemon=True).start()
        end = time.monotonic() + timeout
        while not done.wait(0.02) and time.monotonic() < end:
            if not always: self.over()
        return got[0], got[1], got[2]
    def surface(self, first):
        for rung in (0.25, 0.5, 1, 2, 4, *[5] * 17):  # the ladder of TW-RET-017, for about 90 s
            status, body, headers = self.ask("GET", "/surface", timeout=10 if first else 2, etag=self.etag)
            if status == 200:
                if first and body["turnId"] != self.of["body"].get("turnId", body["turnId"]): raise Over("aborted", "turn_over")
                self.turn, self.menu, self.etag = body["turnId"], [item["name"] for item in body["menu"]], headers.get("ETag") or headers.get("etag")
                self.mints = not body["capabilities"].get("clientDeliveryIds", False)
                return
            if status == 404 and body.get("code") == "turn_over": raise Over("aborted", "turn_over")
            if not first or status == 304: return  # the last list is kept (TW-TRN-006)
            if status is not None and status < 500 and status != 429: raise Over("failed", "surface_refused", str(body.get("code")))
            self.sleep(rung * random.uniform(0.5, 1))
        raise Over("failed", "surface_unreachable")
    def run(self):
        c, of = self.c, self.of
        self.over()
        script = json.loads(of["body"]["message"])["steps"]
        said = [record["message"] for record in c.records if record["submissionId"] == of["id"] and record["type"] == "message.appended"]
        resumed = of["state"] == "waiting"
        if of["state"] == "running": raise Over("failed", "harness_restarted", "the process died while it ran")
        if not resumed: c.record(of, "submission.started")
        try: self.surface(True)
        except Over as over:
            if not resumed or over.args[1] == "aborted": raise
            self.turn = of["pick"]["body"]["turnId"]
        nth = sum(message["role"] == "assistant" for message in said)
        if resumed:
            part = of["pick"]["part"]
            rest = [each for each in said[-1]["parts"] if each["type"] == "tool-call"] if said[-1]["role"] == "assistant" else []
            done = self.picks([part] + [each for each in rest if each["id"] != part["id"]], of["pick"])
            if done: raise Over("completed")
        else: c.message(of, "user", {"type": "text", "text": "\n\n".join([of["body"]["message"], *of["body"].get("notices", [])])})
        for step in script[nth:]:
            if nth > 0: self.surface(False)
            nth += 1
            if step.get("hang"): self.sleep(10 ** 9)
            self.sleep(step.get("delayMs", 0) / 1000)
            parts = self.text(step)
            usage = step.get("usage", {})
            tokens = {name: usage.get(name, 0) for name in ("inputTokens", "outputTokens")}
            c.record(of, "usage", **tokens)
            self.tokens += sum(tokens.values())
            most = self.limits.get("maxTotalTokens", self.tokens)
            if self.tokens > most: raise Over("failed", "limit_exceeded", f"maxTotalTokens is {most}, and the turn used {self.tokens}")
            parts += [{"type": "tool-call", "id": new_id("call"), "name": pick["name"], "input": pick.get("input", {})} for pick in step.get("picks", [])]
            c.message(of, "assistant", *parts)
            if "picks" not in step or self.picks([part for part in parts if part["type"] == "tool-call"]): raise Over("completed")
        raise Over("completed")
    def text(self, step):
        """What was said before an abort is kept (TW-ABT-008)."""
        whole, size = step.get("text", ""), step.get("chunkSize", 10 ** 9)
        try:
            for end in range(0, len(whole), size): self.sleep(step.get("chunkDelayMs", 0) / 1000)
        except Over:
            if whole[:end]: self.c.message(self.of, "assistant", {"type": "text", "text": whole[:end]})
            raise
        return [{"type": "text", "text": whole}] if whole else []
    def picks(self, parts, pending=None):
        """One after another (TW-TRN-008). True when the turn is complete."""
        complete = False
        for part in parts:
            if complete: self.result(part, "It was not called: the turn was over.", True); continue
            if pending is None: self.guard(part)
            outcome, text, receipt = self.deliver(part, pending)
            pending, key = None, json.dumps([part["name"], part["input"]], sort_keys=True)
            still = outcome in ("not_moved", "refused")
            self.same = self.same + 1 if still and key == self.last else int(still)
            self.last = key
            self.result(part, text, outcome in ("refused", "rejected", "unknown_tool"), outcome)
            if outcome == "turn_over": raise Over("aborted", "turn_over")
            complete = bool(receipt and receipt.get("turnComplete"))
        return complete
    def guard(self, part):
        self.over()
        self.calls += 1
        most = self.limits.get("maxToolCalls")
        if most is not None and self.calls > most: raise Over("failed", "limit_exceeded", f"maxToolCalls is {most}, and this is call {self.calls}")
        again = self.same >= 3 and self.last == json.dumps([part["name"], part["input"]], sort_keys=True)
        if self.calls > RUNAWAY or again: raise Over("failed", "runaway", "the same call again and again" if again else f"more than {RUNAWAY} calls")
    def result(self, part, text, failed, outcome="rejected"):
        say = self.c.say(self.of, "message.appended", message={"id": new_id("msg"), "role": "tool", "parts": [{"type": "tool-result", "id": part["id"], "name": part["name"], "text": text, "isError": failed}]})
        self.c.write(say, self.c.say(self.of, "tool.answered", name=part["name"], outcome=outcome, ms=0))
    def deliver(self, part, pending):
        if part["name"] not in self.menu and not pending: return "unknown_tool", f"There is no pick `{part['name']}`.", None
        body = pending["body"] if pending else {"turnId": self.turn, "deliveryId": new_id("dlv"), "event": part["name"], "input": part["input"]}
        delivery = pending["delivery"] if pending else body["deliveryId"]
        if not pending:
            self.c.write({"of": self.of["id"], "pick": {"part": part, "body": body, "delivery": delivery}}, self.c.say(self.of, "tool.called", name=part["name"]))
        try: return self.settled_pick(part, body, delivery, pending is not None)
        except Over as over:  # one last look at what became of it, for at most 2 s (TW-ABT-007)
            status, answer, _ = self.ask("GET", f"/deliveries/{delivery}", timeout=2, always=True)
            self.result(part, self.told(part, answer) if status == 200 else f"It is not known whether the pick `{part['name']}` arrived.", False, "unknown_turn_ended")
            raise over
    def settled_pick(self, part, body, delivery, taken):
        rungs, doubt = [0.25, 0.5, 1, 2, 4, 5, 5, 5, 5], False
        while True:
            if taken: status, answer, _ = self.ask("GET", f"/deliveries/{delivery}?wait=1", timeout=12)
            elif doubt: status, answer, _ = self.ask("GET", f"/deliveries/{delivery}", timeout=10)
            else: status, answer, _ = self.ask("POST", "/events", body, timeout=10)
            code = answer.get("code")
            if status == 200: return "moved" if answer.get("moved") else "not_moved", self.told(part, answer), answer
            if status == 202:
                if self.of["state"] != "waiting":
                    delivery = answer["deliveryId"]
                    self.c.write({"of": self.of["id"], "pick": {"part": part, "body": body, "delivery": delivery}}, self.c.say(self.of, "submission.waiting", deliveryId=delivery))
                taken = True
                if state["draining"]: raise Suspended
                continue
            if status == 404 and code == "turn_over": return "turn_over", "The turn is over: stop.", None
            if status == 404 and code == "unknown_delivery" and doubt: doubt = False; continue
            if status is not None and status < 500:
                problems = "".join(f"\n- {each.get('path')}: {each.get('message')}" for each in answer.get("problems", []))
                return "refused" if code == "refused" else "rejected", f"The pick `{part['name']}` was not taken: {code}.{problems}", None
            refused = status == 503 and code in ("stopping", "run_unavailable")  # proved: it was not taken (TW-PIC-010)
            if not refused and not taken:
                if self.mints: return "unknown", f"It is not known whether the pick `{part['name']}` arrived. A second call can run it twice.", None
                doubt = True
            if not taken and not rungs: return "unknown", f"It is not known whether the pick `{part['name']}` arrived.", None
            if state["draining"] and taken: raise Suspended
            self.sleep((rungs.pop(0) if rungs else 5) * random.uniform(0.5, 1))
    def told(self, part, receipt):
        answer = f" Its answer: {json.dumps(receipt['answer'])}" if "answer" in receipt else ""
        if receipt.get("turnComplete"): return f"The workflow took the pick `{part['name']}`. The turn is over.{answer}"
        moved = "The workflow took" if receipt.get("moved") is not False else "Nothing moved: do not repeat this call unchanged. The workflow received"
        return f"{moved} the pick `{part['name']}`.{answer} Allowed picks now: {', '.join(receipt.get('allowed', []))}"
