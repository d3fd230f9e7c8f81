"""The answers to ``GET …/models``: which models there are.

Requests may name any model. Listed are ``mock`` and one model for each scenario. At the base URL of
a run or a scenario every model plays that scenario, so all of them have the context window and the
limits of its ``host.model``.

Source: OpenAI, "Models"; AI Gateway, "GET /v1/models".
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.cases.case import parse
from mockserver.foundation.faults import Fault
from mockserver.scenario.model import Model
from mockserver.server.choice import MODEL_PREFIX

if TYPE_CHECKING:
    from mockserver.cases.catalogue import Catalogue
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
    """The models at one base URL."""

    catalogue: Catalogue
    address: Address
    run: Run | None = None

    @property
    def ids(self) -> list[str]:
        """The model ids. In a run, scenarios are hidden from the adapter under test."""
        scenarios = () if self.address.base == "run" else self.catalogue.ids()
        return [_ANY, *(MODEL_PREFIX + id_ for id_ in scenarios)]

    def models(self) -> dict[str, Any]:
        """The answer to ``GET …/models``."""
        played = self._model()
        return {"object": "list", "data": [_described(id_, played) for id_ in self.ids]}

    def model(self, id_: str) -> dict[str, Any]:
        """The answer to ``GET …/models/ID``."""
        return _described(id_, self._model())

    def _model(self) -> Model:
        scenario = self.run.case.scenario if self.run else self._addressed_scenario()
        return scenario.host.model if scenario else Model()

    def _addressed_scenario(self) -> Scenario | None:
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
