"""Exchanges as JSON, for the journal that workers share.

What a stream sent is not in a record: it is rendered again, from case, turn and attempt. A record
comes back from outside of the process, so it is read strictly.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter

from cattrs import BaseValidationError, Converter

from mockserver.server.journal import Exchange
from mockserver.wire.frames import Plan
from mockserver.wire.playback import WriteRecord

_ENCODER = json.JSONEncoder(separators=(",", ":"))
_NAMES = {"key", *(field.name for field in fields(Exchange))}
_RENDERED_LATER = Plan((), (), "clean", 0.0)

_converter = Converter()
_converter.register_unstructure_hook(bytes, lambda data: b64encode(data).decode())
_converter.register_structure_hook(bytes, lambda text, _: b64decode(text))
# Short, since an exchange may have thousands of them.
_converter.register_unstructure_hook(
    WriteRecord, attrgetter(*(field.name for field in fields(WriteRecord)))
)
_converter.register_structure_hook(WriteRecord, lambda values, _: WriteRecord(*values))
_converter.register_unstructure_hook(Plan, lambda _: {})
_converter.register_structure_hook(Plan, lambda _, __: _RENDERED_LATER)


class WrongRecord(ValueError):
    """A record that is not one of ours."""


def to_record(exchange: Exchange, key: str) -> bytes:
    """The record of an exchange; ``key`` distinguishes it from all others."""
    return _ENCODER.encode({"key": key, **_converter.unstructure(exchange)}).encode()


def from_record(
    record: bytes, plan_of: Callable[[Exchange], Plan] | None = None
) -> tuple[str, Exchange]:
    """The key and the exchange of a record. Raises WrongRecord.

    Without ``plan_of``, which renders what it sent, the exchange has no plan.
    """
    try:
        value = json.loads(record)
        if not isinstance(value, dict) or value.keys() != _NAMES:
            raise WrongRecord("it is not an exchange")
        exchange = _converter.structure(value, Exchange)
    except json.JSONDecodeError as error:
        raise WrongRecord("it is not JSON") from error
    except (BaseValidationError, RecursionError) as error:
        raise WrongRecord("it is not an exchange") from error
    exchange.plan = plan_of(exchange) if exchange.plan and plan_of else None
    return str(value["key"]), exchange
