"""A gateway that serves the parts of a language model provider, as Vercel's does.

It reads the upstream with the kit's reference state machine. With an argument it omits the finish.
"""

import http.client
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from conformance.dialects.client.sse import Decoder
from conformance.dialects.openresponses.reference.machine import ENDED
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode

FORGETS = len(sys.argv) > 1
UPSTREAM = urlsplit(os.environ["MOCK_BASE_URL"])


def served(part: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a provider for a part; each text is a block."""
    if part["type"] == "toolCall":
        names = {"toolCallId": part["callId"], "toolName": part["name"]}
        return [{"type": "tool-call", **names, "input": json.dumps(part["input"])}]
    kind = {"text": "text", "thinking": "reasoning"}[part["type"]]
    delta = {"type": f"{kind}-delta", "id": "0", "delta": part["value"]}
    return [{"type": f"{kind}-start", "id": "0"}, delta, {"type": f"{kind}-end", "id": "0"}]


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/language-model"
        said = [part["text"] for message in asked["prompt"] for part in message["content"]]
        body = {"model": self.headers["ai-language-model-id"], "input": said[0], "stream": True}
        headers = {name: self.headers[name] for name in ("Content-Type", "Authorization")}
        upstream = http.client.HTTPConnection(UPSTREAM.netloc)
        upstream.request("POST", f"{UPSTREAM.path}/responses", json.dumps(body), headers)
        answer = upstream.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.end_headers()
        if answer.status >= 400:
            self.wfile.write(answer.read())
            return
        machine, decoder = ResponsesToVscode({"annotations": "hidden"}), Decoder()
        while machine.phase != ENDED and (piece := answer.read1()):
            for message in decoder.feed(piece):
                if message.data.startswith("{") and machine.phase != ENDED:
                    self.say(*chain(*map(served, machine.event(json.loads(message.data)))))
        self.say(*chain(*map(served, machine.close())))
        self.finish_with(machine.end())

    def finish_with(self, end: dict[str, Any]) -> None:
        if end["outcome"] == "failed":
            self.say({"type": "error", "error": end["error"]})
        if not FORGETS:
            self.say({"type": "finish", "finishReason": end.get("finish", "error"), "usage": {}})

    def say(self, *parts: dict[str, Any]) -> None:
        for part in parts:
            self.wfile.write(f"data: {json.dumps(part)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Gateway).serve_forever()
