"""A captured answer that is no stream, as a scenario file has it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from streamproof._captures.yaml_text import can_write

if TYPE_CHECKING:
    from streamproof._captures.exchange import Exchange

# Headers that clients act on; the others are of the connection, or name the account.
_KEPT = re.compile(r"content-type|retry-after(-ms)?|x-should-retry")
_VALUE = re.compile(r"[ -~]{0,1024}")


def plain_answer(exchange: Exchange) -> dict[str, Any]:
    """The status, the headers that matter to clients, and the body of an answer."""
    headers = {
        name: value
        for name, value in exchange.headers.items()
        if _KEPT.fullmatch(name.lower()) and _VALUE.fullmatch(value)
    }
    body = _body(exchange.plain or b"")
    answer = {"status": exchange.status, "headers": headers, "body": body}
    return {name: value for name, value in answer.items() if value}


def _body(data: bytes) -> Any:
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    is_json = isinstance(value, dict | list) and can_write(value)
    return value if is_json else text
