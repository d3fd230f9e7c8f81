"""``Doubt``: what a step of ``sends`` gives and its author has probably meant otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Doubt:
    """A field that is sent in another place, or beside another value, than was probably meant.

    ``step`` is the index of the step, ``path`` leads to the field in it. ``message`` says what is
    sent, ``hint`` what to write instead.
    """

    step: int
    path: tuple[str | int, ...]
    message: str
    hint: str
