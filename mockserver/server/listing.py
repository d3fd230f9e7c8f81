"""The models that a client can look up before it asks.

Any name of a model will do, and every scenario has one, beside ``mock``. A run and the base URL of
a scenario play that scenario, whichever is named, so all models there have the figures of its
``host.model``.

Source: OpenAI, "Models"; AI Gateway, "GET /v1/models".
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.faults import Fault
from mockserver.scenario.case import parse
from mockserver.scenario.model import Model
from mockserver.server.choice import MODEL_PREFIX

if TYPE_CHECKING:
    from mockserver.scenario.catalogue import Catalogue
    from mockserver.scenario.model import Scenario
    from mockserver.server.address import Address
    from mockserver.server.runs import Run

_ANY = "mock"
_STARTED = int(time.time())
_OWNER = "streamproof"
_ABOUT = "A model that says what a scenario has it say"
_FREE = {"input": "0", "output": "0"}


@dataclass(frozen=True, slots=True)
class Listing:
    """What is told at one base URL."""

    catalogue: Catalogue
    address: Address
    run: Run | None = None

    @property
    def ids(self) -> list[str]:
        """The models by their ids; no adapter under test is told of scenarios."""
        scenarios = () if self.address.base == "run" else self.catalogue.ids()
        return [_ANY, *(MODEL_PREFIX + id_ for id_ in scenarios)]

    def models(self) -> dict[str, Any]:
        """``GET …/models``."""
        played = self._played()
        return {"object": "list", "data": [_described(id_, played) for id_ in self.ids]}

    def model(self, id_: str) -> dict[str, Any]:
        """``GET …/models/ID``."""
        return _described(id_, self._played())

    def _played(self) -> Model:
        scenario = self.run.case.scenario if self.run else self._of_base()
        return scenario.host.model if scenario else Model()

    def _of_base(self) -> Scenario | None:
        if self.address.base != "scenario":
            return None
        try:
            return self.catalogue.get(parse(self.address.chosen).scenario)
        except Fault:
            return None


def _described(id_: str, model: Model) -> dict[str, Any]:
    return {
        "id": id_,
        "object": "model",
        "created": _STARTED,
        "owned_by": _OWNER,
        "name": id_,
        "description": _ABOUT,
        "type": "language",
        "context_window": model.context_window,
        "max_tokens": model.max_tokens,
        "pricing": _FREE,
    }
