"""What the path of a request says: which scenario or run is meant, and which operation.

``/s/<case id>/v1/<operation>``, ``/r/<run id>/v1/<operation>`` and ``/v1/<operation>``; the ``/v1``
may be left out, since some SDKs take base URLs without it. A case id has slashes of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

Base = Literal["scenario", "run", "plain"]

_BASE = r"(?:/s/(?P<scenario>.+?)|/r/(?P<run>[^/]+))?(?:/v1)?"
_RUN = re.compile(r"/r/(?P<run>[^/]+)")


@dataclass(frozen=True, slots=True)
class Address:
    """``chosen`` is the case id or run id of the base URL; ``operation`` is empty if unknown."""

    base: Base
    chosen: str = ""
    operation: str = ""


class Addresses:
    """Reads paths, for a server with these operations."""

    def __init__(self, operations: Iterable[str]) -> None:
        longest_first = sorted(operations, key=len, reverse=True)
        known = "|".join(map(re.escape, longest_first))
        self._path = re.compile(rf"{_BASE}/(?P<operation>{known})")

    def read(self, raw_path: str) -> Address:
        """The address in a path as it stands in the request line, percent-encoded or not."""
        path = unquote(raw_path)
        if not (match := self._path.fullmatch(path)):
            run = _RUN.match(path)
            return Address("run", run["run"]) if run else Address("plain")
        if match["scenario"]:
            return Address("scenario", match["scenario"], match["operation"])
        if match["run"]:
            return Address("run", match["run"], match["operation"])
        return Address("plain", "", match["operation"])
