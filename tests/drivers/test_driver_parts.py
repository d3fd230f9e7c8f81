"""Units of the drivers: environment, lifecycle table, line splitting, drive/1 messages."""

import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import End, EndOutcome, ReportedError
from conformance.drivers.child import environment
from conformance.drivers.driver import Outcome, ended_value
from conformance.drivers.flight import RUN_TABLE, Flight, RunEvent, State
from conformance.drivers.kinds import DRIVERS
from conformance.drivers.messages import Lines, Overlong, decode_line, encode_line, why_invalid
from conformance.drivers.recorder import Recorder
from conformance.findings.formats.endings import write_ended
from mockserver.foundation.faults import KitError
from mockserver.foundation.shipped import schema
from tests.drivers import message


def _end(outcome: EndOutcome, said: str) -> End:
    return End(0.0, outcome, error=ReportedError(message=said))


SECRETS = {
    "OPENAI_API_KEY": "sk-real",
    "ANTHROPIC_API_KEY": "sk-real",
    "AWS_SECRET_ACCESS_KEY": "real",
    "GITHUB_TOKEN": "ghp_real",
    "HTTP_PROXY": "http://proxy.example:3128",
    "https_proxy": "http://proxy.example:3128",
    "ALL_PROXY": "socks://proxy.example",
    "OPENAI_BASE_URL": "https://api.example.com",
    "NODE_OPTIONS": "--inspect",
    "PYTHONSTARTUP": "/somewhere.py",
    "BASH_ENV": "/somewhere.sh",
}


@pytest.mark.parametrize("state", State)
def test_the_state_of_a_run_handles_any_sequence_of_messages(state: State) -> None:
    assert set(RUN_TABLE[state]) == set(RunEvent)


def test_a_run_that_is_over_stays_over() -> None:
    for state in (State.CLOSED, State.ABANDONED):
        assert {step.to for step in RUN_TABLE[state].values()} == {state}


def test_the_deadline_ends_every_run() -> None:
    state, steps = State.OPEN, 0
    while state not in (State.CLOSED, State.ABANDONED):
        state, steps = RUN_TABLE[state][RunEvent.TIME].to, steps + 1
    assert steps == 2


@given(st.data())
def test_lines_are_the_same_for_any_chunking(data: st.DataObject) -> None:
    text = data.draw(
        st.lists(st.sampled_from([b"a", b"bc" * 5, b"\n", b"\r\n", b" "])).map(b"".join)
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    whole, cut = Lines(8), Lines(8)
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    expected = list(whole.feed(text))
    got = [line for piece in pieces for line in cut.feed(piece)]
    assert [isinstance(each, Overlong) for each in got] == [
        isinstance(each, Overlong) for each in expected
    ]
    fitting = [each for each in got if not isinstance(each, Overlong)]
    assert fitting == [each for each in expected if not isinstance(each, Overlong)]
    assert fitting == [
        each.strip() for each in text.split(b"\n")[:-1] if len(each) <= 8 and each.strip()
    ]
    assert cut.rest == whole.rest


def test_a_line_that_is_too_long_is_reported_before_its_end() -> None:
    lines = Lines(8)
    assert [type(each) for each in lines.feed(b"123456789")] == [Overlong]
    assert list(lines.feed(b"more of it\nnext\n")) == [b"next"]


def test_a_child_inherits_no_keys_and_no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    passed = environment({"PORT": "4100"})
    assert not set(SECRETS) & set(passed)
    assert not {"real", "proxy.example"} & {
        word for value in passed.values() for word in value.split("-")
    }
    assert passed["PORT"] == "4100"
    assert passed["NO_PROXY"] == passed["no_proxy"] == "127.0.0.1,localhost,::1"
    assert passed["PATH"].endswith(os.environ["PATH"])


@pytest.mark.parametrize(
    ("levels", "wrong"),
    [
        (512, ""),
        (513, "it wrote a line that is nested deeper than 512 levels"),
        (600, "it wrote a line that is nested deeper than 512 levels"),
        (100_000, "it wrote a line that is nested deeper than 512 levels"),
    ],
)
def test_a_line_may_not_be_nested_too_deeply_to_be_shown(levels: int, wrong: str) -> None:
    _, why = decode_line(b"[" * levels + b"]" * levels)
    assert why.startswith(wrong)
    assert bool(why) is bool(wrong)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"listening on 8080", "a line to stdout that is not JSON: 'listening on 8080'; logs go"),
        (b'"id": 7', "a line to stdout that is not JSON: '\"id\": 7'; logs go to stderr"),
        (
            b'{"type": "done"',
            "a line of broken JSON (Expecting ',' delimiter, at character 16): '{",
        ),
        (b"{'type': 'done'}", "a line of broken JSON (Expecting property name enclosed in double"),
        (b"\xffx", "bytes to stdout that are not UTF-8: b'\\xffx'"),
        (b"9" * 10_000, "a number of more than 4,300 digits, which is not read: '999"),
        (b'{"n": ' + b"9" * 10_000 + b"}", "a number of more than 4,300 digits, which is not read"),
        (Overlong(b"x" * 100), "a line of more than 1 MiB: 'xxx"),
    ],
)
def test_a_line_that_cannot_be_read_is_shown_with_the_reason(line: bytes, why: str) -> None:
    """Only a line that is no JSON at all may be a log."""
    _, said = decode_line(line)
    assert said.startswith(f"it wrote {why}")
    assert len(said) < 260
    assert ("logs go to stderr" in said) == ("logs" in why)


def test_a_line_is_one_line_of_the_drive_1_schema() -> None:
    written = encode_line(message("r-1"))
    assert written.count(b"\n") == 1
    assert json.loads(written)["id"] == "r-1"
    with pytest.raises(KitError, match="the kit made an invalid run message"):
        encode_line({"type": "run", "id": "r-1"})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"type": "done", "id": "r", "outcome": "completed"}, ""),
        (
            {"type": "done", "id": "r", "outcome": "ok"},
            "a done message that breaks $defs.done of schemas/driver.json: outcome: 'ok' is not",
        ),
        ({"type": "part", "id": "r"}, "a message of the type 'part', where done was due"),
        ({"type": "run", "id": "r"}, "a run message, which only the kit sends, where done was due"),
        ({"id": "r"}, "a JSON object without a type, where done was due"),
        (["done"], "a list, where a message is a JSON object: ['done']"),
        (None, "null, where a message is a JSON object"),
    ],
)
def test_a_violation_of_drive_1_is_reported(said: object, message: str) -> None:
    assert message in why_invalid(said, "done")
    assert bool(why_invalid(said, "done")) == bool(message)


OUTCOMES = [
    (Outcome("completed"), "completed"),
    (Outcome("failed", (_end("failed", "no model\nat a.js"),)), "failed: no model"),
    (Outcome("unsupported", (_end("unsupported", "not today"),)), "unsupported: not today"),
    (Outcome("crashed", (_end("error", "KeyError: 1"),), ("Traceback …",)), "crashed: KeyError: 1"),
    (
        Outcome("crashed", notes=("it exited with 1", "on stderr it said:\nOSError: no\nbye")),
        "crashed: OSError: no; it exited with 1",
    ),
    (
        Outcome("broke-protocol", notes=("it wrote a list, …", "on stderr it said:\nOSError: no")),
        "broke-protocol: it wrote a list, …",
    ),
    (Outcome("hung", notes=("on stderr it said:\nwaiting",)), "hung"),
]


@pytest.mark.parametrize(("outcome", "words"), OUTCOMES)
def test_an_outcome_is_named_with_its_reason(outcome: Outcome, words: str) -> None:
    assert write_ended(ended_value(outcome)) == words


def test_every_way_to_drive_in_the_schema_has_a_driver() -> None:
    assert set(DRIVERS) == set(schema("adapter")["properties"]["drive"]["properties"])


def test_an_adapter_can_answer_a_cancellation_while_it_is_asked() -> None:
    recorder = Recorder()

    def ask() -> None:
        answering = threading.Thread(target=flight.apply, args=(RunEvent.NOTICE,), daemon=True)
        answering.start()
        answering.join(5)

    flight = Flight({"type": "run", "id": "r-1", "deadline_ms": 9000}, recorder, ask)
    recorder.begin()
    flight.cancel()
    assert recorder.cancelled
