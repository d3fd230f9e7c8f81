"""Requests to a mock server's control interface."""

import json
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from streamproof._api.faults import AdapterError, Fault, KitError, Problem, ScenarioError, UserError
from streamproof._api.parts import as_plain

_SECONDS = 30.0
_OPENER = build_opener(ProxyHandler({}))
_FAULTS: dict[str, type[Fault]] = {
    each.culprit: each for each in (ScenarioError, UserError, AdapterError, KitError)
}


class Connection:
    """Asks the server at a URL, past any proxy; it may be used from any thread."""

    def __init__(self, url: str) -> None:
        """Raises UserError if the URL is not the origin of an HTTP server."""
        parts = urlsplit(url)
        is_http = parts.scheme in ("http", "https") and parts.hostname
        if not is_http or parts.path not in ("", "/"):
            hint = "write the URL that 'streamproof serve' prints, such as http://127.0.0.1:4100"
            raise UserError(Problem(f"{url!r:.120} is not the URL of a mock server", hint=hint))
        self.url: str = f"{parts.scheme}://{parts.netloc}"

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON value of an answer. Raises the Fault that the server tells, or UserError."""
        __tracebackhide__ = True
        data = None if body is None else json.dumps(body, default=as_plain).encode()
        headers = {} if data is None else {"Content-Type": "application/json"}
        request = Request(self.url + path, data, headers, method=method)  # noqa: S310 (an HTTP URL)
        try:
            with _OPENER.open(request, timeout=_SECONDS) as answer:
                status, text = answer.status, answer.read()
        except HTTPError as refusal:
            with refusal:
                status, text = refusal.code, refusal.read()
        except (OSError, HTTPException) as error:
            raise self._unknown(_why(getattr(error, "reason", error))) from None
        try:
            value = json.loads(text)
        except ValueError:
            raise self._unknown(f"answered {status} and no JSON") from None
        if status < 400:
            return value
        raise _fault(value, status)

    def _unknown(self, why: str) -> UserError:
        hint = "is it running there? 'streamproof serve' prints its URL"
        return UserError(Problem(f"the mock server at {self.url}: {why}", hint=hint))


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {_SECONDS:g} seconds"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _fault(value: Any, status: int) -> Fault:
    told = value.get("error") if isinstance(value, dict) else None
    if not isinstance(told, dict):
        return UserError(f"the mock server answered {status}")
    problem = Problem(str(told.get("message")), hint=str(told.get("hint") or ""))
    return _FAULTS.get(str(told.get("culprit")), UserError)(problem)
