"""Asks a language server over its standard streams, as an editor does."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import IO, Any

_SECONDS = 180

# What VS Code sends to its language server for YAML where a project's settings say nothing else.
_DEFAULTS = {"yaml.completion": True, "yaml.hover": True, "yaml.validate": True}


@dataclass
class LanguageServer:
    """A connection to a language server, which asks it one thing at a time.

    ``settings`` are those of the project, in the editor's flat form. ``problems`` are what it has
    reported of each document.
    """

    writer: IO[bytes]
    reader: IO[bytes]
    settings: Mapping[str, Any]
    problems: dict[str, list[str]] = field(default_factory=dict)
    asked: int = 0

    def complete(self, document: Path, text: str) -> dict[str, str]:
        """What is completed where the text has a bar: labels with their descriptions."""
        before, _, after = text.partition("|")
        self._read(document, before + after)
        found = self.ask("textDocument/completion", _position(document, before))
        # An event is completed in two forms, of which the one with fields is described.
        items = sorted(found["items"], key=lambda each: each.get("documentation") or "")
        return {each["label"]: each.get("documentation") or "" for each in items}

    def explain(self, document: Path, text: str) -> str:
        """What is shown for the word before a bar in the text."""
        before, _, after = text.partition("|")
        self._read(document, before + after)
        found = self.ask("textDocument/hover", _position(document, before[:-1]))
        return str(found["contents"]["value"])

    def _read(self, document: Path, text: str) -> None:
        """Open a document, and wait until the server has read it, the settings and the schema."""
        self.open(document, text)
        self.problems_of(document)

    def open(self, document: Path, text: str) -> None:
        shown = {"uri": document.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": shown})

    def problems_of(self, document: Path) -> list[str]:
        """What the server reports of an open document, once it has."""
        while document.as_uri() not in self.problems:
            self._answer(self._receive())
        return self.problems[document.as_uri()]

    def ask(self, method: str, params: Any) -> Any:
        """The answer to a request; what the server asks meanwhile is answered."""
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": params})
        while (message := self._receive()).get("id") != self.asked or "method" in message:
            self._answer(message)
        return message["result"]

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _answer(self, message: Mapping[str, Any]) -> None:
        if message["method"] == "textDocument/publishDiagnostics":
            found = message["params"]["diagnostics"]
            self.problems[message["params"]["uri"]] = [each["message"] for each in found]
        elif message["method"] == "workspace/configuration":
            sections = [each.get("section", "") for each in message["params"]["items"]]
            result = [self._section(section) for section in sections]
            self._send({"id": message["id"], "result": result})
        elif "id" in message:
            self._send({"id": message["id"], "result": None})

    def _section(self, section: str) -> dict[str, Any]:
        """A section of the settings, such as ``schemas`` of ``yaml.schemas`` in ``yaml``."""
        start = f"{section}."
        return {
            name.removeprefix(start): value
            for name, value in {**_DEFAULTS, **self.settings}.items()
            if name.startswith(start)
        }

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.writer.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while line := self.reader.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server has ended"
        message: dict[str, Any] = json.loads(self.reader.read(length))
        return message


def _position(document: Path, before: str) -> dict[str, Any]:
    place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    return {"textDocument": {"uri": document.as_uri()}, "position": place}


@contextmanager
def language_server(
    command: Sequence[str | Path], project: Path, settings: Mapping[str, Any]
) -> Iterator[LanguageServer]:
    """A server that was started for a project, for three minutes at most."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        late = Timer(_SECONDS, process.kill)
        late.start()
        try:
            assert process.stdin
            assert process.stdout
            server = LanguageServer(process.stdin, process.stdout, settings)
            able = {"workspace": {"configuration": True}}
            folder = project.as_uri()
            server.ask("initialize", {"processId": None, "rootUri": folder, "capabilities": able})
            server.tell("initialized", {})
            yield server
        finally:
            late.cancel()
            process.kill()
