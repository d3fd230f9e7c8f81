"""Parses ``says``: a neutral script, with its shorthands expanded.

The result is checked: each block starts once and ends once (unless the response is incomplete or
failed, or the stream is closed before), call ids are unique, and the last steps are an explicit
ending and a close.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, NoReturn, get_args

from mockserver.foundation.call_arguments import MOST_DEPTH, read_arguments
from mockserver.foundation.faults import Place
from mockserver.foundation.json_fields import omit
from mockserver.foundation.json_text import dump
from mockserver.scenario import hosted_steps
from mockserver.scenario.hosted import id_of, runs_at_host, streamed_text
from mockserver.scenario.script import (
    BlockKind,
    Checkpoint,
    Citation,
    Cite,
    Close,
    Common,
    Delta,
    End,
    Ending,
    Failed,
    Finish,
    Hosted,
    Incomplete,
    NextPart,
    NoUsage,
    Queued,
    Says,
    SayStep,
    Start,
    Usage,
)
from mockserver.scenario.source import Path, Tree, refuse
from mockserver.scenario.steps import COMMON, add_checkpoint, require_open, require_room

# The fields of a block by their keys
_FIELDS = {"id": "call_id", "as": "form"} | {
    key: key for key in ("name", "encrypted", "announced", "phase")
}
_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


def parse_says(tree: Tree, path: Path) -> Says:
    """Parse the ``says`` at this path. Raises ScenarioError."""
    reader = _Reader(tree)
    steps = tree.at(path)
    for n, step in enumerate(steps):
        reader.step(step, (*path, n))
    return Says(reader.finished((*path, len(steps) - 1)))


def cut(value: str, pieces: int) -> list[str]:
    """Split a value into this many pieces of nearly equal length; fewer if it is too short."""
    pieces = max(1, min(pieces, len(value)))
    edges = [len(value) * n // pieces for n in range(pieces + 1)]
    return [value[a:b] for a, b in pairwise(edges)]


@dataclass
class _Reader:
    """Reads the steps of a script in order, and tracks its blocks, call ids and checkpoints."""

    tree: Tree
    steps: list[SayStep] = field(default_factory=list)
    # The deltas of the calls, by their blocks
    arguments: dict[str, list[str]] = field(default_factory=dict)
    started: dict[str, Start] = field(default_factory=dict)
    open: dict[str, Place] = field(default_factory=dict)
    call_ids: set[str] = field(default_factory=set)
    called: bool = False
    # The block or the item that began last
    last: str = ""
    checkpoints: set[str] = field(default_factory=set)
    has_ending: bool = False
    # Of the step that is read: its place, and in how many pieces its value is cut
    place: Place = field(init=False)
    pieces: int = 1

    def step(self, written: Any, path: Path) -> None:
        step: dict[str, Any] = {written: None} if isinstance(written, str) else written
        verbs = [key for key in step if key not in ("in", "phase")]
        self.place, self.pieces = self.tree.place(path), int(step.get("in", 1))
        if len(verbs) != 1:
            self.refuse(
                f"a step does one thing; this one has {', '.join(verbs) or 'only in'}",
                "begin each step with a dash of its own",
            )
        verb = verbs[0]
        if "in" in step and verb not in _CUTTABLE:
            self.refuse(f"'in' cuts a value in deltas; {verb!r} has none to cut")
        if "phase" in step and verb != "text":
            self.refuse(f"'phase' is that of a text; {verb!r} has none")
        require_open(self.steps, self.place)
        if self.has_ending and verb not in ("close", "comment", "pause", "raw"):
            self.refuse(f"{verb!r} is after the step that ends the response")
        require_room(len(self.steps), self.place)
        if verb in COMMON:
            common = COMMON[verb](step[verb])
            if isinstance(common, Checkpoint):
                self._checkpoint(common)
            self.steps.append(common)
        elif verb in hosted_steps.TOOLS:
            self.hosted(verb, step[verb])
        elif "phase" in step:
            self.complete_block("text", step[verb], phase=step["phase"])
        else:
            _SAYS[verb](self, step[verb])

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        refuse(self.place, message, hint)

    def _checkpoint(self, step: Checkpoint) -> None:
        last = self.steps[-1] if self.steps else None
        block = self.started.get(last.block) if isinstance(last, Delta) else None
        if block is None or block.kind != "text":
            self.refuse(
                f"the checkpoint {step.name!r} does not stand right after a text delta",
                "it waits until that text has come out, so there must be text to wait for",
            )
        add_checkpoint(step, self.checkpoints, self.place)

    def start(self, value: dict[str, str]) -> None:
        kinds = [kind for kind in _KINDS if kind in value]
        if len(kinds) != 1:
            self.refuse("'start' opens one block: text, call, reasoning or refusal")
        self.begin(kinds[0], value[kinds[0]], value)

    def begin(self, kind: BlockKind, block: str, value: dict[str, Any]) -> None:
        if block in self.started:
            self.refuse(f"the block {block!r} was started before; each block has its own name")
        has = {"id", "name"} & value.keys()
        if kind == "call" and has != {"id", "name"}:
            self.refuse("a call starts with an 'id' and a 'name'")
        if kind != "call" and has:
            self.refuse(f"only a call has an id and a name; this block is {kind}")
        if kind != "reasoning" and {"as", "encrypted", "announced"} & value.keys():
            self.refuse(f"only reasoning has a form or is encrypted; this block is {kind}")
        if kind != "text" and "phase" in value:
            self.refuse(f"only a text has a phase; this block is {kind}")
        fields = {field: value[key] for key, field in _FIELDS.items() if key in value}
        start = Start(block, kind, **fields)
        if kind == "call":
            self.called = True
            self.arguments[block] = []
            self._unique(start.call_id)
        self.started[block] = start
        self.last = block
        self.open[block] = self.place
        self.steps.append(start)

    def _unique(self, call_id: str) -> None:
        if call_id in self.call_ids:
            self.refuse(f"the call id {call_id!r} is used twice; ids are unique in a scenario")
        self.call_ids.add(call_id)

    def delta(self, value: dict[str, str]) -> None:
        ((block, text),) = value.items()
        self._is_open(block)
        self.add_deltas(block, text)

    def add_deltas(self, block: str, text: str) -> None:
        values = self._cut(text)
        if block in self.arguments:
            self.arguments[block] += values
        self.steps.extend(Delta(block, value) for value in values)

    def _cut(self, text: str) -> list[str]:
        """Cut a value. Raises ScenarioError, before it is cut, if that makes too many events."""
        require_room(len(self.steps) + min(self.pieces, len(text)), self.place)
        return cut(text, self.pieces)

    def part(self, block: str) -> None:
        self._is_open(block)
        if (kind := self.started[block].kind) != "reasoning":
            self.refuse(f"only reasoning has parts; the block {block!r} is {kind}")
        self.steps.append(NextPart(block))

    def cite(self, value: dict[str, Any]) -> None:
        source = dict(value)
        block = source.pop("block")
        self._is_open(block)
        if self.started[block].kind != "text":
            self.refuse(f"the block {block!r} is no text; only a text has citations")
        span = {name: int(source.pop(name)) for name in ("start", "end") if name in source}
        citation = Citation(**source)
        _check_source(citation, self.place)
        self.steps.append(Cite(block, citation, **span))

    def end(self, block: str) -> None:
        self._is_open(block)
        self._is_comparable(block)
        del self.open[block]
        self.steps.append(End(block))

    def _is_open(self, block: str) -> None:
        if block in self.open:
            return
        if block in self.started:
            self.refuse(f"the block {block!r} has ended before")
        if self.open:
            hint = f"open blocks: {', '.join(self.open)}"
        else:
            hint = f"a block begins with a start of its kind, such as start: {{text: {block}}}"
        self.refuse(f"no block {block!r} is open here", hint)

    def _is_comparable(self, block: str) -> None:
        """Raise ScenarioError for a call whose arguments cannot be compared with an adapter's."""
        start = self.started[block]
        arguments = "".join(self.arguments.get(block, ()))
        if read_arguments(arguments).kind == "beyond comparison":
            self.refuse(
                f"the arguments of the call {start.call_id!r} are nested deeper than {MOST_DEPTH} "
                "levels, or have a number that does not fit a double",
                "an upstream that sends such arguments is written with 'sends'",
            )

    def complete_block(self, kind: BlockKind, value: str | list[str], **fields: Any) -> None:
        # Contains a space, which names in scenario files cannot.
        block = f"{kind} {len(self.started)}"
        self.begin(kind, block, fields)
        for n, part in enumerate([value] if isinstance(value, str) else value):
            if n:
                self.steps.append(NextPart(block))
            if part:
                self.add_deltas(block, part)
        self.end(block)

    def reasoning(self, value: str | dict[str, Any]) -> None:
        fields = {"text": value} if isinstance(value, str) else {"text": [], **value}
        self.complete_block("reasoning", fields.pop("text"), **fields)

    def call(self, value: dict[str, Any]) -> None:
        if "input" in value and "arguments" in value:
            self.refuse("a call has an 'input' or 'arguments', not both")
        text = value["arguments"] if "arguments" in value else dump(value.get("input", {}))
        self.complete_block("call", text, id=value["id"], name=value["name"])

    def hosted(self, verb: str, value: dict[str, Any]) -> None:
        if why := hosted_steps.wrong(verb, value):
            self.refuse(why)
        tool = hosted_steps.TOOLS[verb](omit(value, ("streamed",)))
        if runs_at_host(tool) or id_of(tool):
            self._unique(id_of(tool))
        streamed = verb in hosted_steps.STREAMED and value.get("streamed", True)
        text = streamed_text(tool)
        deltas = tuple(self._cut(text)) if text else ()
        self.last = f"the item of {verb}"
        self.steps.append(Hosted(tool, deltas if streamed else None))

    def queued(self, _value: None) -> None:
        if any(not isinstance(step, Common) for step in self.steps):
            self.refuse("'queued' comes before everything that the model says, once")
        self.steps.append(Queued())

    def usage(self, value: dict[str, int] | Literal["none"]) -> None:
        if value == "none":
            self.steps.append(NoUsage())
        else:
            self.steps.append(Usage(int(value["input"]), int(value["output"])))

    def finish(self, reason: str) -> None:
        self._all_ended()
        self._ending(Finish(reason))

    def incomplete(self, reason: str | dict[str, str]) -> None:
        self._only_the_last_is_open()
        if isinstance(reason, str):
            self._ending(Incomplete(reason))
        else:
            self._ending(Incomplete("other", reason["other"]))

    def _only_the_last_is_open(self) -> None:
        """Raise ScenarioError if a block is open that is not the last (OpenResponses, "Items")."""
        for block in self.open:
            if block != self.last:
                last = f"the block {self.last!r}" if self.last in self.started else self.last
                self.refuse(
                    f"the block {block!r} is cut short here, and {last} began after it; only the "
                    "last may be incomplete",
                    f"add '- end: {block}' before {last.removeprefix('the block ')} begins or "
                    "before 'incomplete'; an upstream that breaks this rule is written with "
                    "'sends'",
                )

    def failure(self, value: dict[str, str], in_band: bool) -> None:
        self._ending(Failed(value.get("code", "server_error"), value["message"], in_band))

    def _ending(self, step: Ending) -> None:
        self.has_ending = True
        self.steps.append(step)

    def _all_ended(self) -> None:
        for block, where in self.open.items():
            self.refuse(
                f"the block {block!r} (started at line {where.line}) is still open at the end",
                f"add '- end: {block}', or end with 'incomplete', 'failed', 'error' or 'close'",
            )

    def finished(self, last: Path) -> tuple[SayStep, ...]:
        """The steps, with the default ending and close if the script has none."""
        closed = isinstance(self.steps[-1], Close)
        if not self.has_ending and not closed:
            self.place = self.tree.place(last)
            self.finish("tool-calls" if self.called else "stop")
        if not closed:
            self.steps.append(Close("clean"))
        for block, place in self.open.items():
            self.place = place
            self._is_comparable(block)
        return tuple(self.steps)


def _check_source(citation: Citation, place: Place) -> None:
    """Raise ScenarioError if the citation is neither a page nor a file."""
    has = citation.fields().keys()
    if has != {"url", "title"} and (has & {"url", "title"} or "file_id" not in has):
        refuse(
            place,
            f"this is no source: a citation with {' and '.join(sorted(has)) or 'a block alone'}",
            "a page has a 'url' and a 'title'; a file has a 'file_id', and may have a 'filename' "
            "and a 'container_id'",
        )


_CUTTABLE = ("delta", "text", "reasoning", "refusal", "call", *hosted_steps.STREAMED)

_SAYS: dict[str, Callable[[_Reader, Any], None]] = {
    "start": _Reader.start,
    "delta": _Reader.delta,
    "part": _Reader.part,
    "cite": _Reader.cite,
    "end": _Reader.end,
    "queued": _Reader.queued,
    "text": lambda reader, value: reader.complete_block("text", value),
    "reasoning": _Reader.reasoning,
    "refusal": lambda reader, value: reader.complete_block("refusal", value),
    "call": _Reader.call,
    "usage": _Reader.usage,
    "finish": _Reader.finish,
    "incomplete": _Reader.incomplete,
    "failed": lambda reader, value: reader.failure(value, in_band=False),
    "error": lambda reader, value: reader.failure(value, in_band=True),
}
