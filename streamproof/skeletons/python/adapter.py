"""An adapter that speaks drive/1: OpenResponses in, the parts of VS Code out.

`play` and `convert` are where your own implementation goes; the rest is the protocol.
"""

import contextlib
import http.client
import json
import socket
import sys
import threading
import urllib.parse

ME = {"name": "my-adapter", "version": "0.1.0"}
FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}


class Failed(Exception):
    """The upstream failed: the kind of failure, its message, perhaps its code."""


class Run:
    def __init__(self, message):
        self.message, self.id, self.n, self.calls = message, message["id"], 0, set()
        self.after = message.get("cancel", {}).get("after_parts")
        self.cancelled, self.socket = self.after == 0, None

    def emit(self, part):
        if not self.cancelled:
            say(type="part", id=self.id, n=self.n, part=part)
            self.n += 1
            self.cancelled = self.n == self.after

    def cancel(self):
        self.cancelled = True
        with contextlib.suppress(AttributeError, OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes up whoever reads from it


def play(run):
    """Ask the upstream and convert what it streams; how the response finished."""
    url = urllib.parse.urlsplit(run.message["base_url"])
    connect = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    with contextlib.closing(connect[url.scheme](url.netloc)) as connection:
        connection.request("POST", f"{url.path}/responses", *asked(run.message))
        run.socket = connection.sock
        response = connection.getresponse()
        if response.status != 200:
            raise Failed("http", f"HTTP {response.status}: {response.read(500)!r}")
        for line in response:
            if run.cancelled:
                return None
            data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if data and data != b"[DONE]" and (finish := convert(json.loads(data), run)):
                return finish
    raise Failed("truncated", "the stream ended before the response did")


def asked(message):
    """The body of the request, and its headers."""
    tools = [
        {"type": "function", "name": tool["name"], "parameters": tool["input_schema"]}
        for tool in message["tools"]
    ]
    body = {"model": message["model"], "input": message["messages"], "tools": tools}
    key = f"Bearer {message['api_key']}"
    headers = {"Content-Type": "application/json", "Authorization": key}
    return json.dumps({**body, "stream": True}), headers


def convert(event, run):
    """Emit what an event sets free; how the response finished, once it has."""
    item, response = event.get("item") or {}, event.get("response") or {}
    match event.get("type"):
        case "response.output_text.delta" | "response.refusal.delta" if event["delta"]:
            run.emit({"type": "text", "value": event["delta"]})
        case "response.output_item.done" if item.get("type") == "function_call":
            call(item, run)
        case "response.completed":
            return "tool-calls" if run.calls else "stop"
        case "response.incomplete":
            return FINISH.get((response.get("incomplete_details") or {}).get("reason"), "other")
        case "response.failed" | "error":
            error = response.get("error") or event.get("error") or event
            told = error if isinstance(error, dict) else {"message": error}
            raise Failed("upstream", str(told.get("message")), str(told.get("code") or ""))
    return None


def call(item, run):
    """A call leaves once, whole; one that was cut off does not leave."""
    id_, name = item["call_id"], item["name"]
    if item.get("status") == "incomplete" or id_ in run.calls:
        return
    run.calls.add(id_)
    arguments = json.loads(item["arguments"].strip() or "{}")
    if not isinstance(arguments, dict):
        raise ValueError(f"the arguments of {name} are no object")
    run.emit({"type": "toolCall", "callId": id_, "name": name, "input": arguments})


def ending(run):
    """How a run ended; a failure is a result. What else is raised is this program's own fault."""
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


def serve(run):
    if run.message["dialect"] != "openresponses":
        say(type="unsupported", id=run.id, reason=f"it does not speak {run.message['dialect']}")
        return
    try:
        say(type="done", id=run.id, **ending(run))
    except Exception as error:
        say(type="error", id=run.id, message=repr(error))


def say(**message):
    with SAYING:
        print(json.dumps(message), flush=True)


SAYING, RUNS = threading.Lock(), {}
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "hello":
            say(type="hello", protocol=1, adapter=ME, implementation=ME)
        case "run":
            run = RUNS[message["id"]] = Run(message)
            threading.Thread(target=serve, args=[run], daemon=True).start()
        case "cancel":
            say(type="cancelling", id=message["id"])
            RUNS[message["id"]].cancel()
        case "bye":
            break
