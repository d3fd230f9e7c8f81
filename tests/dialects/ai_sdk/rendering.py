"""What the mock sends in a situation: the parts of a full stream and the chunks of a message."""

import json
from typing import Any

from mockserver.cases.load import load
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.dialects.vercel.parts import FULLSTREAM, UI, USUAL
from mockserver.scenario.script import Says, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json
from tests.dialects.ai_sdk.recording import Json
from tests.dialects.ai_sdk.situation import Situation, Steps


def script_of(dialect: str, generation: str = USUAL, **script: Steps) -> Says | Sends:
    """The script of a scenario with one turn; ``script`` is its ``says`` or ``sends``."""
    turn = {name: list(steps) for name, steps in script.items()}
    expected: Json = {"expect": {"parts": []}} if "sends" in script else {}
    named = {"generation": generation} if generation != USUAL else {}
    turns = [{**turn, **expected}]
    value = {"title": "mine", "dialects": [dialect], **named, "turns": turns}
    loaded = load(json.dumps(value).encode(), "vercel/mine.yaml", "vercel/mine")
    found = loaded.turns[0].script
    assert isinstance(found, Says | Sends)
    return found


def full_stream(situation: Situation, generation: str) -> list[Json]:
    """The parts of a full stream of a generation."""
    script = _script(situation, FULLSTREAM, situation.full, situation.generation)
    steps: Any = DIALECTS[FULLSTREAM].steps(script, 0)
    if generation != situation.generation:
        steps = VARIATIONS[generation].change_steps(steps)
    return _data(FULLSTREAM, steps)


def message(situation: Situation) -> list[Json]:
    """The chunks of a UI message."""
    return _data(UI, DIALECTS[UI].steps(_script(situation, UI, situation.ui), 0))


def _script(
    situation: Situation, dialect: str, sends: Steps, generation: str = USUAL
) -> Says | Sends:
    if situation.says:
        return script_of(dialect, says=situation.says)
    return script_of(dialect, generation, sends=sends)


def _data(dialect: str, steps: Any) -> list[Json]:
    sample = DIALECTS[dialect].sample()
    return [fill_json(step.data, sample) for step in steps if isinstance(step, Event)]
