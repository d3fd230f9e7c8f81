"""The events that OpenAI's Responses have for tools, texts and reasoning, each with its scenario.

A row is what the provider makes of one event; its scenario is the one that an adapter fails whose
handler of the event is missing. ``deaf`` makes that adapter of the reference adapter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, Part, string
from conformance.dialects.openresponses.reference.openai_stream.adapter import (
    UPSTREAM,
    ResponsesToStream,
)
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    ADDED,
    ANNOTATION,
    DONE,
    Block,
    Tables,
    once,
)
from conformance.dialects.openresponses.reference.openai_stream.calls import (
    DELETE_FILE,
    TOOL_SEARCH_BY_HOST,
    call,
    to_json,
)
from conformance.dialects.openresponses.reference.openai_stream.emitter import TABLES
from conformance.dialects.openresponses.reference.openai_stream.hosted import CODE_DELTA, CODE_DONE
from conformance.dialects.openresponses.reference.openai_stream.hosted import (
    PARTIAL_IMAGE as PARTIAL,
)
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue

DIFF = "response.apply_patch_call_operation_diff"
CUSTOM = "response.custom_tool_call_input.delta"
SUMMARY = "response.reasoning_summary"
ARGUMENTS_DONE = "response.function_call_arguments.done"
NOT_JSON = "an event that is not JSON"


@dataclass(frozen=True, slots=True)
class Row:
    """An event, or several that have one handler; ``of`` is the type of its item or annotation.

    ``kind`` is the table of the reference adapter that has the handler; empty for events of the
    response. ``earlier`` is an event that has the same handler if it comes first.
    """

    event: str
    of: str
    scenario: str
    kind: str = ""
    earlier: str = ""

    @property
    def id(self) -> str:
        return f"{self.event} ({self.of})" if self.of else self.event


def _response(event: str, scenario: str) -> Row:
    return Row(event, "", scenario)


def _item(event: str, kind: str, scenario: str) -> Row:
    return Row(event, kind, scenario, kind)


def _child(event: str, kind: str, scenario: str) -> Row:
    return Row(event, "", scenario, kind)


def _annotation(type_: str, scenario: str) -> Row:
    return Row(ANNOTATION, type_, scenario, "message")


ROWS: tuple[Row, ...] = (
    _response("response.created", "text-of-an-answer"),
    _response("response.completed", "web-search"),
    _response("response.incomplete", "incomplete-after-code"),
    _response("response.failed", "failed-after-code"),
    _response("error", "error-while-code-runs"),
    _response(NOT_JSON, "delta-is-not-json"),
    _item(ADDED, "message", "text-of-an-answer"),
    _item(ADDED, "reasoning", "reasoning-without-summary"),
    _item(ADDED, "function_call", "code-beside-a-function"),
    _item(ADDED, "code_interpreter_call", "code-in-deltas"),
    _item(ADDED, "apply_patch_call", "patch-in-deltas"),
    _item(ADDED, DELETE_FILE, "patch-deletes-file"),
    _item(ADDED, "image_generation_call", "image-in-one-piece"),
    _item(ADDED, "computer_call", "computer-call"),
    _item(ADDED, "web_search_call", "web-search"),
    _item(ADDED, "file_search_call", "file-search"),
    _item(ADDED, "tool_search_call", "tool-search"),
    _item(ADDED, "custom_tool_call", "custom-call"),
    _item(DONE, "message", "annotations-of-two-messages"),
    _item(DONE, "reasoning", "reasoning-not-stored"),
    Row(DONE, "function_call", "code-beside-a-function", "function_call", ARGUMENTS_DONE),
    _item(DONE, "code_interpreter_call", "code-makes-images"),
    _item(DONE, "apply_patch_call", "patch-without-deltas"),
    _item(DONE, DELETE_FILE, "patches-of-three-files"),
    _item(DONE, "image_generation_call", "image-with-partials"),
    _item(DONE, "local_shell_call", "local-shell-call"),
    _item(DONE, "shell_call", "shell-call"),
    _item(DONE, "shell_call_output", "shell-in-a-container"),
    _item(DONE, "computer_call", "computer-call"),
    _item(DONE, "mcp_call", "mcp-call"),
    _item(DONE, "mcp_list_tools", "mcp-tools-listed"),
    _item(DONE, "mcp_approval_request", "mcp-approval-asked"),
    _item(DONE, "web_search_call", "web-search-opens-a-page"),
    _item(DONE, "file_search_call", "annotation-of-a-searched-file"),
    _item(DONE, "tool_search_call", "tool-search"),
    _item(DONE, TOOL_SEARCH_BY_HOST, "tool-search-by-host"),
    _item(DONE, "tool_search_output", "tool-search"),
    _item(DONE, "custom_tool_call", "custom-call-without-deltas"),
    _item(DONE, "compaction", "compaction"),
    _child("response.output_text.delta", "message", "text-of-an-answer"),
    _annotation("url_citation", "annotations-of-two-messages"),
    _annotation("file_citation", "annotation-of-a-searched-file"),
    _annotation("container_file_citation", "annotation-of-a-container-file"),
    _annotation("file_path", "annotation-of-a-file-path"),
    _child("response.function_call_arguments.delta", "function_call", "code-beside-a-function"),
    _child(CUSTOM, "custom_tool_call", "custom-call"),
    _child(CODE_DELTA, "code_interpreter_call", "code-with-escapes"),
    _child(CODE_DONE, "code_interpreter_call", "code-in-deltas"),
    _child(f"{DIFF}.delta", "apply_patch_call", "patch-with-escapes"),
    _child(f"{DIFF}.done", "apply_patch_call", "patch-in-deltas"),
    _child(PARTIAL, "image_generation_call", "image-with-partials"),
    _child(f"{SUMMARY}_part.added", "reasoning", "reasoning-not-stored"),
    _child(f"{SUMMARY}_part.done", "reasoning", "reasoning-stored-around-text"),
    _child(f"{SUMMARY}_text.delta", "reasoning", "reasoning-stored"),
)
"""The rows, in the order of makeStreamResponse Alignment § Stream Events Reference."""


_CATALOGUE = Catalogue.shipped()


def case_of(row: Row) -> Case:
    """The case of the scenario of a row. Raises AssertionError if it is not in the catalogue."""
    scenario = _CATALOGUE.get(f"openresponses/hosted-{row.scenario}")
    assert scenario, f"{row.id}: there is no scenario hosted-{row.scenario}"
    return Case(scenario, "openresponses")


def complete() -> transport.Adapter:
    """The reference adapter with all of its handlers."""
    return _adapter(ResponsesToStream)


def deaf(row: Row) -> transport.Adapter:
    """The reference adapter without the handler of a row."""
    if row.event == NOT_JSON:
        return _adapter(SkipsWhatIsNotJson)
    if not row.kind:
        return _adapter(partial(DeafToEvent, row.event))
    return _adapter(partial(ResponsesToStream, tables=_without(row)))


def _adapter(machine: Callable[..., ResponsesToStream]) -> transport.Adapter:
    return transport.Adapter(UPSTREAM, machine, None)


def _without(row: Row) -> Tables:
    table = TABLES.get(row.kind)
    if table is None:
        return {**TABLES, row.kind: _NOT_SILENT}
    if row.event == ANNOTATION:
        key = ("open", ANNOTATION)
        step = table[key]._replace(parts=tuple(_unless(row.of, m) for m in table[key].parts))
        return {**TABLES, row.kind: {**table, key: step}}
    # The table of reasoning has several names for an event, which begin with that on the wire.
    # The end of an item does what its open input lacks, as if the input had ended.
    missing = {key for key in table if key[1].startswith(row.event)}
    missing |= {("open", DONE)} if ("ended", DONE) in table else set()
    left = {key: step for key, step in table.items() if key not in missing}
    return {**TABLES, row.kind: left}


def _unless(type_: str, make: Callable[[Block, Event], list[Part]]) -> Callable[..., list[Part]]:
    def parts(block: Block, annotation: Event) -> list[Part]:
        return [] if string(annotation, "type") == type_ else make(block, annotation)

    return parts


_NOT_SILENT = once(lambda block, item: [call(block, to_json({"tools": item.get("tools")}))])
"""Makes a call of an item that has no part."""


class DeafToEvent(ResponsesToStream):
    """Ignores the events of a type."""

    def __init__(self, ignored: str, traits: Event | None = None) -> None:
        super().__init__(traits)
        self._ignored = ignored

    def _handle(self, data: Event) -> None:
        if string(data, "type") != self._ignored:
            super()._handle(data)


class SkipsWhatIsNotJson(ResponsesToStream):
    """Finishes as if it had read every event."""

    def fail(self, kind: str, message: str, code: object = None) -> None:
        if kind != "decode":
            super().fail(kind, message, code)

    def close(self) -> list[Part]:
        if not self.ended:
            self._end(finish_="stop")
        return super().close()
