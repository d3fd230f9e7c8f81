"""A rendering is cut at its placeholders once; each request only fills the slots."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.foundation.json_text import dump, encode
from mockserver.wire.slots import Slot, encode_values, fill, fill_json, mark, pieces, slot_values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["\ud83d", '"\\', "…"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_text_is_cut_at_its_placeholders() -> None:
    cut = pieces(dump({"id": mark("id"), "n": 1, "at": [mark("created_at"), mark("id")]}))
    assert cut == (
        b'{"id":', Slot("id"), b',"n":1,"at":[', Slot("created_at"), b",", Slot("id"), b"]}",
    )  # fmt: skip
    slots = encode_values(id="resp_1", created_at=7)
    assert fill(cut, slots) == b'{"id":"resp_1","n":1,"at":[7,"resp_1"]}'


def test_a_placeholder_may_begin_a_url() -> None:
    data = {"url": mark("origin") + "/a/mock", "model": mark("model")}
    slots = encode_values(origin="http://127.0.0.1:4100", model="mock")
    sent = {"url": "http://127.0.0.1:4100/a/mock", "model": "mock"}
    assert json.loads(fill(pieces(dump(data)), slots)) == sent
    assert fill_json(data, slots) == sent
    assert dict(slot_values(data, sent)) == {"origin": "http://127.0.0.1:4100", "model": "mock"}


def test_text_without_placeholders_is_one_piece_and_empty_text_has_none() -> None:
    assert pieces("data: x\n\n") == (b"data: x\n\n",)
    assert pieces("") == ()
    assert pieces(dump(mark("id"))) == (Slot("id"),)


@given(JSON, JSON)
def test_bytes_and_values_are_filled_alike(document: Any, value: Any) -> None:
    marked = {"before": document, "slot": mark("model"), "deep": [{"slot": mark("model")}]}
    slots = encode_values(model=value)
    sent = fill(pieces(dump(marked)), slots)
    assert json.loads(sent) == fill_json(marked, slots)
    assert fill_json(marked, slots) == {
        "before": document,
        "slot": value,
        "deep": [{"slot": value}],
    }


ALMOST = {
    "the name alone": "slot.id",
    "a letter before it": f"x{mark('id')}",
    "a blank after it": f"{mark('id')} ",
    "a mark without a name": mark(""),
}


@pytest.mark.parametrize("text", ALMOST.values(), ids=ALMOST.keys())
def test_a_text_that_resembles_a_placeholder_is_kept(text: str) -> None:
    assert pieces(dump(text)) == (dump(text).encode(),)


def test_a_slot_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill(pieces(dump(mark("id"))), encode_values(model="m"))


def test_json_is_compact_and_its_text_is_unescaped() -> None:
    assert dump({"a": ["é", "\u2028", "\n", 1.0]}) == '{"a":["é","\u2028","\\n",1.0]}'
    with pytest.raises(ValueError, match="JSON"):
        dump(float("nan"))


def test_a_lone_surrogate_stays_a_json_escape() -> None:
    assert encode(dump("\ud83d")) == b'"\\ud83d"'
    assert json.loads(encode(dump('\\"\ud83d\\'))) == '\\"\ud83d\\'
    assert encode("é") == b"\xc3\xa9"
