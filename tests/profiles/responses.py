"""Examples of the exceptions in OpenResponses: known deviations from the specification."""

from __future__ import annotations

from tests.profiles import Change, Example
from tests.stream import MESSAGE, RAW, Events, Json, added, child, done, lifecycle, text
from tests.stream.changes import GONE, drop, edit, edit_all

_LIFECYCLE = ("created", "in_progress", "completed")


def _response(*types: str, **fields: object) -> Change:
    """Changes fields of the response object; GONE removes one."""
    return edit_all(*(types or _LIFECYCLE), response=fields)


SEARCH: Json = {"type": "web_search_call", "id": "ws_1", "status": "completed"}


def _hosted(item: Json, *events: Json) -> Change:
    """A change that replaces the stream by a hosted tool's item, its events, and a message."""

    def change(_events: Events) -> Events:
        return [
            *(lifecycle("created"), lifecycle("in_progress")),
            added(0, item),
            *events,
            done(0, item),
            added(1, MESSAGE),
            *text(1)[:-1],
            text(1)[-1],
            done(1, {**MESSAGE, "content": MESSAGE["content"][:1]}),
            lifecycle("completed", [item, {**MESSAGE, "content": MESSAGE["content"][:1]}]),
        ]

    return change


def _searched(type_: str = "web_search_call.searching", index: int = 0) -> Json:
    return child(type_, "ws_1", index)


def _named(stem: str) -> Change:
    """Replaces the stream by one of raw reasoning, with its events renamed to ``stem``."""
    return lambda _events: [
        {**event, "type": event["type"].replace("response.reasoning.", f"response.{stem}.")}
        for event in RAW
    ]


def _reasoned(**fields: object) -> Change:
    """Replaces the stream by one of raw reasoning, whose item has these fields besides."""
    return lambda _events: edit_all("output_item.added", "output_item.done", item=fields)(RAW)


def _rotated(events: Events) -> Events:
    """Gives every id another value in each event."""
    return [_renamed(event, n) for n, event in enumerate(events)]


def _renamed(event: Json, n: int) -> Json:
    event = dict(event)
    if "item_id" in event:
        event["item_id"] = f"{event['item_id']}-{n}"
    if "item" in event:
        event["item"] = {**event["item"], "id": f"{event['item']['id']}-{n}"}
    if "response" in event:
        output = [{**item, "id": f"{item['id']}-{n}"} for item in event["response"]["output"]]
        event["response"] = {**event["response"], "id": f"resp-{n}", "output": output}
    return event


def _swapped(events: Events) -> Events:
    """Gives one delta of the second call the item id of the first."""
    return edit("function_call_arguments.delta", 1, item_id="fc_1")(events)


_BARE = (
    "background",
    "completed_at",
    "frequency_penalty",
    "instructions",
    "max_tool_calls",
    "presence_penalty",
    "prompt_cache_key",
    "safety_identifier",
    "service_tier",
    "top_logprobs",
    "truncation",
)

_KEEPALIVE: Json = {"type": "keepalive"}
_TRACE: Json = {"type": "openai:trace"}

_NO_ID = ("stream-types", _response(model=GONE))
_REASONING_TEXT = (
    ("extensions", _named("reasoning_words")),
    ("extensions", _named("reasoning_summary")),
)

EXAMPLES = (
    Example(
        "openai",
        "no-completed-at",
        _response(completed_at=GONE),
        (_NO_ID, ("stream-types", _response(completed_at="soon"))),
    ),
    Example(
        "openai",
        "no-penalties",
        _response(presence_penalty=GONE, frequency_penalty=GONE),
        (
            ("stream-types", _response(presence_penalty=GONE, top_p=GONE)),
            ("stream-types", _response(presence_penalty=None)),
        ),
    ),
    Example(
        "openai",
        "hosted-items",
        _hosted(SEARCH, _searched()),
        (
            ("extensions", _hosted({**SEARCH, "type": "wiki_search_call"})),
            ("extensions", _hosted(SEARCH, _searched("wiki_search_call.searching", 7))),
            ("extensions", _hosted(SEARCH, _searched("web_search_call.searching", 7))),
            ("items-finished", lambda e: [x for x in _hosted(SEARCH)(e) if x != done(0, SEARCH)]),
        ),
    ),
    Example(
        "openai",
        "keepalive-events",
        lambda events: [*events[:2], _KEEPALIVE, *events[2:]],
        (
            ("extensions", lambda events: [*events[:2], {"type": "keep_alive"}, *events[2:]]),
            ("extensions", lambda e: [*e[:2], {**_KEEPALIVE, "delta": "See"}, *e[2:]]),
        ),
    ),
    Example("openai", "reasoning-text", _named("reasoning_text"), _REASONING_TEXT),
    Example(
        "openai",
        "no-done",
        list,
        (
            ("framing", lambda events: [*events, _TRACE]),
            ("terminal-once", drop("completed")),
        ),
        done=False,
    ),
    Example("lmstudio", "reasoning-text", _named("reasoning_text"), _REASONING_TEXT),
    Example(
        "copilot",
        "rotating-ids",
        _rotated,
        (
            ("item-id-stable", _swapped),
            ("index-stable", edit("output_item.done", 2, output_index=9)),
            ("stream-types", edit("output_item.added", 1, item={"id": 5})),
        ),
    ),
    Example(
        "copilot",
        "no-cache-key",
        _response(prompt_cache_key=GONE),
        (_NO_ID, ("stream-types", _response(prompt_cache_key=7))),
    ),
    Example(
        "copilot",
        "null-encrypted",
        _reasoned(encrypted_content=None),
        (
            ("stream-types", _reasoned(encrypted_content=7)),
            ("stream-types", _reasoned(encrypted_content=None, summary=None)),
        ),
    ),
    Example(
        "xai",
        "sparse-response",
        _response(**dict.fromkeys(_BARE, GONE)),
        (_NO_ID, ("stream-types", _response(truncation=None))),
    ),
    Example(
        "xai",
        "no-error",
        _response(error=GONE),
        (("stream-types", _response(error="none")),),
    ),
    Example(
        "xai",
        "late-usage",
        _response("created", "in_progress", usage=GONE),
        (("stream-types", _response("completed", usage=GONE)),),
    ),
    Example(
        "xai",
        "null-sampling",
        _response(temperature=None, top_p=None),
        (
            ("stream-types", _response(temperature="hot")),
            ("stream-types", _response(temperature=GONE)),
        ),
    ),
)
