"""Situations whose answer a script of a scenario has."""

from collections.abc import Mapping

from tests.dialects.ai_sdk.situation import Situation

ANSWERS: Mapping[str, Situation] = {
    "text": Situation(says=[{"text": "Hello there", "in": 2}]),
    "reasoning": Situation(
        says=[{"reasoning": {"text": "Hm.", "encrypted": "c2VhbGVk"}}, {"text": "Yes."}]),
    "reasoning in two parts": Situation(
        says=[{"reasoning": {"text": ["One.", "Two."]}}, {"text": "Yes."}]),
    "parallel calls": Situation(says=[{"start": {"call": "a", "id": "call_a", "name": "search"}},
        {"start": {"call": "b", "id": "call_b", "name": "read"}}, {"delta": {"a": '{"q":'}},
        {"delta": {"b": '{"path":"a"}'}}, {"delta": {"a": '"x"}'}}, {"end": "a"}, {"end": "b"}]),
    "a call between texts": Situation(says=[{"text": "I look."},
        {"call": {"id": "call_a", "name": "search", "input": {"q": "x"}}}, {"text": "Wait."}]),
    "a call without arguments": Situation(
        says=[{"call": {"id": "call_a", "name": "search", "arguments": ""}}]),
    "arguments that do not parse": Situation(
        says=[{"call": {"id": "call_a", "name": "search", "arguments": "{oops"}}]),
    "arguments that are no object": Situation(
        says=[{"call": {"id": "call_a", "name": "search", "arguments": "[1,2]"}}]),
    "empty deltas": Situation(
        says=[{"start": {"reasoning": "r"}}, {"delta": {"r": ""}}, {"delta": {"r": "Hm."}},
        {"end": "r"}, {"start": {"text": "t"}}, {"delta": {"t": ""}}, {"delta": {"t": "Hi"}},
        {"end": "t"}, {"start": {"call": "c", "id": "call_a", "name": "search"}},
        {"delta": {"c": ""}}, {"delta": {"c": "{}"}}, {"end": "c"}]),
    "empty blocks": Situation(says=[{"start": {"reasoning": "r"}}, {"delta": {"r": ""}},
        {"end": "r"}, {"start": {"text": "t"}}, {"delta": {"t": ""}}, {"end": "t"}]),
    "sources": Situation(says=[{"start": {"text": "t"}}, {"delta": {"t": "High tide at noon."}},
        {"cite": {"block": "t", "url": "https://tides.example/", "title": "Tides"}},
        {"cite": {"block": "t", "url": "https://moon.example/", "title": "Moon"}},
        {"cite": {"block": "t", "file_id": "file-1", "filename": "tides.txt"}}, {"end": "t"}]),
    "usage": Situation(says=[{"text": "Hi"}, {"usage": {"input": 11, "output": 22}}]),
    "no usage": Situation(says=[{"text": "Hi"}, {"usage": "none"}]),
    "cut short by length": Situation(says=[{"text": "Hi"}, {"incomplete": "length"}]),
    "cut short by a filter": Situation(says=[{"text": "Hi"}, {"incomplete": "content-filter"}]),
    "cut short otherwise": Situation(says=[{"text": "Hi"}, {"incomplete": {"other": "steered"}}]),
    "a call that is cut short": Situation(
        says=[{"start": {"call": "a", "id": "call_a", "name": "search"}},
        {"delta": {"a": '{"q":'}}, {"incomplete": "length"}]),
    "an error after text": Situation(
        says=[{"text": "Hi"}, {"failed": {"code": "overloaded", "message": "Too much."}}]),
}  # fmt: skip
