"""Reads the events of the library's plain stream of the Responses API."""

from failures import Contradiction, failed
from hosted import hosted_parts
from sources import document

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
        elif item.type == "message":
            said, whole = self.texts.get(index, ""), "".join(map(text_of, item.content))
            # Some servers give the final items other ids and other places.
            is_elsewhere = getattr(self.opened.get(index), "type", "") != "message"
            is_repeated = is_elsewhere and not said and whole in self.texts.values()
            if item.id not in self.finished and whole.startswith(said) and not is_repeated:
                self.text("text-delta", index, whole[len(said) :])
            for part in item.content:
                for cited in getattr(part, "annotations", None) or []:
                    self.source(cited)
        elif item.type == "reasoning" and index not in self.texts:
            for part in item.content or item.summary or []:
                self.text("reasoning-delta", index, part.text)
        elif item.id not in self.finished:
            self.hosted(item)

    def call(self, index, item, arguments):
        """Emit a call once; another one with its id is an error."""
        _, before = self.calls.get(item.call_id, ("", ""))
        called = (item.name, arguments or self.arguments.get(index, "") or before)
        if self.calls.setdefault(item.call_id, called) is called:
            named = {"toolCallId": item.call_id, "toolName": item.name}
            self.emit({"type": "tool-call", **named, "input": called[1]})
        elif self.calls[item.call_id] != called:
            raise Contradiction(f"two calls have the id {item.call_id}")

    def is_made(self, opened, item):
        """Whether a final item is a call that was made under the id of the item at its place."""
        if item.type != "function_call" or item.call_id in self.calls:
            return False
        return self.calls.get(getattr(opened, "call_id", None)) == (item.name, item.arguments)

    def hosted(self, item):
        """Emit what the host has to know of a hosted tool's item; a call once."""
        call_id = getattr(item, "call_id", None)
        for part in hosted_parts(item.to_dict()) if call_id not in self.calls else ():
            self.emit(part)
            if part["type"] == "tool-call" and call_id:
                self.calls[call_id] = (part["toolName"], part["input"])

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
        by_id = {item.id: index for index, item in self.opened.items() if item.id}
        for n, item in enumerate(response.output or []):
            index = by_id.get(item.id, n)
            if not self.is_made(self.opened.get(index), item):
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
