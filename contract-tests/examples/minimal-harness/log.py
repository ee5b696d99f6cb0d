"""The log: conversations as files of JSON lines. What a Harness says stands here first (TW-DUR-001)."""
import fcntl, json, os, sys, threading
from datetime import datetime, timezone

ENV, WAKE, READY = os.environ, threading.Condition(), threading.Event()  # WAKE guards what is shared
DATA = ENV.get("TURNWIRE_DATA_DIR", ".turnwire/harness")
conversations, remembered, state = {}, {}, {"draining": False, "store": "", "settled": 0}

def new_id(kind): return f"{kind}_{os.urandom(9).hex()}"
def now(): return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
def log(**fields): print(json.dumps({"time": now(), **fields}), file=sys.stderr, flush=True)

def append(file, *lines):
    """On disk before anybody is told (TW-DUR-001)."""
    with open(os.path.join(DATA, file), "a") as out:
        out.write("".join(json.dumps(line) + "\n" for line in lines))
        out.flush()
        os.fsync(out.fileno())

class Conversation:
    def __init__(self, key):
        self.file, self.records, self.submissions, self.incarnation, self.worker = key.replace("/", "@") + ".log", [], [], None, None
    def take(self, line):
        if "incarnation" in line: self.incarnation = line["incarnation"]
        elif "admitted" in line: self.submissions.append({**line["admitted"], "state": "queued", "pick": None, "abort": threading.Event()})
        elif "pick" in line: self.find(line["of"])["pick"] = line["pick"]
        else:
            self.records.append(line)
            of, kind = self.find(line["submissionId"]), line["type"].split(".")[1:]
            if line["type"].startswith("submission."): of["state"] = {"started": "running"}.get(kind[0], kind[0])
            elif line["type"] == "tool.answered": of["state"], of["pick"] = "running", None
            if kind == ["settled"]: of["settlement"] = {k: line[k] for k in ("outcome", "error") if k in line}
    def find(self, sid): return next((each for each in self.submissions if each["id"] == sid), None)
    def write(self, *lines):
        with WAKE:
            append(self.file, *lines)
            for line in lines: self.take(line)
            WAKE.notify_all()
    def say(self, of, type, **more):
        turn = {"turnId": of["body"]["turnId"]} if "turnId" in of["body"] else {}
        return {"type": type, "submissionId": of["id"], **turn, "at": now(), **more}
    def record(self, of, type, **more): self.write(self.say(of, type, **more))
    def message(self, of, role, *parts): self.record(of, "message.appended", message={"id": new_id("msg"), "role": role, "parts": list(parts)})
    def settle(self, of, outcome, code=None, message=None):
        error = {} if code is None else {"error": {"code": code, "message": message or code}}
        self.record(of, "submission.settled", outcome=outcome, **error)
        state["settled"] += 1
        log(event="settled", submission=of["id"], outcome=outcome, code=code)
    def unsettled(self): return [each for each in self.submissions if each["state"] != "settled"]
    def offset(self, index): return f"{self.incarnation}_{index:016d}"
    def work(self):
        """One worker at a time; it ends when there is nothing to do."""
        from turn import run
        with WAKE:
            if self.worker is None and READY.is_set():
                self.worker = threading.Thread(target=run, args=(self,), daemon=True)
                self.worker.start()

def recover():
    """One process owns the folder; another one waits for it (TW-DUR-008)."""
    lock = open(os.path.join(DATA, "lock"), "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    state["lock"] = lock
    for file in sorted(os.listdir(DATA)):
        if not file.endswith(".log") and file != "aborts": continue
        with open(os.path.join(DATA, file), "rb+") as log_file:
            whole = log_file.read()
            log_file.truncate(whole.rfind(b"\n") + 1)  # a torn tail was never acknowledged
        lines = [json.loads(line) for line in whole[: whole.rfind(b"\n") + 1].splitlines()]
        if file == "aborts": remembered.update({(line["key"], line["turnId"]): line["until"] for line in lines})
        elif lines:
            c = conversations[file[:-4].replace("@", "/")] = Conversation(file[:-4].replace("@", "/"))
            for line in lines: c.take(line)
    READY.set()
    for c in list(conversations.values()):
        if c.unsettled(): c.work()
