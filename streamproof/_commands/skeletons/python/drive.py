"""Speaks drive/1 on stdin and stdout, runs each run on a thread, and sends its request.

Nothing here depends on the adapter, so it does not have to be read or changed.
"""

import codecs
import contextlib
import http.client
import json
import re
import socket
import sys
import threading
import urllib.parse


class Failed(Exception):
    """The upstream failed: the kind of failure, its message, perhaps its code."""


class Run:
    """One run: the conversation, the address to send it to, and the parts emitted so far.

    ``on_cancel`` is called, on another thread, when the run is cancelled.
    """

    def __init__(self, message):
        self.id, self.dialect, self.options = (message[k] for k in ("id", "dialect", "options"))
        self.base_url, self.api_key, self.model = (
            message[k] for k in ("base_url", "api_key", "model")
        )
        self.messages, self.tools = message["messages"], message["tools"]
        self.after, self.n = message.get("cancel", {}).get("after_parts"), 0
        self.cancelled, self.on_cancel = self.after == 0, lambda: None

    def emit(self, part):
        """Send a part to the kit, unless the run was cancelled."""
        with SAYING:  # no part may come between the line that says cancelling and the flag
            if not self.cancelled:
                write(type="part", id=self.id, n=self.n, part=part)
                self.n += 1
                self.cancelled = self.n == self.after

    def cancel(self):
        with SAYING:
            write(type="cancelling", id=self.id)
            self.cancelled = True
        self.on_cancel()


def events(run, route, body):
    """POST a body and yield the JSON of each server-sent event, until the run is cancelled."""
    url = urllib.parse.urlsplit(run.base_url)
    connect = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {run.api_key}"}
    with contextlib.closing(connect[url.scheme](url.netloc)) as connection:
        connection.request("POST", url.path + route, json.dumps(body), headers)
        upstream = connection.sock

        def leave():
            with contextlib.suppress(OSError):
                upstream.shutdown(socket.SHUT_RDWR)  # wakes up the thread that reads from it

        run.on_cancel = leave
        response = connection.getresponse()
        if response.status != 200:
            raise Failed("http", f"HTTP {response.status}: {response.read(500)!r}")
        for data in event_data(lines(iter(lambda: response.read1(65536), b""))):
            if run.cancelled:
                return
            if data.strip() not in ("", "[DONE]"):
                yield json.loads(data)


def event_data(lines):
    """The data of each server-sent event (WHATWG HTML § 9.2.6), as soon as a blank line ends it."""
    data = []
    for line in lines:
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def lines(pieces):
    """The lines of a stream, without a BOM at its start; LF, CR or CRLF ends a line."""
    decoder, rest, last = codecs.getincrementaldecoder("utf-8-sig")("replace"), "", ""
    for text in filter(None, map(decoder.decode, pieces)):
        more = text.removeprefix("\n") if last == "\r" else text  # the LF of a CRLF cut in two
        *whole, rest = re.split("\r\n|\r|\n", rest + more)
        last = text[-1]
        yield from whole


def ending(run, play):
    """The ending of a run; a failure of the upstream is an ending, any other error is raised."""
    try:
        finish = None if run.cancelled else play(run)
        done = {"outcome": "completed", "finish": finish}
    except Failed as failed:
        kind, message, *code = failed.args
        done = failure(kind, message, *code)
    except ValueError as error:
        done = failure("decode", str(error))
    except (OSError, http.client.HTTPException) as error:
        done = failure("transport", repr(error))
    return {"outcome": "cancelled"} if run.cancelled else done


def failure(kind, message, code=""):
    return {"outcome": "failed", "error": {"kind": kind, "message": message, "code": code}}


def fly(run, dialects, play):
    if run.dialect not in dialects:
        say(type="unsupported", id=run.id, reason=f"it does not speak {run.dialect}")
        return
    try:
        say(type="done", id=run.id, **ending(run, play))
    except Exception as error:
        say(type="error", id=run.id, message=repr(error))


SAYING, RUNS = threading.Lock(), {}


def say(**message):
    with SAYING:
        write(**message)


def write(**message):
    print(json.dumps(message), flush=True)


def serve(identity, dialects, play):
    """Play runs until the kit sends bye. ``play`` takes a run and returns how it finished."""
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say(type="hello", protocol=1, adapter=identity, implementation=identity)
            case "run":
                run = RUNS[message["id"]] = Run(message)
                threading.Thread(target=fly, args=[run, dialects, play], daemon=True).start()
            case "cancel":
                RUNS[message["id"]].cancel()
            case "bye":
                break
