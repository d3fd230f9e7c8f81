"""The host's conversation, with a provider's parts, is converted to the provider's prompt."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.dialects.vercel.reference.provider_parts import prompt

ENCRYPTED = {"openai": {"reasoningEncryptedContent": "c2VhbGVk"}}
CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": '{"path":"a"}'}


def test_each_message_has_the_form_of_its_role() -> None:
    said = {"role": "assistant", "content": [CALL]}
    assert prompt(
        [
            {"role": "system", "content": "Be brief"},
            {"role": "user", "content": "Read a"},
            said,
            {"role": "tool", "callId": "c1", "content": "A"},
        ]
    ) == [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": [{"type": "text", "text": "Read a"}]},
        {"role": "assistant", "content": [CALL | {"input": {"path": "a"}}]},
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "read_file",
                    "output": {"type": "text", "value": "A"},
                }
            ],
        },
    ]


def delta(kind: str, id_: str, text: str) -> dict[str, Any]:
    return {"type": f"{kind}-delta", "id": id_, "delta": text}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            [delta("text", "a", "One "), delta("text", "b", "Two"), delta("text", "a", "half")],
            [{"type": "text", "text": "One half"}, {"type": "text", "text": "Two"}],
        ),
        (
            [delta("text", "a", "One"), {"type": "text-end", "id": "a"}, delta("text", "a", "Two")],
            [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}],
        ),
        (
            [
                {"type": "reasoning-start", "id": "r", "providerMetadata": {"openai": {"x": None}}},
                delta("reasoning", "r", "Hm"),
                {"type": "reasoning-end", "id": "r", "providerMetadata": ENCRYPTED},
            ],
            [{"type": "reasoning", "text": "Hm", "providerOptions": ENCRYPTED}],
        ),
        ([CALL | {"input": ""}], [CALL | {"input": {}}]),
        ([CALL | {"input": " \n"}], [CALL | {"input": {}}]),
        ([CALL | {"input": "{"}], [CALL | {"input": "{"}]),
        ([CALL | {"input": '{"n":NaN}'}], [CALL | {"input": '{"n":NaN}'}]),
        ([CALL | {"input": "[" * 100_000}], [CALL | {"input": "[" * 100_000}]),
        ([CALL | {"providerExecuted": True}], []),
        ([{"type": "stream-start"}, {"type": "finish"}], []),
    ],
)
def test_the_parts_of_an_assistant_message_are_sent_back_joined(
    parts: list[dict[str, Any]], said: list[dict[str, Any]]
) -> None:
    assert prompt([{"role": "assistant", "content": parts}]) == [
        {"role": "assistant", "content": said}
    ]
