"""Provider parts and UI messages of legal scenarios have the types that the AI SDK publishes.

TypeScript refuses a literal with a field that its type does not have.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.dialects.vercel.parts import GATEWAY, UI
from mockserver.scenario.script import Says, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json
from tests.clients.ai_client import NODE_AI
from tests.clients.npm import install, needs_node
from tests.docs.pages import ROOT

pytestmark = pytest.mark.installs

COMPILER = ROOT / "tests" / "node" / "types"
SECONDS = 120

# JSON has dates as text, and no fields that are undefined.
PRELUDE = """
type Optional<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];
type Json<T> = T extends Date ? string : T extends Uint8Array ? never : T extends object
  ? { [K in Exclude<keyof T, Optional<T>>]: Json<T[K]> } & { [K in Optional<T>]?: Json<T[K]> }
  : T;
"""

TYPES = [
    ("5", "@ai-sdk/provider", "LanguageModelV2StreamPart", GATEWAY, "2"),
    ("6", "@ai-sdk/provider", "LanguageModelV3StreamPart", GATEWAY, "3"),
    ("7", "@ai-sdk/provider", "LanguageModelV4StreamPart", GATEWAY, "4"),
    ("6", "ai", "UIMessageChunk", UI, ""),
    ("7", "ai", "UIMessageChunk", UI, ""),
]


def legal_parts(dialect: str, form: str) -> Iterator[dict[str, Any]]:
    """The known parts of every legal scenario, in the requested form."""
    mock = DIALECTS[dialect]
    for entry in Catalogue.shipped().entries():
        scenario = entry.scenario
        if not scenario or not scenario.is_specified or dialect not in scenario.dialects:
            continue
        for attempt in (attempt for turn in scenario.turns for attempt in turn.attempts):
            if isinstance(attempt.script, Says | Sends):
                for step in mock.forms.apply(mock.steps(attempt.script, 0), form):
                    if isinstance(step, Event) and not step.ignorable:
                        yield fill_json(step.data, mock.sample())


def program(module: str, name: str, parts: Iterable[dict[str, Any]]) -> str:
    """A program that has each part as a literal of the type, without those that are equal."""
    literals = dict.fromkeys(json.dumps(part, ensure_ascii=False) for part in parts)
    assigned = "\n".join(f"part = {literal};" for literal in literals)
    declared = f'import type {{ {name} }} from "{module}";\n{PRELUDE}\nlet part: Json<{name}>;'
    return f"{declared}\n{assigned}\n"


def compiled(folder: Path, source: str, modules: Path) -> str:
    folder.joinpath("parts.ts").write_text(source, "utf-8")
    options = {
        "strict": True, "noEmit": True, "skipLibCheck": True, "target": "es2022",
        "module": "esnext", "moduleResolution": "bundler", "types": [],
        "paths": {"*": [f"{modules}/*"]},
    }  # fmt: skip
    config = folder / "tsconfig.json"
    config.write_text(json.dumps({"compilerOptions": options, "files": ["parts.ts"]}), "utf-8")
    tsc = COMPILER / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        ["node", str(tsc), "-p", str(config)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    needs_node()
    install(COMPILER)
    for release in {release for release, *_ in TYPES}:
        install(NODE_AI / release)


@pytest.mark.parametrize(("release", "module", "name", "dialect", "form"), TYPES)
def test_the_parts_of_legal_scenarios_have_the_published_types(
    tmp_path: Path, release: str, module: str, name: str, dialect: str, form: str
) -> None:
    source = program(module, name, legal_parts(dialect, form))
    assert compiled(tmp_path, source, NODE_AI / release / "node_modules") == ""


def test_a_part_with_a_field_of_another_layer_is_refused(tmp_path: Path) -> None:
    release, module, name, *_ = TYPES[0]
    source = program(module, name, [{"type": "text-delta", "id": "t", "delta": "a", "text": "a"}])
    assert "TS2353" in compiled(tmp_path, source, NODE_AI / release / "node_modules")
