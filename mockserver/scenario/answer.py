"""Parses a plain HTTP answer: its status, headers and body.

Source: RFC 9110 (HTTP Semantics), § 5 for headers, § 6.4 for the answers that have no body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.foundation.faults import Problem, ScenarioError
from mockserver.foundation.json_text import dump, encoded
from mockserver.scenario.script import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.source import Path, Tree

_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"

CONNECTION_HEADERS = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""The names of headers about one connection, in lower case (RFC 9110 § 7.6.1)."""

# Headers that the server sets itself: framing, and those of the connection.
_SERVER_HEADERS = CONNECTION_HEADERS | {"content-length"}
_WITHOUT_BODY = (204, 205, 304)


def answer(tree: Tree, path: Path) -> Answer:
    """Parse the plain answer at this path. Raises ScenarioError."""
    value = tree.at(path)
    status, headers = int(value["status"]), dict(value.get("headers", {}))
    problems = [*_headers(tree, (*path, "headers"), headers)]
    if "body" in value and status in _WITHOUT_BODY:
        why = f"an answer with the status {status} has no body"
        problems.append(Problem(why, tree.key_place((*path, "body"))))
    if problems:
        raise ScenarioError(*problems)
    if "body" not in value:
        return Answer(status, headers)
    kind, body = _body(value["body"])
    if "content-type" not in map(str.lower, headers):
        headers["Content-Type"] = kind
    return Answer(status, headers, body)


def _headers(tree: Tree, path: Path, headers: dict[str, str]) -> Iterator[Problem]:
    before: set[str] = set()
    for name in headers:
        place = tree.key_place((*path, name))
        if name.lower() in _SERVER_HEADERS:
            yield Problem(f"the header {name!r} is the server's own", place, "leave it out")
        if name.lower() in before:
            yield Problem(f"the header {name!r} stands twice; case makes no difference", place)
        before.add(name.lower())


def _body(value: Any) -> tuple[str, bytes]:
    """The default content type of a body, and its bytes; a value that is not text becomes JSON."""
    return (_TEXT, encoded(value)) if isinstance(value, str) else (_JSON, encoded(dump(value)))
