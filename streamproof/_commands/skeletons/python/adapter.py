"""Reads OpenResponses and emits parts of VS Code: put your own implementation in place of this one.

`drive.py` beside it speaks the protocol, and `adapter.yaml` says what this adapter supports.
"""

import json

from drive import Failed, events, serve

FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}


def play(run):
    """Send the request and emit the parts of its stream; return how the response finished."""
    tools = [as_function(tool) for tool in run.tools]
    options = {name: run.options[name] for name in run.options if name != "max_retries"}
    body = {"model": run.model, "input": run.messages, "tools": tools, "stream": True, **options}
    calls = {}
    for event in events(run, "/responses", body):
        if finish := convert(event, calls, run):
            return finish
    raise Failed("truncated", "the stream ended before the response did")


def as_function(tool):
    name, about, schema = (tool[field] for field in ("name", "description", "input_schema"))
    return {"type": "function", "name": name, "description": about, "parameters": schema}


def convert(event, calls, run):
    """Emit the parts of an event; return how the response finished, once it has."""
    item, response = event.get("item") or {}, event.get("response") or {}
    match event.get("type"):
        case "response.output_text.delta" | "response.refusal.delta" if event["delta"]:
            run.emit({"type": "text", "value": event["delta"]})
        case "response.output_item.done" if item.get("type") == "function_call":
            # Each call is emitted once, when it is complete; an incomplete one is not emitted.
            if item.get("status") != "incomplete" and item["call_id"] not in calls:
                calls[item["call_id"]] = emit_call(item, run)
        case "response.completed" if response.get("status") != "incomplete":
            return "tool-calls" if calls else "stop"
        case "response.completed" | "response.incomplete":
            return FINISH.get((response.get("incomplete_details") or {}).get("reason"), "other")
        case "response.failed" | "error":
            error = response.get("error") or event.get("error") or event
            told = error if isinstance(error, dict) else {"message": error}
            raise Failed("upstream", str(told.get("message")), str(told.get("code") or ""))
    return None


def emit_call(item, run):
    given = json.loads(item["arguments"].strip() or "{}")
    if not isinstance(given, dict):
        raise Failed("decode", f"the arguments of {item['name']} are no object")
    part = {"type": "toolCall", "callId": item["call_id"], "name": item["name"], "input": given}
    run.emit(part)
    return part


serve({"name": "my-adapter", "version": "0.1.0"}, ["openresponses"], play)
