"""Faults in which something else is answered than a stream: an HTTP error, or another body.

``http:STATUS`` is an error of the dialect's own shape, ``http:STATUS:retry-N`` one that asks for a
retry after N seconds. ``body:html`` is a page, ``body:empty`` nothing, and ``body:json`` the whole
answer as a client gets it that asks for no stream, which an adapter may accept.

Source: RFC 9110 § 10.2.3 (Retry-After), § 15.5, § 15.6.
"""

from collections.abc import Sequence
from http import HTTPStatus

from mockserver.dialects import Dialect
from mockserver.foundation.json_text import dump, encode
from mockserver.scenario.script import Answer
from mockserver.stream_faults.places import in_each_dialect
from mockserver.wire.event import Step
from mockserver.wire.slots import fill, pieces
from mockserver.wire.variation import Break, Family, Variation

_FAILED = 400
_JSON = "application/json"
_PAGE = b"<!doctype html>\n<title>Sign in to continue</title>\n<p>This network needs a password.\n"


def _status(written: str, retry: str | None) -> Variation:
    status = int(written)
    name = f"http:{status}" + (f":retry-{retry}" if retry else "")
    about = f"HTTP {status}" + (f" with Retry-After: {retry}" if retry else "")
    known = status in HTTPStatus._value2member_map_
    phrase = HTTPStatus(status).phrase.lower() if known else f"status {status}"
    message = f"The upstream says {phrase}."
    after = {"Retry-After": retry} if retry else {}

    def in_dialect(dialect: Dialect) -> Variation:
        body = dialect.requests.refuse(status, message, None)
        text, type_ = (body, "text/plain") if isinstance(body, str) else (dump(body), _JSON)
        answer = Answer(status, {**after, "Content-Type": type_}, encode(text))
        return _instead(name, about, answer, Break(0, message=message))

    return in_each_dialect(name, f"{about} instead of the stream", in_dialect)


def _instead(name: str, about: str, answer: Answer, at: Break) -> Variation:
    return Variation(
        name, about, layer="faults", instead=lambda _steps: answer, find_break=lambda _steps: at
    )


STATUSES = Family(
    "http",
    "a status from 400 to 599, which may have :retry-N after it",
    "([45][0-9]{2})(?::retry-([0-9]{1,5}))?",
    _status,
    ("400", "401", "429", "429:retry-1", "500", "503:retry-1"),
)


def _at_once(dialect: Dialect) -> Variation | None:
    """The fault that is the whole answer without a stream; None if the dialect has none."""
    if (answer_at_once := dialect.answers.non_streaming) is None:
        return None

    def body(steps: Sequence[Step]) -> bytes | None:
        answer = answer_at_once(steps, dialect.forms.default)
        if answer is None or answer.status >= _FAILED:
            return None
        return fill(pieces(dump(answer.body)), dialect.sample())

    return Variation(
        "body:json",
        _AT_ONCE,
        layer="faults",
        misfit=lambda steps: "" if body(steps) is not None else "it has no answer but a stream",
        instead=lambda steps: Answer(200, {"Content-Type": _JSON}, body(steps) or b""),
        find_break=lambda _steps: Break(0, whole=True),
    )


_AT_ONCE = "the answer as JSON, not as a stream"
_HTML = Answer(200, {"Content-Type": "text/html; charset=utf-8"}, _PAGE)
_EMPTY = Answer(200, {"Content-Type": "text/event-stream; charset=utf-8"})
_BODIES = {
    "html": _instead("body:html", "a page to sign in instead of the stream", _HTML, Break(0)),
    "empty": _instead("body:empty", "an empty body instead of the stream", _EMPTY, Break(0)),
    "json": in_each_dialect("body:json", _AT_ONCE, _at_once),
}
BODIES = Family(
    "body", "html, empty or json", "(html|empty|json)", _BODIES.__getitem__, tuple(_BODIES)
)
