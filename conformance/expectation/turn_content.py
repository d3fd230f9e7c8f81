"""The expected contents of a turn.

The content is read from the turn's script. If the scenario has an ``expect``, that counts instead;
for a legal script it is compared with the script, and a contradiction is an error in the scenario.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from conformance.expectation.content import (
    ContentCall,
    ExpectedContent,
    Kind,
    Moment,
    Segment,
    citation_segment,
)
from conformance.expectation.hosted import Hosted as HostedContent
from conformance.expectation.hosted import hosted_content, image_of, passed_on
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.faults import Problem, ScenarioError
from mockserver.foundation.identity import Same
from mockserver.scenario.expected import (
    Expect,
    ExpectAt,
    ExpectCall,
    ExpectCite,
    ExpectData,
    ExpectError,
    ExpectReasoning,
    ExpectRefusal,
    ExpectText,
    Outcome,
)
from mockserver.scenario.hosted import CustomCall, Tool, id_of, runs_at_host
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import (
    Checkpoint,
    Cite,
    Delta,
    End,
    Failed,
    Finish,
    Hosted,
    Incomplete,
    NextPart,
    Says,
    SayStep,
    Start,
)


def contents_of_script(steps: tuple[SayStep, ...]) -> tuple[ExpectedContent, ...]:
    """The content of a neutral script, in each of its right versions.

    There are several only if it has items of OpenAI's tools, which an adapter may ignore: calls
    that the host must run, and generated images. An adapter that knows these emits all of them.
    """
    content = content_of_script(steps)
    tools = [step.tool for step in steps if isinstance(step, Hosted)]
    calls = {id_of(tool) for tool in tools if runs_at_host(tool)}
    versions = [content]
    if calls:
        without = tuple(call for call in content.calls if call.id not in calls)
        # Whether such a call asks for tools is up to the upstream's vocabulary.
        versions = [replace(content, reason=""), replace(content, calls=without, reason="")]
    if content.data:
        versions += [replace(version, data=()) for version in versions]
    return tuple(versions)


def content_of_script(steps: tuple[SayStep, ...]) -> ExpectedContent:
    """The content of a neutral script for an adapter that knows all of its items."""
    return _ScriptReader().read(steps)


@dataclass
class _Block:
    """A block of the script that is being streamed: a text, a reasoning, a refusal or a call."""

    start: Start
    text: str = ""
    last_delta: Moment | None = None
    parsable_at: Moment | None = None
    part: int = 0

    @property
    def id(self) -> str:
        """The id of the current part of the block, for its segments."""
        return f"{self.start.block} {self.part}"


class _ScriptReader:
    """Reads the content of a script step by step."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.calls: list[ContentCall] = []
        self.blocks: dict[str, _Block] = {}
        self.counts: Counter[Kind] = Counter()
        self.at: dict[str, ExpectAt] = {}
        self.hosted: list[tuple[HostedContent, Moment]] = []
        self.data: list[ExpectData] = []
        # The calls of OpenAI's own tools, which an adapter may ignore.
        self.ignorable: list[ContentCall] = []

    def read(self, steps: tuple[SayStep, ...]) -> ExpectedContent:
        # A stream without a final event has failed.
        outcome: Outcome = "failed"
        reason = ""
        error: ExpectError | None = None
        for step in steps:
            match step:
                case Start():
                    self.blocks[step.block] = _Block(step)
                case Delta():
                    self._delta(step)
                case NextPart():
                    self.blocks[step.block].part += 1
                case Cite():
                    self._add(citation_segment(step.citation, self.blocks[step.block].id))
                case End():
                    self._end(self.blocks[step.block])
                case Hosted():
                    self._hosted(step.tool)
                case Checkpoint(name):
                    self.at[name] = self._calls_so_far()
                case Finish():
                    outcome, reason = "completed", step.reason
                case Incomplete():
                    outcome, reason = "incomplete", step.reason
                case Failed():
                    outcome, error = "failed", ExpectError(step.message, step.code)
        calls = (*self.calls, *self._unfinished_calls(), *self.ignorable)
        return ExpectedContent(
            tuple(self.segments),
            calls,
            outcome,
            reason,
            error,
            self.at,
            tuple(self.data),
            hosted=tuple(self.hosted),
        )

    def _delta(self, step: Delta) -> None:
        block = self.blocks[step.block]
        if block.start.kind == "call":
            block.text += step.value
            block.last_delta = Counter(self.counts)
            if block.parsable_at is None and _is_object(block.text):
                block.parsable_at = block.last_delta
            return
        self._add(Segment(block.start.kind, step.value, block.id))

    def _add(self, segment: Segment) -> None:
        self.segments.append(segment)
        self.counts[segment.kind] += len(segment.value)

    def _end(self, block: _Block) -> None:
        if block.start.kind != "call":
            return
        now = Counter(self.counts)
        input_ = read_arguments(block.text).input
        if input_ is not None:
            start = block.start
            earliest = block.last_delta or now
            self.calls.append(
                ContentCall(
                    start.call_id,
                    start.name,
                    input_,
                    earliest,
                    now,
                    parsable_at=block.parsable_at or earliest,
                )
            )

    def _hosted(self, tool: Tool) -> None:
        now = Counter(self.counts)
        if content := hosted_content(tool):
            self.hosted.append((content, now))
        if image := image_of(tool):
            self.data.append(image)
        if runs_at_host(tool):
            name = tool.name if isinstance(tool, CustomCall) else ""
            raw = passed_on(tool)
            self.ignorable.append(ContentCall(id_of(tool), name, raw, now, now, raw))

    def _unfinished_calls(self) -> Iterator[ContentCall]:
        """The calls with a complete input that the script never ends."""
        ended = {call.id for call in self.calls}
        for block in self.blocks.values():
            start, earliest = block.start, block.last_delta
            if start.kind == "call" and start.call_id not in ended and earliest is not None:
                read = read_arguments(block.text)
                if read.kind == "object":
                    now = Counter(self.counts)
                    yield ContentCall(
                        start.call_id, start.name, read.value, earliest, now, ended=False
                    )

    def _calls_so_far(self) -> ExpectAt:
        """The calls that are complete at this step, and those that have begun and are not."""
        done = tuple(call.id for call in self.calls)
        begun = (block.start for block in self.blocks.values() if block.start.kind == "call")
        return ExpectAt(done, tuple(s.call_id for s in begun if s.call_id not in done))


def _is_object(arguments: str) -> bool:
    """Whether the arguments so far are a complete JSON object."""
    # Parsing is skipped unless the text ends with a brace, since nothing else ends an object.
    return arguments.rstrip().endswith("}") and read_arguments(arguments).kind == "object"


_MAX_CACHED = 1024


def expected_contents(scenario: Scenario, turn: int = 0) -> tuple[ExpectedContent, ...]:
    """The expected content of a turn, for each of its attempts in order.

    An attempt has several right versions only if the upstream breaks its specification.
    Raises ScenarioError if an ``expect`` contradicts the script.
    """
    return _cached_contents(Same(scenario), turn)


# A suite judges the same turn in several dialects, under many variations.
@lru_cache(maxsize=_MAX_CACHED)
def _cached_contents(same: Same[Scenario], turn: int) -> tuple[ExpectedContent, ...]:
    scenario = same.value
    then = scenario.turns[turn].then
    approvals = tuple(then.approvals) if then else ()
    found: list[ExpectedContent] = []
    for n, attempt in enumerate(scenario.turns[turn].attempts, 1):
        contents = _contents_of_attempt(scenario, attempt)
        sendable = frozenset(data for content in contents for data in content.data)
        found += [
            replace(
                content,
                attempt=n,
                turn=turn,
                conduct=scenario.conduct,
                approvals=approvals,
                sendable=sendable,
            )
            for content in contents
        ]
    return tuple(found)


def calls_of(scenario: Scenario, turn: int) -> tuple[ContentCall, ...]:
    """The calls in any right version of a turn, each id once."""
    contents = expected_contents(scenario, turn)
    return tuple({call.id: call for content in contents for call in content.calls}.values())


def _contents_of_attempt(scenario: Scenario, what: Turn) -> tuple[ExpectedContent, ...]:
    if not isinstance(what.script, Says):
        return tuple(_from_expect(expect, _NO_SCRIPT) for expect in what.expect)
    if not what.expect:
        return contents_of_script(what.script.steps)
    script = content_of_script(what.script.steps)
    return tuple(
        _checked_against_script(_from_expect(expect, script), script, scenario)
        for expect in what.expect
    )


_NO_SCRIPT = ExpectedContent((), (), "failed")


def _from_expect(expect: Expect, script: ExpectedContent) -> ExpectedContent:
    """The content that an ``expect`` states, with the latest moments of calls from the script."""
    segments: list[Segment] = []
    counts: Counter[Kind] = Counter()
    places: list[tuple[ExpectCall, Moment]] = []
    message = 0
    for n, part in enumerate(expect.parts):
        if isinstance(part, ExpectCall):
            places.append((part, Counter(counts)))
        elif not isinstance(part, ExpectData):
            message += isinstance(part, ExpectText) and part.begins
            segment = _segment(part, n, message)
            segments.append(segment)
            counts[segment.kind] += len(segment.value)
    said = {call.id: call for call in script.calls}
    calls = tuple(
        ContentCall(
            call.id,
            call.name,
            call.input,
            moment,
            said[call.id].latest if call.id in said else Counter(counts),
            call.raw,
            parsable_at=said[call.id].parsable_at if call.id in said else None,
        )
        for call, moment in places
    )
    unfinished = [call for call in script.calls if not call.ended]
    first_choice = None
    if any(expect.choices):
        pairs = zip(expect.parts, expect.choices, strict=True)
        first = tuple(part for part, choice in pairs if not choice)
        first_choice = _from_expect(replace(expect, parts=first, choices=()), script)
    data = tuple(part for part in expect.parts if isinstance(part, ExpectData))
    return ExpectedContent(
        tuple(segments),
        (*calls, *unfinished),
        expect.outcome,
        expect.reason,
        expect.error,
        {**script.at, **expect.at},
        data,
        first_choice=first_choice,
    )


def _segment(
    part: ExpectText | ExpectReasoning | ExpectRefusal | ExpectCite, n: int, message: int
) -> Segment:
    """Part ``n`` of an ``expect`` as a segment; text is in the block of its message."""
    if isinstance(part, ExpectCite):
        return citation_segment(part.citation, str(message))
    kind = _KINDS[type(part)]
    return Segment(kind, part.value, str(message if kind == "text" else n))


_KINDS: dict[type, Kind] = {
    ExpectText: "text",
    ExpectReasoning: "reasoning",
    ExpectRefusal: "refusal",
}


def _checked_against_script(
    content: ExpectedContent, script: ExpectedContent, scenario: Scenario
) -> ExpectedContent:
    """The content of an ``expect`` after a comparison with the script, if the script is legal."""
    if not scenario.is_specified:
        return content
    problems = list(_contradictions(content, script))
    if problems:
        raise ScenarioError(*(Problem(problem, scenario.place) for problem in problems))
    # The text is the same; only the script says where one message ends and the next begins.
    return replace(content, segments=script.segments)


def _contradictions(content: ExpectedContent, script: ExpectedContent) -> list[str]:
    """A message for each difference between the content of an ``expect`` and of its script."""
    found = []
    for kind in ("text", "reasoning", "refusal"):
        expected, said = (each.text_of(kind) for each in (content, script))
        if expected != said:
            found.append(f"'expect' has the {kind} {expected!r}, the script says {said!r}")
    if _citation_places(content.segments) != _citation_places(script.segments):
        expected_at, said_at = _citation_places(content.segments), _citation_places(script.segments)
        found.append(f"'expect' has the citations {expected_at}, the script says {said_at}")
    if content.data:
        found.append("'expect' has data, and no script sends any")
    said_calls = {call.id: call for call in script.calls if call.ended}
    for call in (call for call in content.calls if call.ended):
        if call.id not in said_calls:
            found.append(f"'expect' has the call {call.id!r}, which the script never completes")
        elif any(call.earliest[kind] > call.latest[kind] for kind in call.earliest):
            found.append(f"'expect' places the call {call.id!r} after the wire has completed it")
    if content.outcome != script.outcome:
        found.append(f"'expect' says {content.outcome!r}, the script ends {script.outcome!r}")
    return found


def _citation_places(segments: tuple[Segment, ...]) -> list[tuple[int, dict[str, str]]]:
    """Each citation as its fields, after the number of code points of text before it."""
    length, placed = 0, []
    for segment in segments:
        length += len(segment.value) if segment.kind == "text" else 0
        if segment.citation:
            placed.append((length, segment.citation.fields()))
    return placed
