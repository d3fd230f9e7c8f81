"""Broken adapters: ids of calls that the adapter makes itself (`call_id: own`)."""

import asyncio
import copy
from dataclasses import replace

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import BrokenAdapter, Data, Part, Wrapped, adapter

OWN = Traits(call_id="own")
_CLAIMS = Claims(cancel=True, turns=True)


class MakesIds(Wrapped):
    """The reference adapter with ids of its own, which it replaces in requests; breaks no rule."""

    def __init__(self) -> None:
        self.inner = adapter(call_id_prefix="")
        self.upstream_ids: dict[str, str] = {}

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        return await super().run(self.asked(copy.deepcopy(run)), emit, cancel)

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "toolCall":
            own = self.new_id()
            self.upstream_ids[own] = part["callId"]
            part = {**part, "callId": own}
        emit(part)

    def new_id(self) -> str:
        return f"own-{len(self.upstream_ids)}"

    def asked(self, run: Data) -> Data:
        """The run with the upstream's ids in its messages."""
        for message in run["messages"]:
            parts = message["content"] if isinstance(message["content"], list) else []
            for part in (message, *parts):
                if "callId" in part:
                    part["callId"] = self.upstream_ids.get(part["callId"], part["callId"])
        return run


class SharesOneId(MakesIds):
    """Gives all calls of all answers the same id."""

    def new_id(self) -> str:
        return "own"


class SendsItsOwnIds(MakesIds):
    """Sends its own ids back upstream."""

    def asked(self, run: Data) -> Data:
        return run


def _own(rule: str, make: type[MakesIds], traits: Traits = OWN) -> BrokenAdapter:
    return BrokenAdapter(rule, make, make.__name__, traits, _CLAIMS)


BROKEN = [
    _own("call-complete", MakesIds, Traits()),
    replace(_own("call-complete", SharesOneId), claims=Claims(cancel=True)),
]
