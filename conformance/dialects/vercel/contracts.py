"""The contracts of the three dialects: what an event must hold, and which of them it keeps."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from conformance.dialects.departures import Departure, departure
from mockserver.contract import accepts, errors_of
from mockserver.dialects.vercel import parts
from mockserver.shipped import schema


def problem(dialect: str, data: Any) -> Departure | None:
    """What is wrong with the data of an event; None where nothing is."""
    return departure(list(errors_of(_validator(dialect), data)))


def keeps(dialect: str, data: dict[str, Any]) -> bool:
    """Is it a part that the dialect has, with all that such a part must have?"""
    return parts.is_known(dialect, data["type"]) and accepts(_validator(dialect), data)


@cache
def _validator(dialect: str) -> Draft202012Validator:
    return Draft202012Validator(schema(f"events/{dialect}"))
