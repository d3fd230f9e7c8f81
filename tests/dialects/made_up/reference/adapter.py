"""The reference adapter of ``plain``: emits its events as the parts of a VS Code provider."""

from conformance.dialects.client.counting import Counting
from conformance.dialects.client.fields import (
    Event,
    Part,
    object_,
    objects,
    options,
    string,
    without_host_fields,
)
from conformance.dialects.client.machine import Machine
from conformance.dialects.client.transport import Adapter, Upstream
from mockserver.foundation.call_arguments import read_arguments


class Talk(Machine):
    """Turns the events of one response into parts; the first failure counts."""

    @property
    def ended(self) -> bool:
        return bool(self.finish)

    def event(self, data: Event) -> list[Part]:
        self.usage = object_(data, "usage") or self.usage
        if failed := object_(data, "fail"):
            self.fail("upstream", string(failed, "message"), failed.get("code"))
        self.finish = "error" if failed else string(data, "end") or self.finish
        if called := object_(data, "call"):
            return self._call(called)
        return [{"type": "text", "value": said}] if (said := string(data, "say")) else []

    def _call(self, called: Event) -> list[Part]:
        read = read_arguments(called.get("arguments")).input
        if read is None:
            self.fail("decode", f"the arguments of {called.get('id')} are no object")
            return []
        named = {"callId": called.get("id"), "name": called.get("name")}
        return [{"type": "toolCall", **named, "input": read}]


def _request(run: Event, _prefix: str) -> dict[str, object]:
    messages = [without_host_fields(message) for message in objects(run, "messages")]
    return {**options(run), "messages": messages, "tools": run["tools"]}


def adapter(machine: type[Talk] = Talk) -> Counting:
    """An adapter with the reference machine, or one that is made of it."""
    upstream = Upstream("reference-plain", "plain", "/models/mock:talk", _request)
    return Counting(Adapter(upstream, machine))
