"""A queue of jobs behind HTTP, with a worker of its own; with a bug, if one is asked for.

python server.py PORT [--bug cancelled|result|number|lost]
"""

import argparse
import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUGS = ("cancelled", "result", "number", "lost")


class Queue:
    """The jobs, and a worker that does them one after the other."""

    def __init__(self, bug=None):
        self.bug, self.changed = bug, threading.Condition()
        self.clear()
        threading.Thread(target=self.work, daemon=True).start()

    def clear(self):
        with self.changed:
            self.jobs, self.waiting = {}, []

    def submit(self, size):
        with self.changed:
            name = f"job-{random.getrandbits(32):08x}"
            if self.bug == "number" and self.jobs:
                name = next(iter(self.jobs))  # a name that somebody has already
            if not (self.bug == "lost" and self.waiting):
                self.waiting.append(name)
            self.jobs[name] = {"id": name, "state": "waiting", "size": size}
            self.changed.notify_all()
            return name

    def cancel(self, name):
        with self.changed:
            if name not in self.waiting:
                return False
            if self.bug != "cancelled" or len(self.waiting) == 1:
                self.waiting.remove(name)
            self.jobs[name]["state"] = "cancelled"
            return True

    def work(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting)
                job = self.jobs[self.waiting.pop(0)]
                job["state"] = "running"
            time.sleep(random.uniform(0.0, 0.06))
            with self.changed:
                wrong = self.bug == "result" and len(self.jobs) > 2
                job.update(state="done", result=job["size"] ** 2 + wrong)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, status, content=None):
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/reset":
            self.server.queue.clear()
            self.answer(204)
        else:
            self.answer(202, {"id": self.server.queue.submit(json.loads(body)["size"])})

    def do_GET(self):
        job = self.server.queue.jobs.get(self.path.rpartition("/")[2])
        self.answer(200 if job else 404, job)

    def do_DELETE(self):
        self.answer(204 if self.server.queue.cancel(self.path.rpartition("/")[2]) else 409)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--bug", choices=BUGS)
    asked = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", asked.port), Handler)
    server.queue = Queue(asked.bug)
    server.serve_forever()


if __name__ == "__main__":
    main()
