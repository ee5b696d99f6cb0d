"""Conversations, and what became of what was asked in them. What is told to anybody stands here first."""

import hashlib, json, threading, time, uuid
from datetime import datetime, timezone
from outcomes import told

CHANGED = threading.Condition()  # guards all that follows, and is notified of each record
STATES = {"started": "running", "waiting": "waiting", "answered": "running", "settled": "settled"}
SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS store (one INTEGER PRIMARY KEY, id TEXT);
CREATE TABLE IF NOT EXISTS records (n INTEGER PRIMARY KEY, iid TEXT, record TEXT);
CREATE TABLE IF NOT EXISTS aborts (iid TEXT, turn TEXT, until REAL);
"""

def new_id(kind):
    return f"{kind}_{uuid.uuid4().hex}"

def seconds_since(at):
    return (datetime.now(timezone.utc) - datetime.fromisoformat(at)).total_seconds()

class Over(Exception):
    """Why a turn ends: outcome, code, message. Without them there is nothing to settle."""

class Submission:
    """An admitted prompt, and how far its records say that it came."""

    def __init__(self, id, first, key, body, trace, aborted):
        self.id, self.first, self.key, self.body = id, first, key, body
        self.trace, self.aborted = trace, aborted
        self.state, self.settlement, self.over, self.begun = "queued", None, threading.Event(), False
        self.steps, self.open, self.sent, self.outcomes, self.saying = [], {}, None, {}, ""

    def take(self, record):
        kind, parts = record["type"].split(".")[-1], record.get("message", {}).get("parts", [])
        self.state = STATES.get(kind, self.state)
        if kind == "started":
            self.started = record["at"]
        elif kind == "appended" and record["message"]["role"] == "assistant":
            self.steps.append(parts)
            self.open, self.saying = {part["id"]: part for part in parts if part["type"] == "tool-call"}, ""
        elif kind == "appended" and record["message"]["role"] == "tool":
            del self.open[parts[0]["id"]]
        elif kind == "called":
            self.sent = record
        elif kind == "waiting":
            self.sent = {**self.sent, "deliveryId": record["deliveryId"]}
        elif kind == "answered":
            self.sent, self.outcomes[record["callId"]] = None, record["outcome"]
        elif kind == "settled":
            self.settlement = {name: record[name] for name in ("outcome", "error") if name in record}
            self.over.set()

    def view(self):
        turn = {"turnId": self.body["turnId"]} if "turnId" in self.body else {}
        settlement = {"settlement": self.settlement} if self.settlement else {}
        return {"submissionId": self.id, **turn, "state": self.state, **settlement}

class Conversation:
    """One log of records. Its Submissions run one at a time, in the order of admission (TW-ADM-014)."""

    def __init__(self, db, store, iid, run):
        self.db, self.iid, self.run, self.records, self.submissions = db, iid, run, [], {}
        self.incarnation = hashlib.sha256(f"{store}/{iid}".encode()).hexdigest()[:12]
        for (record,) in db.execute("SELECT record FROM records WHERE iid = ? ORDER BY n", [iid]):
            self.take(json.loads(record))

    def take(self, record):
        id, admission = record["submissionId"], record.pop("admission", None)
        if admission: self.submissions[id] = Submission(id, len(self.records), **admission)
        self.records.append(record)
        self.submissions[id].take(record)

    def write(self, id, body, kind, **members):
        """One record more, on disk before anybody can read it (TW-DUR-001)."""
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        turn = {"turnId": body["turnId"]} if "turnId" in body else {}
        record = {"type": kind, "submissionId": id, **turn, "at": at, **members}
        with self.db:
            self.db.execute("INSERT INTO records (iid, record) VALUES (?, ?)", [self.iid, json.dumps(record)])
        self.take(record)
        CHANGED.notify_all()

    def admit(self, key, body, trace):
        """A Submission with its key, in one record. One whose abort came earlier is over (TW-ABT-003)."""
        early = "SELECT 1 FROM aborts WHERE iid = ? AND turn = ? AND until > ?"
        aborted = self.db.execute(early, [self.iid, body.get("turnId"), time.time()]).fetchone() is not None
        id, admission = new_id("sub"), {"key": key, "body": body, "trace": trace, "aborted": aborted}
        self.write(id, body, "submission.queued", admission=admission)
        self.next()
        return self.submissions[id]

    def next(self):
        """Begins the first Submission that is not over, once."""
        of = self.current()
        if of and not of.begun:
            of.begun = True
            threading.Thread(target=self.run, args=(self, of), daemon=True).start()

    def current(self):
        return next((of for of in self.submissions.values() if not of.settlement), None)

    def is_busy(self):
        return self.current() is not None and self.current().state != "waiting"

    def say(self, of, kind, **members):
        with CHANGED:
            if of.over.is_set(): raise Over
            self.write(of.id, of.body, kind, **members)

    def message(self, of, role, *parts):
        self.say(of, "message.appended", message={"id": new_id("msg"), "role": role, "parts": parts})

    def answer(self, of, call, outcome, values=None):
        """What became of a call, as the model reads it; the first word stands."""
        text, failed = told(outcome, {**(values or {}), "event": call["name"], "name": call["name"]})
        with CHANGED:
            if call["id"] not in of.open: return
            ms = int(1000 * seconds_since(of.sent["at"])) if of.sent else 0
            self.say(of, "tool.answered", name=call["name"], outcome=outcome, ms=ms, callId=call["id"])
            result = {"type": "tool-result", "id": call["id"], "name": call["name"], "text": text}
            self.message(of, "tool", {**result, "isError": failed})

    def settle(self, of, outcome, code=None, message=None):
        """Ends a Submission, whoever asks for it. The first Settlement stands, and its turn says no more."""
        with CHANGED:
            if of.over.is_set(): return False
            if of.saying: self.message(of, "assistant", {"type": "text", "text": of.saying})
            for call in list(of.open.values()):
                sent = "taken_turn_ended" if of.state == "waiting" else "unknown_turn_ended"
                self.answer(of, call, sent if of.sent else "not_executed")
            error = {"error": {"code": code, "message": message or code}} if code else {}
            self.say(of, "submission.settled", outcome=outcome, **error)
            self.next()
            return True

    def until(self, id, turn_id):
        """What an abort ends: all, or up to what it names; a turn yet to come is remembered (TW-ABT-003)."""
        with CHANGED:
            all = list(self.submissions.values())
            if not (id or turn_id): return all
            named = [n for n, of in enumerate(all) if of.id == id or of.body.get("turnId", "") == turn_id]
            if turn_id and not named:
                row = [self.iid, turn_id, time.time() + 600]
                with self.db: self.db.execute("INSERT INTO aborts VALUES (?, ?, ?)", row)
            return all[: named[-1] + 1] if named else []

    def history(self):
        with CHANGED:
            messages = [record["message"] for record in self.records if "message" in record]
            submissions = [of.view() for of in self.submissions.values()]
            here = {"incarnation": self.incarnation, "offset": self.offset(len(self.records))}
        return {"conversationId": self.iid, **here, "messages": messages, "submissions": submissions}

    def offset(self, position):
        return f"{self.incarnation}_{position:016}"

    def read(self, of, start):
        """What a reader gets from there on, where it goes on, and whether that is the end of its stream."""
        numbered = list(enumerate(self.records))[start:]
        mine = [(n, record) for n, record in numbered if not of or record["submissionId"] == of.id]
        return [record for _, record in mine], mine[-1][0] + 1 if mine else start, bool(of and of.settlement)
