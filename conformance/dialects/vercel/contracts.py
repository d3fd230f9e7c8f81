"""Validates parts against the schemas of the three dialects."""

from __future__ import annotations

from typing import Any

from conformance.dialects.departures import Departure, departure_from
from mockserver.contract import accepts, validator
from mockserver.dialects.vercel import parts


def problem(dialect: str, data: Any) -> Departure | None:
    """What is wrong with the data of an event; None if it is valid."""
    return departure_from(validator(f"events/{dialect}"), data)


def is_valid_part(dialect: str, data: dict[str, Any]) -> bool:
    """Whether the data is a valid part of a type that the dialect has."""
    return parts.is_known(dialect, data["type"]) and accepts(validator(f"events/{dialect}"), data)
