"""The items of OpenAI's tools as frozen values: calls, results, lists, approvals and images.

The upstream runs a tool itself (a search, a code interpreter, an image, MCP), or has a type of its
own for the calls that the host runs (a patch, a shell, a computer, a custom tool). Each value is
one or two items of the output; fields that are not sent are empty or None.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any


@dataclass(frozen=True, slots=True)
class CodeInterpreter:
    """Code that the upstream runs, and its ``outputs``, None if they were not requested."""

    code: str
    id: str = ""
    container: str = ""
    outputs: tuple[Mapping[str, str], ...] | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ApplyPatch:
    """A patch that the host applies; the deletion of a file has no ``diff``."""

    call_id: str
    operation: Literal["create_file", "update_file", "delete_file"]
    path: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class GeneratedImage:
    """An image, in base64, after any number of ``partials``; without a result it has failed."""

    result: str | None = None
    id: str = ""
    partials: tuple[str, ...] = ()
    format: str = "png"
    failed: bool = False


@dataclass(frozen=True, slots=True)
class LocalShell:
    """A command that the host runs in its own shell; ``options`` are the rest of its action."""

    call_id: str
    command: tuple[str, ...]
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShellOutput:
    """What one command of a shell printed; without an ``exit_code`` it ran into its time limit."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = 0


@dataclass(frozen=True, slots=True)
class Shell:
    """Commands for a shell: of the host, or of a ``container`` that the upstream runs.

    ``outputs`` is None if the upstream does not send any, since the host runs the commands.
    """

    call_id: str
    commands: tuple[str, ...]
    container: str = ""
    outputs: tuple[ShellOutput, ...] | None = None
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComputerUse:
    """What the model does with a computer that the host has."""

    call_id: str
    actions: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class McpCall:
    """A call of a tool of an MCP server, which the upstream made; it has an output or an error.

    ``approval`` is the id of the request for the user's approval, if there was one.
    """

    server: str
    name: str
    arguments: str
    id: str = ""
    output: str | None = None
    error: Mapping[str, Json] | None = None
    approval: str = ""


@dataclass(frozen=True, slots=True)
class McpTools:
    """The tools of an MCP server, or why they could not be listed."""

    server: str
    tools: tuple[Mapping[str, Json], ...] = ()
    id: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class McpApproval:
    """A request for the user's approval of a call of an MCP server's tool."""

    id: str
    server: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search of the web, or what was done with a page; ``action`` is as it is sent."""

    action: Mapping[str, Json]
    id: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class FileSearch:
    """A search of files; ``results`` is None if they were not requested."""

    queries: tuple[str, ...]
    id: str = ""
    results: tuple[Mapping[str, Json], ...] | None = None


@dataclass(frozen=True, slots=True)
class ToolSearch:
    """A search of deferred tools; the host runs it if it has a ``call_id``, else the upstream."""

    arguments: Mapping[str, Json]
    call_id: str = ""
    tools: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class CustomCall:
    """A call of a custom tool, whose input is free text."""

    call_id: str
    name: str
    input: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program that the upstream runs and that calls tools; ``result`` is None if it goes on."""

    call_id: str
    code: str
    fingerprint: str = ""
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Audio:
    """Speech in base64, and what it says; it belongs to no item."""

    data: str
    transcript: str = ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """The conversation so far in encrypted form, in place of its items."""

    encrypted: str
    id: str = ""


Tool = (
    CodeInterpreter
    | ApplyPatch
    | GeneratedImage
    | LocalShell
    | Shell
    | ComputerUse
    | McpCall
    | McpTools
    | McpApproval
    | WebSearch
    | FileSearch
    | ToolSearch
    | CustomCall
    | Program
    | Audio
    | Compaction
)

BY_HOST = (ApplyPatch, LocalShell, ComputerUse, CustomCall)
"""The tools that only the host can run; it also runs a shell or a search without a container."""


def runs_at_host(tool: Tool) -> bool:
    """Whether the host must run the tool, and send its result in the next request."""
    if isinstance(tool, Shell):
        return not tool.container
    if isinstance(tool, ToolSearch):
        return bool(tool.call_id)
    return isinstance(tool, BY_HOST)


_STREAMED: Mapping[type, str] = {
    CodeInterpreter: "code",
    ApplyPatch: "diff",
    McpCall: "arguments",
    CustomCall: "input",
    Audio: "transcript",
}


def streamed_text(tool: Tool) -> str:
    """The text of a tool's item that an upstream streams; empty if it streams none."""
    name = _STREAMED.get(type(tool))
    return str(getattr(tool, name)) if name else ""


def id_of(tool: Tool) -> str:
    """The id by which later requests refer to the tool's item; empty if the script gives none."""
    return str(getattr(tool, "call_id", "") or getattr(tool, "id", ""))
