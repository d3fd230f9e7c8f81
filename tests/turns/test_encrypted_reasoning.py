"""Encrypted reasoning in provider metadata is sent back, in all dialects of the AI SDK."""

from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.contract.transcript import SentEvent
from conformance.dialects.client.fields import Event, Part
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.dialects.vercel.reference.vscode import (
    FullStreamAdapter,
    GatewayAdapter,
    UiAdapter,
)
from conformance.drivers.python import PythonDriver
from conformance.findings.finding import Finding, Kind
from conformance.rules.requests.conversation import EncryptedChanged, EncryptedLost, turn_opaque
from conformance.rules.requests.evidence import encrypted_reasoning
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.dialects.conversation import Reasoning
from tests.findings.made import words_of

ADAPTERS: dict[str, Any] = {
    "vercel-gateway": GatewayAdapter,
    "vercel-fullstream": FullStreamAdapter,
    "vercel-ui": UiAdapter,
}


class Drops(FullStream):
    """Drops the provider metadata of reasoning blocks."""

    def _keep_metadata(self, data: Event) -> None:
        pass


class Unclaimed(Drops):
    """Drops it, and its description does not claim that it is kept."""


class Changes(FullStream):
    """Changes the encrypted content of reasoning blocks."""

    def _keep_metadata(self, data: Event) -> None:
        changed = {"openai": {"reasoningEncryptedContent": "another"}}
        if "providerMetadata" in data:
            super()._keep_metadata({**data, "providerMetadata": changed})


class Repeats(FullStream):
    """Emits each block of reasoning again with its metadata, after its end."""

    def end_reasoning(self, data: Event) -> list[Part]:
        parts = super().end_reasoning(data)
        return parts + [{**each, "id": "again"} for each in parts]


def findings(workbench: Workbench, dialect: str, machine: type[FullStream]) -> list[Finding]:
    """The findings of a conversation with encrypted reasoning."""
    path, traits = Path("adapter.yaml"), Traits()
    claims = Claims(turns=True, encrypted=machine is not Unclaimed)
    described = Description("driven", {}, (dialect,), "vscode", path, traits, claims)
    driver = PythonDriver(ADAPTERS[dialect](machine=machine))
    session = workbench.drive(described, driver)
    scenarios = {e.id: e.scenario for e in workbench.catalogue.entries()}
    sealed = scenarios["any/conversation-sealed-reasoning"]
    assert sealed
    try:
        return list(run(session, Case(sealed, dialect)).findings)
    finally:
        driver.close()


@pytest.mark.parametrize("dialect", ADAPTERS)
def test_encrypted_content_must_be_sent_back_unchanged(workbench: Workbench, dialect: str) -> None:
    assert findings(workbench, dialect, FullStream) == []
    for machine in (Drops, Unclaimed, Changes, Repeats):
        found = findings(workbench, dialect, machine)
        level = "should" if machine is Unclaimed else "must"
        assert [(each.rule, each.level) for each in found] == [("turn-opaque", level)]


def part(type_: str, **fields: Any) -> dict[str, Any]:
    return {"type": type_, **fields}


def sealed(value: str) -> dict[str, Any]:
    return {"providerMetadata": {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": value}}}


SIGNED = {"providerMetadata": {"anthropic": {"signature": "sig"}}}
OWN = {"signature": "s", "encrypted_content": "e", "providerMetadata": SIGNED["providerMetadata"]}

STREAMS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "at its end": ([part("reasoning-end", id="r", **sealed("a"))], ["a"]),
    "in a delta": ([part("reasoning-delta", id="r", delta="", **SIGNED)], ["sig"]),
    "again, at its end": (
        [
            part("reasoning-start", id="r", **sealed("a")),
            part("reasoning-end", id="r", **sealed("b")),
        ],
        ["b"],
    ),
    "only at its beginning": (
        [
            part("reasoning-start", id="r", **sealed("a")),
            part("reasoning-end", id="r", providerMetadata={"openai": {"itemId": "rs_1"}}),
        ],
        ["a"],
    ),
    "two with the same id": (
        [
            part("reasoning-end", id="r", **sealed("a")),
            part("reasoning-end", id="r", **sealed("b")),
        ],
        ["a", "b"],
    ),
    "nowhere": ([part("reasoning-end", id="r")], []),
    "in a tool's input and output": (
        [
            part("tool-call", toolCallId="c", toolName="verify", input=OWN),
            part("tool-result", toolCallId="c", toolName="verify", input=OWN, output=[OWN]),
        ],
        [],
    ),
}


ANNOUNCED, COMPLETE = "b2xk", "bmV3"


def item(event: str, value: str) -> SentEvent:
    held = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": value}
    return SentEvent(0, 0.0, "event", f"response.output_item.{event}", {"item": held})


def test_the_encrypted_content_of_the_complete_item_is_expected() -> None:
    sent = [item("added", ANNOUNCED), item("done", COMPLETE)]
    assert encrypted_reasoning("openresponses", sent) == [COMPLETE]


@pytest.mark.parametrize(
    ("value", "kinds"),
    [(COMPLETE, []), (ANNOUNCED, [EncryptedLost]), ("YWx0ZXJlZA==", [EncryptedChanged])],
)
def test_the_announced_value_is_not_altered_content(value: str, kinds: list[type[Kind]]) -> None:
    assert [type(each.kind) for each in turn_opaque.check(evidence(value))] == kinds


@pytest.mark.parametrize(
    ("compacted", "what"),
    [(set(), "the encrypted reasoning"), ({COMPLETE}, "the compacted conversation")],
)
def test_a_message_says_what_was_encrypted(compacted: set[str], what: str) -> None:
    (lost,) = turn_opaque.check(evidence("", compacted))
    assert words_of(lost) == f"{what} 'bmV3' did not go back upstream"


def evidence(came: str, compacted: Collection[str] = ()) -> Any:
    """A request with this encrypted content, after an answer that had another one."""
    return SimpleNamespace(
        played=SimpleNamespace(claims=Claims(encrypted=True)),
        received=(Reasoning("", came),),
        encrypted=[COMPLETE],
        compacted=compacted,
        sealed_reasoning=(),
        upstream_texts={ANNOUNCED, COMPLETE},
    )


@pytest.mark.parametrize("dialect", ADAPTERS)
@pytest.mark.parametrize(("events", "expected"), STREAMS.values(), ids=STREAMS.keys())
def test_the_last_encrypted_content_of_each_block_is_expected(
    dialect: str, events: list[dict[str, Any]], expected: list[str]
) -> None:
    sent = [SentEvent(n, 0.0, "event", each["type"], each) for n, each in enumerate(events)]
    assert encrypted_reasoning(dialect, sent) == expected
