"""``Break``: where an answer breaks under a fault, from which follows what is right instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mockserver.scenario.script import CloseHow
from mockserver.wire.event import Step


@dataclass(frozen=True, slots=True)
class Break:
    """Where an answer breaks, in items of its stream, which are numbered from 0.

    - ``after`` is the number of items that arrive as they are.
    - ``close`` is how the stream closes then.
    - With ``readable``, only the empty line is missing that ends the next event, and some decoders
      read it.
    - With ``resumes``, the next item is damaged, and those after it arrive.
    - With ``whole``, all of the answer arrives in another form, which an adapter may accept.
    - ``message`` and ``code`` are those of an error that follows; empty if the upstream does not
      say what failed.
    - With ``incomplete``, the upstream says that the response is too long.
    """

    after: int
    close: CloseHow = "clean"
    readable: bool = False
    resumes: bool = False
    whole: bool = False
    message: str = ""
    code: str = ""
    incomplete: bool = False

    @property
    def reports(self) -> bool:
        """Whether the upstream says that the answer is not whole."""
        return bool(self.message) or self.incomplete


FindBreak = Callable[[Sequence[Step]], Break]
"""Finds the place in the steps of a turn, before the fault has changed them."""
