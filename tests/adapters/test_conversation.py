"""A conversation is sent back in each API's form: complete, and without incomplete calls."""

import importlib.util
import json
import subprocess
from types import ModuleType
from typing import Any

import pytest

from mockserver.dialects import DIALECTS
from tests.clients.npm import needs_node
from tests.docs.pages import ROOT

ADAPTERS = ROOT / "adapters"

STREAM = [
    {"type": "text-start", "id": "0"},
    {"type": "text-delta", "id": "0", "delta": "I will "},
    {"type": "reasoning-delta", "id": "1", "delta": "Hm."},
    {"type": "text-delta", "id": "0", "delta": "look."},
    {"type": "tool-call", "toolCallId": "call_1", "toolName": "read", "input": '{"path":"a"}'},
    {"type": "tool-call", "toolCallId": "call_2", "toolName": "read", "input": '{"path":'},
    {"type": "tool-call", "toolCallId": "call_3", "toolName": "list", "input": ""},
    {"type": "tool-call", "toolCallId": "call_4", "toolName": "read", "input": "[1]"},
    {"type": "tool-call", "toolCallId": "call_5", "toolName": "read", "input": "null"},
    {"type": "finish", "finishReason": "tool-calls"},
]
VSCODE = [
    {"type": "text", "value": "I will "},
    {"type": "thinking", "value": "Hm."},
    {"type": "text", "value": "look."},
    {"type": "toolCall", "callId": "call_1", "name": "read", "input": {"path": "a"}},
    {"type": "toolCall", "callId": "call_3", "name": "list", "input": {}},
]
TOOL = {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}


def _run(parts: list[Any]) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is in it?"},
        {"role": "assistant", "content": parts},
        {"role": "tool", "callId": "call_1", "content": "A word."},
        {"role": "tool", "callId": "call_3", "content": "a"},
    ]
    return {"messages": messages, "tools": [TOOL]}


def _python() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conversation", ADAPTERS / "conversation.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _node(module: str, said: str, run: dict[str, Any]) -> Any:
    needs_node()
    tools = [{**tool, "inputSchema": tool["input_schema"]} for tool in run["tools"]]
    message = json.dumps({**run, "tools": tools})
    program = f'import * as it from "{(ADAPTERS / module).as_uri()}"; const run = {message};'
    program += f"process.stdout.write(JSON.stringify({said}));"
    command = ["node", "--input-type=module", "-e", program]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


def _heard(request: dict[str, Any]) -> list[Any]:
    """The conversation in neutral form, with the arguments of each call parsed."""
    inbound = DIALECTS["chat"].requests.read({"model": "m", **request}, {})
    assert not inbound.problems
    assert inbound.tools == (("read", {"type": "object"}),)
    return [_plain(entry) for entry in inbound.conversation]


def _plain(entry: Any) -> tuple[Any, ...]:
    if hasattr(entry, "arguments"):
        return entry.id, entry.name, json.loads(entry.arguments or "{}")
    return (entry.id, entry.output) if hasattr(entry, "output") else (entry.role, entry.text)


CONVERSATION = [
    ("system", "Be brief."),
    ("user", "What is in it?"),
    ("assistant", "I will look."),
    ("call_1", "read", {"path": "a"}),
    ("call_3", "list", {}),
    ("call_1", "A word."),
    ("call_3", "a"),
]


@pytest.mark.parametrize("parts", [STREAM, VSCODE], ids=["stream", "vscode"])
def test_python_bindings_send_back_text_calls_and_results(parts: list[Any]) -> None:
    assert _heard(_python().chat(_run(parts))) == CONVERSATION


def test_node_bindings_send_back_text_calls_and_results() -> None:
    assert _heard(_node("conversation.mjs", "it.chat(run)", _run(STREAM))) == CONVERSATION


def test_the_items_of_responses_have_the_same_conversation() -> None:
    items = list(_python().items(_run(STREAM)["messages"]))
    inbound = DIALECTS["openresponses"].requests.read({"model": "m", "input": items}, {})
    assert not inbound.problems
    assert [_plain(entry) for entry in inbound.conversation] == CONVERSATION


def test_a_prompt_of_the_ai_sdk_has_texts_calls_and_results_with_the_names_of_their_tools() -> None:
    *_, answer, first, second = _node("prompt.mjs", "it.prompt(run.messages)", _run(STREAM))
    assert [part["type"] for part in answer["content"]] == ["text", "tool-call", "tool-call"]
    assert answer["content"][0]["text"] == "I will look."
    assert answer["content"][1]["input"] == {"path": "a"}
    results = [result for message in (first, second) for result in message["content"]]
    assert [(each["toolCallId"], each["toolName"]) for each in results] == [
        ("call_1", "read"),
        ("call_3", "list"),
    ]
    assert results[0]["output"] == {"type": "text", "value": "A word."}


def test_provider_metadata_of_reasoning_is_sent_back_with_it() -> None:
    sealed = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "c2VhbGVk"}}
    parts = [
        {"type": "reasoning-start", "id": "1", "providerMetadata": {"openai": {"itemId": "rs_1"}}},
        {"type": "reasoning-delta", "id": "1", "delta": "Hm."},
        {"type": "reasoning-end", "id": "1", "providerMetadata": sealed},
    ]
    prompt = _node("prompt.mjs", "it.prompt(run.messages)", _run(parts))
    assert prompt[2]["content"] == [{"type": "reasoning", "text": "Hm.", "providerOptions": sealed}]
