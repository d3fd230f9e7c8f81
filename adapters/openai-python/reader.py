"""Reads the events of the library's plain stream of the Responses API."""

import json

from errors import failed
from sources import document

HOSTED = {
    "apply_patch_call": ("apply_patch", ["operation"]),
    "computer_call": ("computer", ["action", "actions", "pending_safety_checks"]),
    "custom_tool_call": ("", ["input"]),
    "local_shell_call": ("local_shell", ["action"]),
    "shell_call": ("shell", ["action"]),
}
"""The items that are calls of tools that the host runs: the tool's name, and what it is to do."""

FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}


class Reader:
    """Emits what the events add; the final response adds the items of which nothing came before."""

    def __init__(self, emit):
        self.emit = emit
        self.texts = {}
        self.thinking = {}
        self.opened = {}
        self.arguments = {}
        self.calls = {}
        self.cited = set()
        self.finished = {}

    def read(self, event):
        index = place_of(event)
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                self.text("text-delta", index, event.delta)
            case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
                # Some servers send the same reasoning as both.
                if self.thinking.setdefault(index, event.type) == event.type:
                    self.text("reasoning-delta", index, event.delta)
            case "response.output_text.annotation.added":
                self.source(event.annotation)
            case "response.output_item.added":
                self.opened[index] = event.item
                if index in self.finished.values():
                    # Some servers give each item the same index.
                    self.texts.pop(index, None)
            case "response.function_call_arguments.delta":
                self.arguments[index] = self.arguments.get(index, "") + (event.delta or "")
            case "response.function_call_arguments.done":
                item = self.opened.get(index)
                if item and item.name and item.call_id:
                    self.call(index, item, event.arguments)
            case "response.output_item.done" if event.item:
                self.item(index, event.item)
                self.finished[event.item.id] = index

    def text(self, type_, index, text):
        if text:
            self.texts[index] = self.texts.get(index, "") + text
            self.emit({"type": type_, "id": str(index), "delta": text})

    def item(self, index, item):
        """Emit what a finished item has and its events did not."""
        if item.type == "function_call" and item.status != "incomplete":
            self.call(index, item, item.arguments)
        elif item.type in HOSTED and item.id not in self.finished:
            self.hosted(item)
        elif item.type == "mcp_approval_request" and item.id not in self.finished:
            self.approval(item)
        elif item.type == "mcp_call" and item.approval_request_id and item.id not in self.finished:
            self.approved(item)
        elif item.type == "message":
            said, whole = self.texts.get(index, ""), "".join(map(text_of, item.content))
            if item.id not in self.finished and whole.startswith(said):
                self.text("text-delta", index, whole[len(said) :])
            for part in item.content:
                for cited in getattr(part, "annotations", None) or []:
                    self.source(cited)
        elif item.type == "reasoning" and index not in self.texts:
            for part in item.content or item.summary or []:
                self.text("reasoning-delta", index, part.text)

    def call(self, index, item, arguments):
        """Emit a call once; another one with its id is an error."""
        called = (item.name, arguments or self.arguments.get(index, ""))
        if self.calls.setdefault(item.call_id, called) is called:
            named = {"toolCallId": item.call_id, "toolName": item.name}
            self.emit({"type": "tool-call", **named, "input": called[1]})
        elif self.calls[item.call_id] != called:
            raise ValueError(f"two calls have the id {item.call_id}")

    def hosted(self, item):
        """Emit the call of a tool that the host runs and that is no function."""
        if getattr(item, "status", None) == "incomplete" or item.call_id in self.calls:
            return
        name, fields = HOSTED[item.type]
        whole = item.to_dict()
        if (whole.get("environment") or {}).get("type") == "container_reference":
            return  # the upstream runs it
        asked = {field: whole[field] for field in fields if whole.get(field) is not None}
        input_ = json.dumps(whole["input"] if item.type == "custom_tool_call" else asked)
        named = {"toolCallId": item.call_id, "toolName": name or item.name}
        self.calls[item.call_id] = (named["toolName"], input_)
        if item.type == "custom_tool_call":
            start = {"id": item.call_id, "toolName": item.name, "inputEncoding": "text"}
            self.emit({"type": "tool-input-start", **start})
        self.emit({"type": "tool-call", **named, "input": input_, "item": whole})

    def approval(self, item):
        """Emit a remote call that waits for approval, and the request for it."""
        made = {"toolCallId": item.id, "toolName": item.name, "input": item.arguments}
        self.emit({"type": "tool-call", **made, "providerExecuted": True, "dynamic": True})
        asked = {"approvalId": item.id, "toolCallId": item.id}
        self.emit({"type": "tool-approval-request", **asked, "item": item.to_dict()})

    def approved(self, item):
        """Emit what became of a remote call, under the id with which its approval was asked for."""
        result = {"output": item.output, "error": item.error}
        named = {"toolCallId": item.approval_request_id, "toolName": item.name}
        self.emit({"type": "tool-result", **named, "result": result, "dynamic": True})

    def source(self, cited):
        """Emit a citation of a web page or of a file once."""
        if cited and str(cited) not in self.cited:
            self.cited.add(str(cited))
            if cited.type == "url_citation" and cited.url:
                page = {"id": cited.url, "url": cited.url, "title": cited.title}
                self.emit({"type": "source", "sourceType": "url", **page})
            elif cited.type in ("file_citation", "container_file_citation", "file_path"):
                container = getattr(cited, "container_id", None)
                self.emit(document(cited.file_id, container, getattr(cited, "filename", None)))

    def ended(self, response):
        """Read the final response, and return the ending."""
        if response.status == "failed":
            error = response.error
            return failed("upstream", error.message, error.code) if error else failed("upstream")
        for index, item in enumerate(response.output or []):
            self.item(index, item)
        finish = "tool-calls" if self.calls else "stop"
        if response.status == "incomplete":
            details = response.incomplete_details
            finish = FINISH.get(details.reason if details else None, "other")
        usage = response.usage
        tokens = {"input": usage.input_tokens, "output": usage.output_tokens} if usage else None
        done = {"outcome": "completed", "finish": finish}
        return done | ({"usage": tokens} if tokens else {})


def place_of(event):
    """The index of an event's item; its id if a server sends no index."""
    index = getattr(event, "output_index", None)
    if index is not None:
        return index
    item = getattr(event, "item", None)
    return item.id if item else getattr(event, "item_id", None)


def text_of(part):
    """The text of a message's part, which may be a refusal."""
    return getattr(part, "refusal", None) or getattr(part, "text", None) or ""
