"""A declared trait is held to in both directions: what is declared and not done is a finding."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.contract.adapter import Description
from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_copilot, to_vscode
from conformance.dialects.openresponses.reference import vscode
from conformance.dialects.openresponses.reference.openai_stream.adapter import adapter as streams
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.dialects.vercel.reference.vscode import UiAdapter
from conformance.drivers.python import Emit, PythonDriver
from conformance.rules.framing.judged import FRAMES
from conformance.suite.session import Session
from conformance.suite.workbench import run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.shipped import schema
from mockserver.wire.files import file_at
from streamproof._commands.cases import find_case
from tests.rules.broken.broken_adapter import Data, Part, Wrapped
from tests.rules.broken.own_ids import MakesIds
from tests.rules.test_unoffered_tool import CASE as UNOFFERED
from tests.wireless import Wireless


class Keeps(Wrapped):
    """The reference adapter for `stream`, with the parts that it ``keeps``."""

    def __init__(self, keeps: Callable[[Part], bool]) -> None:
        self.inner, self.keeps = streams(), keeps

    def part(self, part: Part, emit: Emit) -> None:
        if self.keeps(part):
            emit(part)


class RefusesTools(Wrapped):
    """Fails a run that calls a tool which was not offered."""

    def __init__(self) -> None:
        self.inner = vscode.adapter()
        self.refused = ""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        self.offered = {tool["name"] for tool in run["tools"]}
        return await super().run(run, emit, cancel)

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "toolCall" and part["name"] not in self.offered:
            self.refused = part["name"]
        else:
            emit(part)

    def done(self, done: Data, emit: Emit) -> Data:
        error = {"kind": "upstream", "message": f"there is no tool {self.refused}"}
        return {**done, "outcome": "failed", "error": error} if self.refused else done


class Fetches(FullStream):
    """Emits the bytes at the URL of a file, which the mock's URLs hold themselves."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") != "file":
            return super().event(data)
        file = file_at(data["url"])
        assert file
        content = b64encode(file.content).decode()
        return [{"type": "data", "mimeType": file.media_type, "data": content}]


class Estimates(Wrapped):
    """Counts the tokens of each run by itself."""

    def __init__(self) -> None:
        self.inner = to_vscode.adapter()

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "usage": {"input": 9, "output": 4}}


class Fails(Wrapped):
    """Fails every run after its parts."""

    def __init__(self) -> None:
        self.inner = vscode.adapter()

    def part(self, part: Part, emit: Emit) -> None:
        pass

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "outcome": "failed", "error": {"kind": "decode", "message": "no"}}


def _values(schema_: Mapping[str, Any]) -> list[Any]:
    return schema_.get("enum") or ([False, True] if schema_["type"] == "boolean" else ["", "gw-"])


_SCHEMAS = schema("adapter")["properties"]["traits"]["properties"]
VALUES = {trait: _values(schema_) for trait, schema_ in _SCHEMAS.items()}


class Does(NamedTuple):
    """How to make an adapter that does a value, the case that it plays, and what else it is."""

    make: Callable[[Any], Any]
    case: str | Case
    vocabulary: str = "vscode"
    traits: Mapping[str, Any] = {}


def _is_hosted(part: Part) -> bool:
    is_of_tool = part["type"].startswith(("tool-input", "tool-result"))
    return is_of_tool or bool(part.get("providerExecuted"))


def in_vscode(trait: str, case: str) -> Does:
    return Does(lambda value: vscode.adapter({trait: value}), f"{case}@openresponses")


def in_stream(case: str, keeps: Callable[[Any, Part], bool]) -> Does:
    traits = {"annotations": "data", "errors": "part"}
    return Does(lambda value: Keeps(partial(keeps, value)), case, "stream", traits)


DOES = {
    "call_id_prefix": in_vscode("call_id_prefix", "any/same-call-twice"),
    "reasoning": in_vscode("reasoning", "any/reasoning"),
    "refusal": in_vscode("refusal", "any/refusal"),
    "annotations": in_vscode("annotations", "any/citation-between-sentences"),
    "emit_call_at": in_vscode("emit_call_at", "openresponses/text-between-arguments-and-item"),
    "errors": Does(
        lambda value: to_copilot.adapter({"errors": value}), "chat/error-after-text@chat", "copilot"
    ),
    "choices": Does(
        lambda value: to_vscode.adapter({"choices": value}), "chat/calls-in-two-choices@chat"
    ),
    "blank_before_call": Does(
        lambda value: to_copilot.adapter({"blank_before_call": value}),
        "any/call-inside-text@chat",
        "copilot",
        {"errors": "part"},
    ),
    "framing": in_stream(
        "any/same-call-twice@openresponses",
        lambda value, part: value == "blocks" or part["type"] not in FRAMES,
    ),
    "hosted_tools": in_stream(
        "openresponses/hosted-web-search@openresponses",
        lambda value, part: value == "emitted" or not _is_hosted(part),
    ),
    "call_id": Does(
        lambda value: MakesIds() if value == "own" else vscode.adapter(),
        "any/same-call-twice@openresponses",
    ),
    "unoffered_tool": Does(
        lambda value: RefusesTools() if value == "error" else vscode.adapter(), UNOFFERED
    ),
    "url_files": Does(
        lambda value: UiAdapter(machine=Fetches if value == "fetched" else FullStream),
        "vercel/message-with-a-file-by-url@vercel-ui",
    ),
    "missing_usage": Does(
        lambda value: Estimates() if value == "estimated" else to_vscode.adapter(),
        "chat/no-usage@chat",
    ),
    "strict": Does(
        lambda value: Fails() if value else vscode.adapter(),
        "openresponses/item-ids-disagree@openresponses",
    ),
}

REASONING, REFUSAL = "thinking-routed/reasoning-elsewhere", "refusal-routed/refusal-elsewhere"
CITATION, ANSWER = "citation-routed/citations-elsewhere", "error-told/told-in-answer"
REFUSED = "should end-honest/answer-failed"
EARLIER, POINTS = "call-prompt/before-declared", VALUES["emit_call_at"]
NOT_KEPT = {
    **{("reasoning", *pair): REASONING for pair in permutations(VALUES["reasoning"], 2)},
    **{("refusal", *pair): REFUSAL for pair in permutations(VALUES["refusal"], 2)},
    **{("annotations", *pair): CITATION for pair in permutations(VALUES["annotations"], 2)},
    ("call_id_prefix", "", "gw-"): "call-complete/other-id",
    ("call_id_prefix", "gw-", ""): "call-namespaced/lacks-prefix",
    ("refusal", "error", "text"): ANSWER,
    ("errors", "reject", "part"): "error-told/told-in-error-part",
    ("errors", "reject", "text"): ANSWER,
    ("errors", "part", "reject"): "error-told/no-error-part",
    ("errors", "part", "text"): ANSWER,
    ("errors", "text", "reject"): "error-told/not-told",
    ("errors", "text", "part"): "error-told/not-told",
    ("choices", "alternatives", "merge"): "call-none-invented/of-another-choice",
    ("choices", "merge", "alternatives"): "should call-none-lost/lost",
    **{("emit_call_at", *pair): "part-order/behind-text" for pair in combinations(POINTS, 2)},
    **{("emit_call_at", *pair[::-1]): EARLIER for pair in combinations(POINTS, 2)},
    ("blank_before_call", False, True): "text-exact/differs",
    ("blank_before_call", True, False): "traits-kept/no-blank",
    ("framing", "blocks", "none"): "block-framing/never-ends",
    ("framing", "none", "blocks"): "traits-kept/frames-came",
    ("call_id", "upstream", "own"): "call-complete/other-id",
    ("unoffered_tool", "call", "error"): "end-honest/answer-failed",
    ("unoffered_tool", "error", "call"): "end-honest/failure-hidden",
    ("hosted_tools", "emitted", "optional"): "hosted-emitted/tool-lost",
    ("url_files", "fetched", "hidden"): "data-exact/data-lost",
    ("missing_usage", "none", "estimated"): "usage-last/other-usage",
    ("strict", False, True): REFUSED,
}
"""What is found about an adapter that declares the first value, and does the second.

Streams with several choices that nobody asked for, and those that a strict adapter may refuse, are
not legal, so they weigh less.
"""
ALLOWED = {
    ("call_id", "own", "upstream"): "the upstream's ids are unique and lead back, too",
    ("hosted_tools", "optional", "emitted"): "what may be left out may be emitted",
    ("url_files", "hidden", "fetched"): "bytes that need not be emitted may be",
    ("missing_usage", "estimated", "none"): "what may be estimated may be missing",
    ("strict", True, False): "a stream that may be refused may be read",
}


# A script ends the item of a call with its arguments, so other values need a stream of events.
ENDS_AT_ONCE = {("emit_call_at", "item", "end"), ("emit_call_at", "end", "item")}


def played(trait: str, declared: Any, done: Any) -> list[str]:
    """What is found about an adapter that declares one value, and does another."""
    make, case, vocabulary, others = DOES[trait]
    if (trait, declared, done) in ENDS_AT_ONCE:
        case = "any/text-between-calls@openresponses"
    catalogue = Catalogue.shipped()
    found = find_case(case, catalogue) if isinstance(case, str) else case
    traits = Traits(**{**others, trait: declared})
    adapter = Description("made", {}, (found.dialect,), vocabulary, Path("made"), traits)
    driver = PythonDriver(make(done))
    try:
        with Wireless(catalogue) as upstream:
            result = run(Session(adapter, driver, upstream), found)
    finally:
        driver.close()
    levels = {"must": "", "should": "should "}
    return [f"{levels[each.level]}{each.rule}/{each.kind.name}" for each in result.findings]


@pytest.mark.parametrize(("trait", "declared", "done"), NOT_KEPT)
def test_a_trait_that_is_not_kept_is_a_finding_in_either_direction(
    trait: str, declared: Any, done: Any
) -> None:
    wrong = NOT_KEPT[trait, declared, done]
    assert wrong in played(trait, declared, done)
    # What a strict adapter refuses is reported, too, since others read it.
    assert (wrong in played(trait, done, done)) is (wrong == REFUSED)


@pytest.mark.parametrize(("trait", "declared", "done"), ALLOWED)
def test_a_trait_may_allow_what_its_other_value_does(trait: str, declared: Any, done: Any) -> None:
    assert played(trait, declared, done) == []


def test_every_pair_of_values_of_every_trait_is_in_the_table() -> None:
    pairs = {(trait, *pair) for trait in VALUES for pair in permutations(VALUES[trait], 2)}
    assert pairs == {*NOT_KEPT, *ALLOWED}
