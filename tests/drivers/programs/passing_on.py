"""A gateway that forwards requests and answers.

``spoils`` changes text, ``crashes`` exits, and ``renames`` asks its upstream for one model only.
"""

import http.client
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOW = sys.argv[1] if len(sys.argv) > 1 else ""
UPSTREAM = urlsplit(os.environ["MOCK_BASE_URL"])


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if HOW == "renames":
            body = re.sub(rb'("model": *)"[^"]*"', rb'\1"mine"', body)
        upstream = http.client.HTTPConnection(UPSTREAM.netloc)
        path = UPSTREAM.path + self.path.removeprefix("/v1")
        kept = {name: self.headers[name] for name in ("Content-Type", "Authorization", "Accept")}
        upstream.request("POST", path, body, kept)
        answer = upstream.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.end_headers()
        while piece := answer.read1():
            if HOW == "crashes":
                os._exit(5)
            self.wfile.write(piece.replace(b"tablets", b"pills") if HOW == "spoils" else piece)
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Gateway).serve_forever()
