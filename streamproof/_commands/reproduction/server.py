"""Plays the answers beside this file: ``python3 server.py [PORT]``, with Python 3.9 or newer.

Each POST request gets the next answer of ``answers.json``, at the end the last one again, in its
``plain`` form if it asks for no stream, and its body goes into ``sent.jsonl``. An answer is made of
slices of ``bytes.bin``, each due so many seconds after it began. Without a port, one is chosen.
"""

from __future__ import annotations

import itertools
import json
import socket
import struct
import sys
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ANSWERS = json.loads((HERE / "answers.json").read_text("utf-8"))
BYTES = (HERE / "bytes.bin").read_bytes()
REQUESTS = itertools.count()
SENT = (HERE / "sent.jsonl").open("wb", buffering=0)

# Without this gap, a client may read two writes at once.
GAP = 0.001
# SO_LINGER with a time of zero: closing the socket sends RST instead of FIN.
LINGER = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        SENT.write(b" ".join(body.splitlines()) + b"\n")
        answer = ANSWERS[min(next(REQUESTS), len(ANSWERS) - 1)]
        streams = self.headers.get("ai-language-model-streaming") == "true"
        if not streams and b'"stream":true' not in body.replace(b" ", b""):
            answer = answer.get("plain", answer)
        try:
            self.play(answer)
        except ConnectionError:
            self.close_connection = True

    def play(self, answer: dict[str, Any]) -> None:
        """Write an answer: the head together with what is due at once, then each write on time."""
        writes, head = answer["writes"], head_of(answer)
        if not writes or writes[0]["at"] > 0:
            self.wfile.write(head)
            head = b""
        start = written = time.monotonic()
        planned = 0.0
        for write in writes:
            sleep_until(max(start + write["at"], written + min(write["at"] - planned, GAP)))
            self.wfile.write(head + body_of(write, answer))
            head, planned, written = b"", write["at"], time.monotonic()
        sleep_until(start + answer["closes_at"])
        self.close_connection = answer["close"] != "clean"
        getattr(self, answer["close"].replace("half-close", "stall"))(answer)

    def clean(self, answer: dict[str, Any]) -> None:
        """End the body; if its last write was due at the end, it had the end in it."""
        if "Transfer-Encoding" in answer["headers"] and not ends_with_write(answer):
            self.wfile.write(b"0\r\n\r\n")

    def cut(self, _answer: dict[str, Any]) -> None:
        """Close the connection in the middle of the body."""

    def reset(self, _answer: dict[str, Any]) -> None:
        """Reset the connection in the middle of the body."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
        socket.close(self.connection.detach())

    def stall(self, answer: dict[str, Any]) -> None:
        """Send nothing more until the client leaves; half-closed, this side has ended."""
        if answer["close"] == "half-close":
            self.connection.shutdown(socket.SHUT_WR)
        self.connection.recv(1)


def head_of(answer: dict[str, Any]) -> bytes:
    status = answer["status"]
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    lines = [f"{name}: {value}" for name, value in answer["headers"].items()]
    return "\r\n".join([f"HTTP/1.1 {status} {phrase}", *lines, "", ""]).encode()


def body_of(write: dict[str, Any], answer: dict[str, Any]) -> bytes:
    data = BYTES[write["offset"] : write["offset"] + write["length"]]
    if "Transfer-Encoding" not in answer["headers"]:
        return data
    chunk = b"%x\r\n%s\r\n" % (len(data), data)
    last = write is answer["writes"][-1] and ends_with_write(answer)
    return chunk + b"0\r\n\r\n" if last else chunk


def ends_with_write(answer: dict[str, Any]) -> bool:
    """Whether the answer ends cleanly at the moment of its last write."""
    last = [write["at"] for write in answer["writes"]][-1:]
    return answer["close"] == "clean" and last == [answer["closes_at"]]


def sleep_until(moment: float) -> None:
    while (early := moment - time.monotonic()) > 0:
        time.sleep(early)


if __name__ == "__main__":
    port = int(sys.argv[1]) if sys.argv[1:] else 0
    with suppress(KeyboardInterrupt), ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
        server.serve_forever()
