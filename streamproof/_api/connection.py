"""Requests to a mock server's control interface."""

from __future__ import annotations

import json
import threading
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from streamproof._api.faults import AdapterError, Fault, KitError, Problem, ScenarioError, UserError
from streamproof._api.parts import as_plain

_SECONDS = 30.0
_CONNECTIONS = {"http": HTTPConnection, "https": HTTPSConnection}
_FAULTS: dict[str, type[Fault]] = {
    each.culprit: each for each in (ScenarioError, UserError, AdapterError, KitError)
}


class Connection:
    """One connection to the server, kept open; it may be used from any thread."""

    def __init__(self, url: str) -> None:
        """Raises UserError if the URL is not the origin of an HTTP server."""
        parts = urlsplit(url)
        if parts.scheme not in _CONNECTIONS or not parts.hostname or parts.path not in ("", "/"):
            hint = "write the URL that 'streamproof serve' prints, such as http://127.0.0.1:4100"
            raise UserError(Problem(f"{url!r:.120} is not the URL of a mock server", hint=hint))
        self.url: str = f"{parts.scheme}://{parts.netloc}"
        self._http = _CONNECTIONS[parts.scheme](parts.netloc, timeout=_SECONDS)
        self._lock = threading.Lock()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON value of an answer. Raises the Fault that the server tells, or UserError."""
        __tracebackhide__ = True
        data = None if body is None else json.dumps(body, default=as_plain).encode()
        headers = {} if data is None else {"Content-Type": "application/json"}
        with self._lock:
            status, text = self._exchange(method, path, data, headers)
        try:
            value = json.loads(text)
        except ValueError:
            raise self._unknown(f"answered {status} and no JSON") from None
        if status < 400:
            return value
        raise _fault(value, status)

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        """The status and body of an answer; asked again if the server closed an idle connection."""
        __tracebackhide__ = True
        reused = self._http.sock is not None
        try:
            self._http.request(method, path, data, headers)
            response = self._http.getresponse()
            return response.status, response.read()
        except (ConnectionError, HTTPException) as error:
            self._http.close()
            if reused:
                return self._exchange(method, path, data, headers)
            raise self._unknown(_why(error)) from None
        except OSError as error:
            self._http.close()
            raise self._unknown(_why(error)) from None

    def _unknown(self, why: str) -> UserError:
        hint = "is it running there? 'streamproof serve' prints its URL"
        return UserError(Problem(f"the mock server at {self.url}: {why}", hint=hint))

    def close(self) -> None:
        """Close the connection; it is opened again when it is used again."""
        with self._lock:
            self._http.close()


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
