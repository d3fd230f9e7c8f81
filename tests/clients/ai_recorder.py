"""Records what the AI SDK streams in each situation: ``python -m tests.clients.ai_recorder``.

Run it when a release is added or a situation changes; the recordings are part of the tests.
"""

from typing import Any

from mockserver.dialects import DIALECTS
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json
from tests.clients.ai_client import NODE_AI
from tests.clients.node_process import PATIENCE, NodeProcess
from tests.clients.npm import install
from tests.dialects.ai_sdk.recording import RELEASES, Json, Streams, normal, write
from tests.dialects.ai_sdk.rendering import script_of
from tests.dialects.ai_sdk.situation import Situation
from tests.dialects.ai_sdk.situations import SITUATIONS


def record(release: str, generation: str) -> dict[str, Streams]:
    """The streams of a release, in each situation that its generation has."""
    project = NODE_AI / release
    install(project)
    with NodeProcess(project, program="record.mjs") as node:
        asked = {
            name: node.ask({"steps": model_parts(each), "options": options(each)})
            for name, each in SITUATIONS.items()
            if generation not in each.misses
        }
        return {name: _layers(answer.result(PATIENCE)) for name, answer in asked.items()}


def _layers(answer: dict[str, Any]) -> Streams:
    return {layer: normal(answer[layer]) for layer in ("full", "ui") if answer.get(layer)}


def model_parts(situation: Situation) -> list[list[Json]]:
    """The provider parts of each step, in the form of V3."""
    if not situation.says:
        return [list(step) for step in situation.model]
    steps = DIALECTS[GATEWAY].steps(script_of(GATEWAY, says=situation.says), 0)
    sample = DIALECTS[FULLSTREAM].sample()
    return [[fill_json(step.data, sample) for step in steps if isinstance(step, Event)]]


def options(situation: Situation) -> Json:
    return {
        "tools": situation.tools,
        "outputs": situation.outputs,
        "approval": situation.approval,
        "messages": situation.messages,
        "abort_after": situation.abort_after,
    }


if __name__ == "__main__":
    for generation, release in RELEASES.items():
        write(generation, record(release, generation))
