from typing import Any

from conformance.vocabularies import VOCABULARIES
from mockserver.foundation.shipped import schema
from tests.schemas import check_refused, ours, problems

ADAPTER: dict[str, Any] = {
    "name": "vscode-ai-gateway",
    "drive": {"stdio": ["node", "run.mjs"]},
    "dialects": ["openresponses"],
    "vocabulary": "vscode",
}
FULL: dict[str, Any] = ADAPTER | {
    "about": "The gateway's own adapter",
    "url": "https://example.org/gateway",
    "traits": {
        "call_id_prefix": "gw-", "reasoning": "text", "refusal": "error", "annotations": "data",
        "errors": "text", "emit_call_at": "end",
    },
    "claims": {"live": True, "cancel": True, "turns": True, "concurrency": 8},
    "known_failures": "known-failures.yaml",
}  # fmt: skip


def test_an_adapter_is_accepted() -> None:
    for adapter in [
        ADAPTER,
        FULL,
        ADAPTER | {"name": "@ai-sdk/open responses"},
        ADAPTER | {"drive": {"python": "conformance.dialects.client.vscode:make"}},
        ADAPTER | {"drive": {"python": "adapter:Adapter"}},
        ADAPTER | {"drive": {"exec": ["./run.sh"]}},
        ADAPTER | {"drive": {"serve": ["gateway", "--port", "0"]}},
        ADAPTER | {"dialects": ["openresponses", "vercel-ui"]},
        ADAPTER | {"known_failures": "../lists/known.yaml"},
        ADAPTER | {"program": "../six/repro-chat.mjs"},
        ADAPTER | {"traits": {}, "claims": {}},
        ADAPTER | {"claims": {"concurrency": 1}},
        ADAPTER | {"claims": {"count": True}},
        ADAPTER | {"claims": {"tools": []}},
        ADAPTER | {"claims": {"tools": ["custom", "web_search"]}},
        ADAPTER | {"claims": {"concurrency": 256}},
    ]:
        assert problems(ours("adapter"), adapter) == []


def test_the_first_value_of_a_trait_is_its_default() -> None:
    for trait, values in [
        ("reasoning", ["thinking", "text", "prefixed", "hidden"]),
        ("refusal", ["text", "error", "hidden"]),
        ("annotations", ["link", "data", "hidden"]),
        ("errors", ["reject", "part", "text"]),
        ("emit_call_at", ["complete", "item", "end"]),
        ("call_id", ["upstream", "own"]),
        ("unoffered_tool", ["call", "error"]),
        ("hosted_tools", ["optional", "emitted"]),
        ("choices", ["alternatives", "merge"]),
        ("framing", ["blocks", "none"]),
        ("url_files", ["hidden", "fetched"]),
        ("missing_usage", ["none", "estimated"]),
    ]:
        body = schema("adapter")["properties"]["traits"]["properties"][trait]
        assert body["enum"] == values
        assert body["default"] == values[0]


def test_an_empty_prefix_and_no_blank_are_the_defaults() -> None:
    traits = schema("adapter")["properties"]["traits"]["properties"]
    assert traits["call_id_prefix"]["default"] == ""
    for flag in ("blank_before_call", "strict"):
        assert traits[flag] == traits[flag] | {"type": "boolean", "default": False}
    assert len(traits) == 15


def without(key: str) -> dict[str, Any]:
    return {field: value for field, value in ADAPTER.items() if field != key}


REFUSED: list[tuple[Any, str, str]] = [
    ([], "$", "[] is not of type 'object'"),
    *((without(key), "$", f"'{key}' is a required property") for key in ADAPTER),
    (ADAPTER | {"name": ""}, "$.name", "'' does not match"),
    (ADAPTER | {"name": "x" * 101}, "$.name", "'xxx"),
    (ADAPTER | {"name": " padded"}, "$.name", "' padded' does not match"),
    (ADAPTER | {"version": "1"}, "$", "Additional properties are not allowed ('version'"),
    (ADAPTER | {"url": "example.org"}, "$.url", "'example.org' does not match"),
    (ADAPTER | {"about": ""}, "$.about", "'' should be non-empty"),
    (ADAPTER | {"drive": {}}, "$.drive", "{} should be non-empty"),
    (ADAPTER | {"drive": "node run.mjs"}, "$.drive", "'node run.mjs' is not of type 'object'"),
    (ADAPTER | {"drive": {"shell": "x"}}, "$.drive", "Additional properties are not allowed"),
    (
        ADAPTER | {"drive": {"stdio": ["a"], "exec": ["b"]}},
        "$.drive",
        "{'stdio': ['a'], 'exec': ['b']} has too many properties",
    ),
    (ADAPTER | {"drive": {"stdio": "node run.mjs"}}, "$.drive.stdio", "'node run.mjs' is not of"),
    (ADAPTER | {"drive": {"exec": []}}, "$.drive.exec", "[] should be non-empty"),
    (ADAPTER | {"drive": {"serve": ["a", 1]}}, "$.drive.serve[1]", "1 is not of type 'string'"),
    (ADAPTER | {"drive": {"stdio": [""]}}, "$.drive.stdio[0]", "'' should be non-empty"),
    (ADAPTER | {"drive": {"python": ["a:b"]}}, "$.drive.python", "['a:b'] is not of type"),
    (ADAPTER | {"drive": {"python": "a.b"}}, "$.drive.python", "'a.b' does not match"),
    (ADAPTER | {"drive": {"python": "a/b.py:f"}}, "$.drive.python", "'a/b.py:f' does not match"),
    (ADAPTER | {"dialects": []}, "$.dialects", "[] should be non-empty"),
    (ADAPTER | {"dialects": "openresponses"}, "$.dialects", "'openresponses' is not of type"),
    (ADAPTER | {"dialects": ["a", "a"]}, "$.dialects", "['a', 'a'] has non-unique elements"),
    (ADAPTER | {"dialects": ["Open Responses"]}, "$.dialects[0]", "'Open Responses' does not"),
    (ADAPTER | {"vocabulary": "emacs"}, "$.vocabulary", "'emacs' is not one of ['vscode'"),
    (ADAPTER | {"traits": {"errors": "raise"}}, "$.traits.errors", "'raise' is not one of"),
    (ADAPTER | {"traits": {"reasoning": "x"}}, "$.traits.reasoning", "'x' is not one of"),
    (ADAPTER | {"traits": {"refusal": "x"}}, "$.traits.refusal", "'x' is not one of"),
    (ADAPTER | {"traits": {"annotations": "x"}}, "$.traits.annotations", "'x' is not one of"),
    (ADAPTER | {"traits": {"emit_call_at": "x"}}, "$.traits.emit_call_at", "'x' is not one of"),
    (ADAPTER | {"traits": {"colour": "red"}}, "$.traits", "Additional properties are not"),
    (ADAPTER | {"traits": {"call_id_prefix": None}}, "$.traits.call_id_prefix", "None is not of"),
    (ADAPTER | {"claims": {"live": "yes"}}, "$.claims.live", "'yes' is not of type 'boolean'"),
    (ADAPTER | {"claims": {"tools": [""]}}, "$.claims.tools[0]", "'' should be non-empty"),
    (
        ADAPTER | {"claims": {"tools": "custom"}},
        "$.claims.tools",
        "'custom' is not of type 'array'",
    ),
    (ADAPTER | {"claims": {"retry": True}}, "$.claims", "Additional properties are not allowed"),
    (ADAPTER | {"claims": {"concurrency": 0}}, "$.claims.concurrency", "0 is less than"),
    (ADAPTER | {"claims": {"concurrency": 257}}, "$.claims.concurrency", "257 is greater than"),
    (ADAPTER | {"claims": {"concurrency": True}}, "$.claims.concurrency", "True is not of type"),
    (ADAPTER | {"program": "/etc/repro.py"}, "$.program", "'/etc/repro.py' does not match"),
    (ADAPTER | {"program": "../run.mjs"}, "$.program", "'../run.mjs' does not match"),
    (ADAPTER | {"known_failures": "/etc/x.yaml"}, "$.known_failures", "'/etc/x.yaml' does not"),
    (ADAPTER | {"known_failures": "C:\\x.yaml"}, "$.known_failures", "'C:\\\\x.yaml' does not"),
    (ADAPTER | {"known_failures": ""}, "$.known_failures", "'' should be non-empty"),
]


def test_a_wrong_adapter_is_refused_in_one_line() -> None:
    check_refused(ours("adapter"), REFUSED)


def test_every_vocabulary_may_be_named() -> None:
    assert schema("adapter")["properties"]["vocabulary"]["enum"] == list(VOCABULARIES)
