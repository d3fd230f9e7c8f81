"""Faults in which something else is answered than a stream: an HTTP error, or another body.

``http:STATUS`` is an error of the dialect's own shape, ``http:STATUS:retry-N`` one that asks for a
retry after N seconds. ``body:html`` is a page, ``body:empty`` nothing, and ``body:json`` the whole
answer as a client gets it that asks for no stream, which an adapter may accept.

Source: RFC 9110 § 10.2.3 (Retry-After), § 15.5, § 15.6.
"""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from mockserver.dialects.dialect import AnswerAtOnce, Dialect
from mockserver.foundation.json_text import dump, encode
from mockserver.scenario.script import Answer
from mockserver.wire.event import Step
from mockserver.wire.slots import fill, pieces
from mockserver.wire.variation import Break, Family, Variation

_STATUSES = ("400", "401", "429", "429:retry-1", "500", "503:retry-1")
_FIRST, _LAST = 400, 599
_PARAMETER = re.compile(r"([45][0-9]{2})(?::retry-([0-9]{1,5}))?")
_JSON = "application/json"
_PAGE = b"<!doctype html>\n<title>Sign in to continue</title>\n<p>This network needs a password.\n"


def statuses(dialects: Mapping[str, Dialect]) -> Family:
    """The family of HTTP errors."""

    def make(parameter: str) -> Variation | None:
        found = _PARAMETER.fullmatch(parameter)
        return _status(int(found[1]), found[2], dialects) if found else None

    named = tuple(each for each in map(make, _STATUSES) if each)
    return Family(
        "http", f"a status from {_FIRST} to {_LAST}, which may have :retry-N after it", named, make
    )


def _status(status: int, retry: str | None, dialects: Mapping[str, Dialect]) -> Variation:
    name = f"http:{status}" + (f":retry-{retry}" if retry else "")
    known = status in HTTPStatus._value2member_map_
    phrase = HTTPStatus(status).phrase.lower() if known else f"status {status}"
    message = f"The upstream says {phrase}."
    after = {"Retry-After": retry} if retry else {}

    def answer(dialect: Dialect) -> Answer:
        body = dialect.requests.refuse(status, message, None)
        if isinstance(body, str):
            return Answer(status, {**after, "Content-Type": "text/plain"}, encode(body))
        return Answer(status, {**after, "Content-Type": _JSON}, encode(dump(body)))

    about = f"HTTP {status}" + (f" with Retry-After: {retry}" if retry else "")
    return Variation(
        name,
        f"{about} instead of the stream",
        layer="faults",
        by_dialect=tuple(
            (each, _instead(name, about, answer(dialect), Break(0, message=message)))
            for each, dialect in dialects.items()
        ),
    )


def _instead(name: str, about: str, answer: Answer, at: Break) -> Variation:
    return Variation(
        name, about, layer="faults", instead=lambda _steps: answer, find_break=lambda _steps: at
    )


def bodies(dialects: Mapping[str, Dialect]) -> Family:
    """The family of bodies that are no stream."""
    html = Answer(200, {"Content-Type": "text/html; charset=utf-8"}, _PAGE)
    empty = Answer(200, {"Content-Type": "text/event-stream; charset=utf-8"})
    whole = {
        name: _whole(dialect, answer_at_once)
        for name, dialect in dialects.items()
        if (answer_at_once := dialect.answers.non_streaming)
    }
    named = (
        _instead("body:html", "a page to sign in instead of the stream", html, Break(0)),
        _instead("body:empty", "an empty body instead of the stream", empty, Break(0)),
        Variation(
            "body:json",
            "the answer as JSON, not as a stream",
            layer="faults",
            dialects=tuple(whole),
            by_dialect=tuple(whole.items()),
        ),
    )
    known = {each.name: each for each in named}
    return Family("body", "html, empty or json", named, lambda word: known.get(f"body:{word}"))


def _whole(dialect: Dialect, answer_at_once: AnswerAtOnce) -> Variation:
    def body(steps: Sequence[Step]) -> bytes | None:
        answer = answer_at_once(steps, dialect.forms.default)
        if answer is None or answer.status >= _FIRST:
            return None
        sample = dialect.sample()
        return fill(pieces(dump(answer.body)), sample)

    def misfit(steps: Sequence[Step]) -> str:
        return "" if body(steps) is not None else "it has no answer but a stream"

    return Variation(
        "body:json",
        "the answer as JSON, not as a stream",
        layer="faults",
        misfit=misfit,
        instead=lambda steps: Answer(200, {"Content-Type": _JSON}, body(steps) or b""),
        find_break=lambda _steps: Break(0, whole=True),
    )
