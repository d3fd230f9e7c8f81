"""Arguments are read and compared as the vectors say, which Node is tested with too."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.transcript import End
from conformance.vocabularies import VOCABULARIES
from mockserver.foundation.call_arguments import (
    read_arguments,
    read_value,
    round_to_doubles,
    same_arguments,
    same_json,
)
from tests.docs.pages import ROOT
from tests.rows import row

VECTORS = json.loads(Path(ROOT, "tests/foundation/call-arguments.json").read_text("utf-8"))


def tool_call(input_: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": "call_1", "toolName": "f", "input": input_}


def copilot_call(arguments: Any) -> dict[str, Any]:
    call = {"id": "call_1", "name": "f", "arguments": arguments}
    return {"type": "delta", "index": 0, "delta": {"text": "", "copilotToolCalls": [call]}}


def test_arguments_are_of_their_kind() -> None:
    for vector in VECTORS["kinds"]:
        with row(vector["name"]):
            read = read_arguments(vector["given"])
            assert read.kind == vector["kind"]
            assert read.twice_encoded is vector.get("twice_encoded", False)
            assert read.usable is (read.kind in ("blank", "object", "beyond comparison"))


def test_the_value_of_arguments_is_the_object_or_the_given_text() -> None:
    for vector in VECTORS["kinds"]:
        with row(vector["name"]):
            read = read_arguments(vector["given"])
            match read.kind:
                case "blank":
                    assert read.input == {}
                case "object":
                    assert read.input is not None
                    assert same_json(read.input, vector["value"])
                case "not an object":
                    given = vector["given"]
                    assert same_json(
                        read.value, json.loads(given) if isinstance(given, str) else given
                    )
                    assert read.input is None
                case _:
                    assert read.value == vector["given"]
                    assert read.input is None


def test_arguments_are_equal_as_json_or_as_texts() -> None:
    for vector in VECTORS["pairs"]:
        with row(vector["name"]):
            assert same_arguments(vector["one"], vector["other"]) is vector["same"]
            assert same_arguments(vector["other"], vector["one"]) is vector["same"]


def test_arguments_equal_themselves() -> None:
    for vector in VECTORS["kinds"]:
        with row(vector["name"]):
            assert same_arguments(vector["given"], vector["given"])


def test_values_are_equal_if_their_doubles_are() -> None:
    for vector in VECTORS["pairs"]:
        with row(vector["name"]):
            one, other = (read_arguments(vector[name]) for name in ("one", "other"))
            written = [
                json.dumps(round_to_doubles(read.value), sort_keys=True) for read in (one, other)
            ]
            assert (written[0] == written[1]) is vector["same"]


@pytest.mark.parametrize("vocabulary", ["stream", "copilot"])
def test_a_call_is_read_with_the_value_of_its_arguments(vocabulary: str) -> None:
    for vector in VECTORS["kinds"]:
        with row(vector["name"]):
            part = {"stream": tool_call(vector["given"]), "copilot": copilot_call(vector["given"])}[
                vocabulary
            ]
            reading = VOCABULARIES[vocabulary].read([part], End(0.0, "completed", finish="stop"))
            inputs = {
                "blank": {},
                "object": vector.get("value"),
                "beyond comparison": vector["given"],
            }
            if vector["kind"] in inputs:
                (call,) = reading.calls
                assert same_json(call.input, inputs[vector["kind"]])
                assert reading.error is None
            else:
                assert reading.calls == ()
                assert reading.error
                assert reading.error["kind"] == "decode"


def test_a_string_inside_parsed_values_is_not_parsed() -> None:
    assert read_value("{}").kind == "not an object"
    assert read_value("{}").value == "{}"


def test_the_doubles_of_a_value_are_a_copy() -> None:
    value = {"a": [1.0, {"b": True}]}
    copy = round_to_doubles(value)
    copy["a"][1]["b"] = None
    assert value == {"a": [1.0, {"b": True}]}
    assert repr(copy["a"][0]) == "1"


def test_reading_at_a_deep_recursion_level_raises_nothing() -> None:
    text = '{"a":' * 400 + "1" + "}" * 400

    def kind_at(depth: int) -> str:
        return kind_at(depth - 1) if depth else read_arguments(text).kind

    assert kind_at(sys.getrecursionlimit() - 300) in ("object", "beyond comparison")
