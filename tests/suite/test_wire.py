"""The bytes on the results page are exactly those that a client received."""

import http.client
import json
import re
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html import unescape
from pathlib import Path
from urllib.error import HTTPError

import pytest

from conformance.contract.transcript import Request, Transcript
from conformance.report.page import render_page
from conformance.report.recorded import parse_results
from conformance.report.wire import Span, of_body, spans_of
from conformance.suite.play import requests_of
from conformance.suite.upstream import Upstream
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue, read_file
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Problem, UserError
from mockserver.server.runs import Run
from streamproof._commands.cases import find_case
from tests.suite import scenario
from tests.suite.pages import unpacked
from tests.suite.recordings import Json, footer, header, result, written

PATIENCE = 10
CATALOGUE = Catalogue.shipped()
NAMED = partial(find_case, catalogue=CATALOGUE)

# A comment, control characters, a cut inside an event, a checkpoint and a stream that is cut off.
ODD = r"""
title: Everything that a page has to take care of
source: [the tests of the suite]
conduct: violation
dialects: [openresponses]
turns:
  - sends:
      - response.created
      - comment: "<script>alert(1)</script> \\x1b"
      - raw: "data: {\"type\":\"rocket \U0001F680\e[31m\uFEFF"
      - pause: 2ms
      - raw: "\"}\r\n\r\n"
      - response.output_item.added: {item: {type: message, id: msg_1}}
      - response.content_part.added
      - response.output_text.delta: {delta: One}
      - checkpoint: first
      - response.output_text.delta: {delta: two}
      - close: cut
    expect: {parts: [text: Onetwo], outcome: failed}
"""

LONG = """
title: More comes when nobody is there any more
source: [the tests of the suite]
turns:
  - says:
      - start: {text: t}
      - delta: {t: One}
      - pause: 60s
      - delta: {t: two}
      - end: t
"""
ASKED: dict[str, Json] = {
    "openresponses": {"input": "Hello"},
    "chat": {"messages": [{"role": "user", "content": "Hello"}]},
}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream(CATALOGUE) as running:
        yield running


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return own(tmp_path_factory.mktemp("scenarios"), "own/odd", ODD)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return own(tmp_path_factory.mktemp("scenarios"), "own/long", LONG)


def own(folder: Path, id_: str, source: str) -> Case:
    return Case(read_file(scenario(folder, id_, source), id_), "openresponses")


def asked(
    upstream: Upstream, case: Case, model: str = "mock", run: Run | None = None
) -> tuple[bytes, Request]:
    """The bytes that a plain HTTP client receives for a request, and the recorded request."""
    run = run or upstream.open(case)
    body = {**ASKED[case.dialect], "model": model, "stream": True}
    url = f"{upstream.url}{run.path}/{DIALECTS[case.dialect].requests.operations[0]}"
    request = urllib.request.Request(url, json.dumps(body).encode(), JSON)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            received = response.read()
    except http.client.IncompleteRead as cut:
        received = cut.partial
    except HTTPError as refused:
        with refused:
            received = refused.read()
    upstream.settle(run, PATIENCE)
    return received, requests_of(run, run.exchanges[0].at)[-1]


def line(case: Case, *requests: Request, adapter: str = "mine") -> Json:
    """A result as a line of a results file."""
    transcript = Transcript(
        str(case), case.scenario.id, case.dialect, "vscode", adapter, "completed", requests
    )
    return result(transcript.to_json(), case=str(case), adapter=adapter)


def paged(find: Callable[[str], Case], *lines: Json) -> str:
    names = dict.fromkeys(each["adapter"] for each in lines)
    data = written(header({}, *names), *lines, footer())
    return unpacked(render_page([parse_results(data, "x.jsonl")], find))


def answers(page: str) -> list[str]:
    """The answers on a page, as HTML."""
    return re.findall(r"<details class=wire>.*?<pre[^>]*>(.*?)</pre>", page, re.DOTALL)


def unmarked(html: str) -> bytes:
    """The bytes that are shown, without the marks between them."""
    without = re.sub("<b>.*?</b>", "", html)
    pieces = re.split("<i>(.*?)</i>", without)
    texts = [unescape(text).encode() for text in pieces[::2]]
    escapes = [text.encode().decode("unicode_escape").encode() for text in pieces[1::2]]
    return b"".join(part for pair in zip(texts, [*escapes, b""], strict=True) for part in pair)


@pytest.mark.parametrize(
    "id_",
    [
        "any/refusal@openresponses",
        "any/refusal@openresponses+crlf",
        "any/refusal@openresponses+no-event-line+no-done",
        "any/refusal@openresponses+unknown-events",
        "any/comments-everywhere@openresponses",
        "any/refusal@chat",
        "any/text-and-call-interleave@chat+crlf",
        "any/cut-inside-text@openresponses",
        "any/unicode-and-large-numbers@openresponses",
        "any/status-500-html@openresponses",
        "any/nothing-at-all@openresponses",
        "openresponses/characters-cut-in-two@openresponses",
        "openresponses/malformed-event@openresponses",
        "openresponses/status-400@openresponses",
    ],
)
def test_the_page_shows_the_bytes_that_a_client_received(upstream: Upstream, id_: str) -> None:
    case = NAMED(id_)
    received, request = asked(upstream, case)
    (shown,) = answers(paged(NAMED, line(case, request)))
    assert unmarked(shown) == received


def test_cuts_checkpoints_escapes_and_the_end_are_visible(upstream: Upstream, odd: Case) -> None:
    received, request = asked(upstream, odd)
    (shown,) = answers(paged(lambda _: odd, line(odd, request)))
    assert unmarked(shown) == received
    for text in (
        "<b>0 ms: write 1</b>event: response.created\n",
        ": &lt;script&gt;alert(1)&lt;/script&gt; \\x1b\n",
        "rocket 🚀<i>\\x1b</i>[31m<i>\\ufeff</i><b>2 ms: write 2</b>&quot;}<i>\\r</i>\n",
        "<b>held until this text has come out (first)</b><b>2 ms: write 3</b>",
        "<b>2 ms: the connection is closed, before the answer is over</b>",
    ):
        assert text in shown


def test_bytes_that_two_adapters_were_sent_alike_are_on_the_page_once(upstream: Upstream) -> None:
    case = NAMED("any/refusal")
    lines = [
        line(case, asked(upstream, case, model)[1], adapter=model) for model in ("one", "other")
    ]
    page = paged(NAMED, *lines)
    (shown,) = answers(page)
    assert '"model":<var>model</var>,'.replace('"', "&quot;") in shown
    for model in ("one", "other"):
        assert f"<var>model</var> <code>&quot;{model}&quot;</code>" in page
    # An answer that both got alike is shown as it was.
    assert "&quot;temperature&quot;:1," in shown


def test_a_page_shows_how_far_a_client_read_before_it_left(upstream: Upstream, long: Case) -> None:
    run = upstream.open(long)
    connection = http.client.HTTPConnection(upstream.url.removeprefix("http://"), timeout=PATIENCE)
    body = json.dumps({**ASKED["openresponses"], "model": "mock", "stream": True})
    connection.request("POST", f"{run.path}/responses", body, JSON)
    received = connection.getresponse().read1()
    connection.close()
    upstream.settle(run, PATIENCE)
    upstream.close(run)
    (request,) = requests_of(run, run.exchanges[0].at)
    text = (
        f"{len(received):,} bytes were sent, up to write 1 of 2; then the client closed the connec"
    )
    assert text in paged(lambda _: long, line(long, request))


def test_several_answers_are_distinguished(upstream: Upstream) -> None:
    case = NAMED("any/status-503-then-stream")
    run = upstream.open(case)
    requests = [asked(upstream, case, run=run)[1] for _ in range(2)]
    page = paged(NAMED, line(case, *requests))
    assert len(answers(page)) == 2
    for attempt in (1, 2):
        label = f"by turn 1 at attempt {attempt}"
        assert f"<summary>The bytes that were sent {label}</summary>" in page
        assert f"bytes were sent {label}, all of them." in page


def nowhere(_: str) -> Case:
    raise UserError(Problem("no scenario is called 'own/odd'", hint="give its folder"))


@pytest.mark.parametrize(
    ("find", "message"),
    [
        (nowhere, "no scenario is called &#x27;own/odd&#x27;; give its folder"),
        (NAMED, "the scenario, or streamproof, has changed since"),
    ],
    ids=["not there", "changed"],
)
def test_unknown_bytes_are_not_invented(
    upstream: Upstream, odd: Case, find: Callable[[str], Case], message: str
) -> None:
    _, request = asked(upstream, odd)
    changed = (lambda _: NAMED("any/refusal")) if find is NAMED else find
    page = paged(changed, line(odd, request))
    assert answers(page) == []
    assert f"The bytes that were sent cannot be shown: {message}" in page
    assert "event response.created {" in page


def test_a_file_without_checksums_shows_its_events(upstream: Upstream) -> None:
    case = NAMED("any/refusal")
    _, request = asked(upstream, case)
    page = paged(NAMED, line(case, replace(request, wire=None)))
    assert "cannot be shown: the results file does not say what its bytes were" in page
    assert answers(page) == []


def test_bytes_that_are_not_utf_8_are_marked() -> None:
    assert list(spans_of(b"a\xc3\xa9\xff\x00\xc2\x85b\n\\x00")) == [
        Span("text", "aé"),
        Span("escape", "\\xff"),
        Span("escape", "\\x00"),
        Span("escape", "\\u0085"),
        Span("text", "b\n\\x00"),
    ]


def test_a_long_answer_is_cut_off_and_counted() -> None:
    shown = "".join(span.text for span in of_body(b"x" * 1_000_000))
    assert len(shown) < 25_000
    assert "… and 980,000 more bytes" in shown
