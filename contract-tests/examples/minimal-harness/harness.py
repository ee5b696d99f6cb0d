"""A Turnwire Harness: Python and its standard library. It starts, drains and ends here."""
import http.server, json, os, signal, sys, threading, time
from api import DIGEST, Api
from log import DATA, ENV, WAKE, conversations, new_id, recover, state

def drain():
    timeout = time.monotonic() + float(ENV.get("TURNWIRE_DRAIN_TIMEOUT", "600"))
    def busy(): return any(c.worker is not None for c in conversations.values())
    while busy() and not state.get("now"):
        if time.monotonic() > timeout: abort_all()
        time.sleep(0.05)
    if state.get("now"):
        abort_all()
        end = time.monotonic() + 5
        while busy() and time.monotonic() < end: time.sleep(0.05)
        os._exit(1)
    time.sleep(5)  # for readers between two polls (TW-DRN-004)
    with WAKE: state["over"] = True; WAKE.notify_all()
    time.sleep(0.2)
    os._exit(0)

def abort_all():
    for c in conversations.values():
        for each in c.unsettled(): each["abort"].set()

def terminated(*_):
    if state["draining"]: state["now"] = True
    else: state["draining"] = True; threading.Thread(target=drain, daemon=True).start()

class Server(http.server.ThreadingHTTPServer): request_queue_size, daemon_threads = 256, True

def main():
    if not DIGEST: sys.exit("harness: TURNWIRE_HARNESS_TOKEN_SHA256 is not set")
    os.makedirs(DATA, exist_ok=True)
    try:
        with open(os.path.join(DATA, "store"), "x") as file: file.write(new_id("store"))
    except FileExistsError: pass
    state["store"] = open(os.path.join(DATA, "store")).read()
    try: server = Server((ENV.get("TURNWIRE_HOST", "127.0.0.1"), int(ENV.get("TURNWIRE_PORT", "8080"))), Api)
    except (OSError, ValueError) as error: sys.exit(f"harness: cannot listen: {error}")
    signal.signal(signal.SIGTERM, terminated)
    threading.Thread(target=recover, daemon=True).start()
    host, port = server.server_address[:2]
    print(json.dumps({"event": "listening", "role": "harness", "url": f"http://{host}:{port}", "pid": os.getpid()}), flush=True)
    server.serve_forever()

if __name__ == "__main__": main()
