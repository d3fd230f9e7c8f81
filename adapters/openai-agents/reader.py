"""Reads the events of a streamed run as the Agents SDK's guide to streaming describes them."""

from agents import ItemHelpers
from failures import failed
from sources import document

TEXT, MESSAGE = "response.output_text.delta", "message_output_created"
THINKING = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")


class Reader:
    """Emits text and thinking as raw events have them; finished items add what did not stream."""

    def __init__(self, emit):
        self.emit = emit
        self.texts = Streamed("text", emit)
        self.thoughts = Streamed("reasoning", emit)
        self.thinking = None

    def raw(self, event):
        """Read an event of the model, which the runner passes on as it is."""
        if event.type == TEXT:
            self.texts.delta(event.delta)
        elif event.type in THINKING:
            # Some servers send the same reasoning as both.
            self.thinking = self.thinking or event.type
            if self.thinking == event.type:
                self.thoughts.delta(event.delta)

    def item(self, name, item):
        """Read an item that the runner has made of the response."""
        if name == MESSAGE:
            self.texts.finished(ItemHelpers.text_message_output(item))
            for part in item.raw_item.content:
                for cited in getattr(part, "annotations", None) or []:
                    self.cite(cited)
        elif name == "reasoning_item_created":
            pieces = item.raw_item.content or item.raw_item.summary or []
            self.thoughts.finished("".join(piece.text for piece in pieces))

    def cite(self, cited):
        """Emit a citation of a web page or of a file."""
        kind = getattr(cited, "type", None)
        if kind == "url_citation" and cited.url:
            page = {"id": cited.url, "url": cited.url, "title": cited.title}
            self.emit({"type": "source", "sourceType": "url", **page})
        elif kind in ("file_citation", "container_file_citation", "file_path"):
            container = getattr(cited, "container_id", None)
            self.emit(document(cited.file_id, container, getattr(cited, "filename", None)))


class Streamed:
    """The text of a kind that came in deltas, and the text of the finished items."""

    def __init__(self, kind, emit):
        self.kind, self.emit = kind, emit
        self.came = self.whole = ""

    def delta(self, text):
        if text:
            self.came += text
            self.emit({"type": f"{self.kind}-delta", "id": self.kind, "delta": text})

    def finished(self, text):
        """Emit what a finished item has beyond the deltas."""
        self.whole += text
        if self.whole.startswith(self.came):
            self.delta(self.whole[len(self.came) :])


def failed_by(error):
    """The ending for an exception that the SDK documents, or one of its client."""
    return failed("upstream", str(error), getattr(error, "code", None))


def completed(streamed):
    """The ending of a run; the SDK counts from zero, so zero is no usage."""
    tokens = streamed.context_wrapper.usage
    usage = {"input": tokens.input_tokens, "output": tokens.output_tokens}
    return {"outcome": "completed", **({"usage": usage} if any(usage.values()) else {})}
