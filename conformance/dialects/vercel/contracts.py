"""Validates parts against the schemas of the three dialects."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from conformance.dialects.departures import Departure, departure
from mockserver.contract import accepts, errors_of
from mockserver.dialects.vercel import parts
from mockserver.shipped import schema


def problem(dialect: str, data: Any) -> Departure | None:
    """What is wrong with the data of an event; None if it is valid."""
    return departure(list(errors_of(_validator(dialect), data)))


def is_valid_part(dialect: str, data: dict[str, Any]) -> bool:
    """Whether the data is a valid part of a type that the dialect has."""
    return parts.is_known(dialect, data["type"]) and accepts(_validator(dialect), data)


@cache
def _validator(dialect: str) -> Draft202012Validator:
    return Draft202012Validator(schema(f"events/{dialect}"))
