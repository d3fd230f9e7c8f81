from typing import Any

from mockserver.foundation.shipped import schema
from tests.schemas import Path, check_refused, ours, problems, removed

EMPTY: dict[str, Any] = {
    "case": "any/text@openresponses", "scenario": "any/text", "dialect": "openresponses",
    "vocabulary": "vscode", "adapter": "reference", "verdict": "not-run", "requests": [],
    "parts": [], "checkpoints": [], "cancelled": None, "ends": [], "notes": [],
}  # fmt: skip
EVENT: dict[str, Any] = {
    "n": 0,
    "at": 0.002,
    "type": "response.output_text.delta",
    "data": {"delta": "Hi"},
    "kind": "event",
}
REQUEST: dict[str, Any] = {
    "n": 0, "at": 0.001, "method": "POST", "path": "/r/9f2c1e77/v1/responses", "status": 200,
    "turn": 0, "why": "the first turn", "body": {"input": "Hi"}, "problems": [], "events": [EVENT],
    "left": None, "ended": 0.0035, "attempt": 1, "answer": None,
}  # fmt: skip
PART: dict[str, Any] = {"n": 0, "at": 0.003, "part": {"type": "text", "value": "Hi"}}
CHECKPOINT: dict[str, Any] = {
    "name": "mid",
    "event": 3,
    "parts": 1,
    "reached": True,
    "waited": 0.0005,
}
CANCELLED: dict[str, Any] = {"at": 0.0025, "parts": 2, "by": "after_parts"}
END: dict[str, Any] = {"at": 0.004, "outcome": "completed"}
FULL: dict[str, Any] = EMPTY | {
    "verdict": "completed",
    "requests": [REQUEST],
    "parts": [PART],
    "checkpoints": [CHECKPOINT],
    "ends": [END],
    "notes": ["the clock was late by 3 ms"],
}


# Every optional field too
ASKED: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Hi"}],
    "tools": [{"name": "search"}],
    "token": "",
}
EVERYTHING: dict[str, Any] = FULL | {
    "requests": [
        REQUEST
        | {"problems": ["x"], "left": {"at": 0.5, "how": "reset"}}
        | {"events": [EVENT | {"ignorable": True}]}
    ],
    "cancelled": CANCELLED,
    "ends": [
        END
        | {"finish": "error", "usage": {"input": 11}}
        | {"error": {"kind": "http", "message": "429", "code": "x"}}
    ],
}


def one(key: str, **fields: Any) -> dict[str, Any]:
    """A transcript with these fields changed in the only entry of the list ``key``."""
    return FULL | {key: [FULL[key][0] | fields]}


def sent(**fields: Any) -> dict[str, Any]:
    return one("requests", events=[EVENT | fields])


def test_a_transcript_is_accepted() -> None:
    for transcript in [
        EMPTY,
        FULL,
        one("requests", status=404, turn=None, body=None, events=[], problems=["no scenario"]),
        one("requests", body="not JSON", left={"at": 0.1, "how": "reset"}),
        one("requests", headers={"ai-language-model-id": "mock"}),
        FULL | {"asked": ASKED},
        FULL | {"asked": ASKED | {"options": {"maxOutputTokens": 64}}, "turn": 0, "before": []},
        sent(type="", data=": keepalive", kind="comment"),
        sent(type="", data="[DONE]", kind="done"),
        sent(type="", data=None, kind="raw"),
        one("parts", part={"type": "toolResult"}),
        one("requests", ended=None),
        one("checkpoints", reached=False, waited=2),
        FULL | {"cancelled": CANCELLED},
        FULL | {"cancelled": CANCELLED | {"parts": 0, "by": "checkpoint"}},
        one("ends", finish="stop", usage={"input": 11, "output": 22}),
        one("ends", finish=None, usage=None, error=None),
        one("ends", outcome="failed", error={"kind": "http", "message": "429", "code": None}),
        one("ends", outcome="error", error={"message": "KeyError: 'choices'"}),
        one("ends", outcome="unsupported"),
        one("ends", outcome="cancelled"),
        FULL | {"ends": [END, END]},
    ]:
        assert problems(ours("transcript"), transcript) == []


def test_every_verdict_of_a_run_is_accepted() -> None:
    verdicts = (
        "completed failed cancelled timed-out hung crashed broke-protocol unsupported not-run"
    )
    for verdict in verdicts.split():
        assert problems(ours("transcript"), EMPTY | {"verdict": verdict}) == []


PLACES: list[Path] = [
    *((key,) for key in EMPTY),
    *(("requests", 0, key) for key in REQUEST),
    *(("requests", 0, "events", 0, key) for key in EVENT),
    *(("parts", 0, key) for key in PART),
    *(("checkpoints", 0, key) for key in CHECKPOINT),
    *(("ends", 0, key) for key in END),
]


def test_a_transcript_without_one_of_its_fields_is_refused() -> None:
    for place in PLACES:
        ((_, said),) = problems(ours("transcript"), removed(FULL, place))
        assert said == f"'{place[-1]}' is a required property"


REFUSED: list[tuple[Any, str, str]] = [
    ([], "$", "[] is not of type 'object'"),
    (FULL | {"findings": []}, "$", "Additional properties are not allowed ('findings'"),
    (FULL | {"verdict": "passed"}, "$.verdict", "'passed' is not one of"),
    *(
        (FULL | {key: ""}, f"$.{key}", "'' should be non-empty")
        for key in ("case", "scenario", "dialect", "vocabulary", "adapter")
    ),
    (FULL | {"notes": [1]}, "$.notes[0]", "1 is not of type 'string'"),
    (one("requests", n=-1), "$.requests[0].n", "-1 is less than the minimum of 0"),
    (one("requests", at="0.1"), "$.requests[0].at", "'0.1' is not of type 'number'"),
    (one("requests", status=0), "$.requests[0].status", "0 is less than the minimum of 100"),
    (one("requests", status=600), "$.requests[0].status", "600 is greater than the maximum"),
    (one("requests", turn=-1), "$.requests[0].turn", "-1 is less than the minimum of 0"),
    (one("requests", method=""), "$.requests[0].method", "'' should be non-empty"),
    (one("requests", path=""), "$.requests[0].path", "'' should be non-empty"),
    (one("requests", turn="0"), "$.requests[0].turn", "'0' is not of type 'integer', 'null'"),
    (one("requests", problems="x"), "$.requests[0].problems", "'x' is not of type 'array'"),
    (one("requests", left={"how": "reset"}), "$.requests[0].left", "'at' is a required property"),
    (one("requests", left={"at": 1, "how": ""}), "$.requests[0].left.how", "'' should be"),
    (one("requests", left={"at": -1, "how": "x"}), "$.requests[0].left.at", "-1 is less than"),
    (one("requests", left={"at": 1}), "$.requests[0].left", "'how' is a required property"),
    (one("requests", headers={"a": 1}), "$.requests[0].headers.a", "1 is not of type 'string'"),
    (FULL | {"asked": ASKED | {"options": []}}, "$.asked.options", "[] is not of type 'object'"),
    (one("requests", cookies={}), "$.requests[0]", "Additional properties are not allowed"),
    (sent(kind="frame"), "$.requests[0].events[0].kind", "'frame' is not one of"),
    (sent(type=None), "$.requests[0].events[0].type", "None is not of type 'string'"),
    (sent(at=-0.1), "$.requests[0].events[0].at", "-0.1 is less than the minimum of 0"),
    (one("parts", part="Hi"), "$.parts[0].part", "'Hi' is not of type 'object'"),
    (one("parts", id="r-17"), "$.parts[0]", "Additional properties are not allowed ('id'"),
    (one("checkpoints", reached=1), "$.checkpoints[0].reached", "1 is not of type 'boolean'"),
    (one("checkpoints", name=""), "$.checkpoints[0].name", "'' should be non-empty"),
    (one("checkpoints", event=-1), "$.checkpoints[0].event", "-1 is less than the minimum"),
    (one("checkpoints", parts=-1), "$.checkpoints[0].parts", "-1 is less than the minimum"),
    (one("parts", n=-1), "$.parts[0].n", "-1 is less than the minimum of 0"),
    (one("parts", at=-1), "$.parts[0].at", "-1 is less than the minimum of 0"),
    (one("requests", ended=-1), "$.requests[0].ended", "-1 is less than the minimum of 0"),
    (FULL | {"cancelled": True}, "$.cancelled", "True is not of type 'object', 'null'"),
    (FULL | {"cancelled": CANCELLED | {"at": -1}}, "$.cancelled.at", "-1 is less than the minimum"),
    (
        FULL | {"cancelled": CANCELLED | {"parts": -1}},
        "$.cancelled.parts",
        "-1 is less than the minimum",
    ),
    (FULL | {"cancelled": CANCELLED | {"by": "host"}}, "$.cancelled.by", "'host' is not one of"),
    *(
        (FULL | {"cancelled": removed(CANCELLED, (key,))}, "$.cancelled", f"'{key}' is a required")
        for key in ("at", "parts", "by")
    ),
    (one("ends", at=-1), "$.ends[0].at", "-1 is less than the minimum of 0"),
    (sent(n=-1), "$.requests[0].events[0].n", "-1 is less than the minimum of 0"),
    (one("checkpoints", waited=-1), "$.checkpoints[0].waited", "-1 is less than the minimum"),
    (one("ends", outcome="incomplete"), "$.ends[0].outcome", "'incomplete' is not one of"),
    (one("ends", error={"kind": "http"}), "$.ends[0].error", "'message' is a required property"),
    (one("ends", usage=[]), "$.ends[0].usage", "[] is not of type 'object', 'null'"),
    (one("ends", finish=0), "$.ends[0].finish", "0 is not of type 'string', 'null'"),
]


def test_a_wrong_transcript_is_refused_in_one_line() -> None:
    check_refused(ours("transcript"), REFUSED)


def test_a_message_has_the_schema_of_the_driver_protocol() -> None:
    assert schema("transcript")["$defs"]["message"] == schema("driver")["$defs"]["message"]
