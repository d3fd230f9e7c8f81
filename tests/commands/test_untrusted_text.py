"""What others wrote reaches no terminal as it is: it could retitle it, or hide text.

Scenarios, adapters, recordings and lists of known failures are files of others. Their texts, and
the names of the files, have escape sequences, C1 controls, carriage returns, backspaces and marks
that change the direction of a text.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.commands import call
from tests.suite import FEW, described, run, scenario
from tests.suite.recordings import RIGHT, footer, header, result, written

EVIL = "\x1b]0;title\x07\x1b[31m\x9b2J\u202e\rX\x08\u2028\u200b\x7f"
# In YAML as in JSON; a comment of a stream is one line
TEXT, LINE = json.dumps(EVIL), json.dumps(EVIL.replace("\r", ""))
UNSEEN = re.compile("[^\n -~\u00a1-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ud7ff\ue000-\ufefe]")
# The colours of pytest and of our own
SGR = re.compile(r"\x1b\[[0-9;]*m")

SAID = (
    f"title: {TEXT}\nabout: {TEXT}\nsource: [{TEXT}]\nreports: [{TEXT}]\n"
    f"seen: [{{at: {TEXT}, line: {TEXT}, upstream: {TEXT}}}]\nturns:\n  - says:\n"
    f"      - reasoning: {TEXT}\n      - text: {TEXT}\n"
    f"      - call: {{id: {TEXT}, name: {TEXT}, input: {{{TEXT}: {TEXT}}}}}\n"
)
FAILED = (
    f"title: {TEXT}\nsource: [x]\nturns:\n  - says:\n      - text: a\n"
    f"      - failed: {{message: {TEXT}, code: {TEXT}}}\n"
)
SENT = (
    f"title: {TEXT}\nsource: [x]\nturns:\n  - expect: {{parts: []}}\n    sends:\n"
    f"      - response.created\n      - comment: {LINE}\n      - raw: {TEXT}\n"
    f"      - response.output_item.added: {{item: {{type: {TEXT}, id: {TEXT}}}}}\n"
    f"      - error: {{error: {{message: {TEXT}, code: {TEXT}}}}}\n      - response.completed\n"
)
GOOD = "title: abc\nturns: [{says: [{text: x}]}]\n"
BROKEN = [
    f"{TEXT}: x\n",
    f"title: abc\nturns: {TEXT}\n",
    f"dialects: [{TEXT}]\n{GOOD}",
    f"profile: {TEXT}\ndialects: [chat]\n{GOOD}",
    f"dialects: [openresponses]\ntitle: abc\nturns: [{{sends: [{TEXT}], expect: {{parts: []}}}}]\n",
    f"title: abc\nturns: [{{says: [{{end: {TEXT}}}]}}]\n",
    f"title: abc\nturns: [{{says: [{{text: x}}], expect: {{parts: [], at: {{{TEXT}: {{}}}}}}}}]\n",
    "title: \x1b[31m\n",
]

ADAPTER = f"""
import logging, sys

EVIL = {TEXT}


class Adapter:
    def hello(self):
        names = {{"name": EVIL, "version": EVIL}}
        return {{"type": "hello", "protocol": 1, "adapter": names, "implementation": names}}

    async def run(self, run, emit, cancel):
        logging.getLogger(EVIL).warning(EVIL)
        emit({{"type": "text", "value": EVIL}})
        emit({{"type": EVIL, "value": EVIL}})
        emit({{"type": "toolCall", "callId": EVIL, "name": EVIL, "input": {{EVIL: EVIL}}}})
        return {{"type": "done", "id": run["id"], **DONE}}
"""
DONE = {
    "failed": '{"outcome": "failed", "error": {"kind": "upstream", "message": EVIL, "code": EVIL}}',
    "unsupported": '{"type": "unsupported", "reason": EVIL, "issue_url": EVIL}',
    "wrong": '{"type": "error", "message": EVIL, "traceback": EVIL}',
    "unknown": '{"type": EVIL, EVIL: EVIL}',
    "raising": "(_ for _ in ()).throw(ValueError(EVIL))",
}
PROGRAM = f"""
import json, sys

EVIL = {TEXT}
NAMES = {{"name": EVIL, "version": EVIL}}
print(EVIL, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        hello = {{"type": "hello", "protocol": 1, "adapter": NAMES, "implementation": NAMES}}
        print(json.dumps(hello), flush=True)
    elif message["type"] == "run":
        print(EVIL, file=sys.stderr, flush=True)
        print(EVIL, json.dumps({{"type": EVIL, "id": EVIL}}), sep="\\n", flush=True)
        sys.exit(3)
"""
LISTED = f"- {{case: 'mine/said@openresponses', rule: call-once, kind: {TEXT}, issue: {TEXT}}}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("untrusted")
    texts = {"said": SAID, "failed": FAILED, "legal": SENT, "sent": f"conduct: violation\n{SENT}"}
    for name, text in texts.items():
        scenario(folder / "scenarios", f"mine/{name}", "dialects: [openresponses]\n" + text)
    for n, text in enumerate(BROKEN):
        scenario(folder / "broken", f"any/broken-{n}", text)
    named = EVIL.replace("/", "")
    scenario(folder / "broken", f"any/{named}", GOOD)
    (folder / "broken" / f"{named}.yaml").symlink_to("/")
    for name, done in DONE.items():
        described(folder, name, ADAPTER.replace("DONE", done))
    described(folder, "listed", ADAPTER.replace("DONE", "{}"), "known_failures: list.yaml")
    (folder / "list.yaml").write_text(LISTED)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "program.yaml").write_text(
        f"name: program\ndrive: {{stdio: [{sys.executable}, program.py]}}\n"
        "dialects: [openresponses]\nvocabulary: vscode\n"
    )
    (folder / "odd.yaml").write_text(
        f"name: {TEXT}\ndrive: {{stdio: [{TEXT}]}}\ndialects: [{TEXT}]\nvocabulary: {TEXT}\n"
    )
    lines = json.dumps(
        [header({}, EVIL), result({**RIGHT, "adapter": EVIL}, adapter=EVIL), footer()]
    )
    evil = lines.replace("I'm sorry", TEXT[1:-1])
    (folder / "results.jsonl").write_bytes(written(*json.loads(evil)))
    event = {"type": EVIL, "sequence_number": EVIL, EVIL: EVIL}
    (folder / "stream.sse").write_text(
        f"event: {EVIL}\ndata: {json.dumps(event)}\n\ndata: {EVIL}\n\n", newline=""
    )
    return folder


def harmless(text: str) -> bool:
    """Whether a text quotes what others wrote, and none of it as it is."""
    plain = SGR.sub("", text)
    found = [line for line in plain.split("\n") if UNSEEN.search(line)]
    assert not found, found[:3]
    return r"\x1b" in plain or r"\u001b" in plain


COMMANDS: dict[str, tuple[str, ...]] = {
    "lint": ("lint", "-v", "scenarios"),
    "lint of broken files": ("lint", "-v", "broken"),
    "show": ("show", "scenarios/mine/said.yaml"),
    "show of a failure": ("show", "scenarios/mine/failed.yaml"),
    "show of events": ("show", "scenarios/mine/sent.yaml"),
    "show of bytes": ("show", "--bytes", "scenarios/mine/sent.yaml"),
    "show of a diagram": ("show", "--mermaid", "scenarios/mine/said.yaml"),
    "show of an unknown scenario": ("show", EVIL),
    "explain": ("explain", EVIL),
    "a command": (EVIL,),
    "an option": ("lint", f"--{EVIL}"),
    "a file": ("judge", EVIL),
    "a description": ("adapter", "check", "odd.yaml"),
    "a program": ("adapter", "check", "program.yaml"),
    "a program that is shown": ("show", "scenarios/mine/said.yaml", "--adapter", "program.yaml"),
    "judge": ("judge", "results.jsonl"),
    "judge of a stream": ("judge", "--stream", "stream.sse", "--dialect", "openresponses"),
    "import": ("import", "stream.sse", "--dialect", "openresponses"),
    "import of results": ("import", "results.jsonl"),
    "report": ("report", "results.jsonl", "--junit", "junit.xml"),
    **{f"check: {name}": ("adapter", "check", f"{name}.yaml") for name in DONE},
    **{
        f"show: {name}": ("show", "scenarios/mine/said.yaml", "--adapter", f"{name}.yaml")
        for name in DONE
    },
    **{
        f"repro: {name}": (
            *("repro", "mine/said@openresponses", "--scenarios", "scenarios"),
            *("--adapter", f"{name}.yaml", "--out", f"out-{name}"),
        )
        for name in ("failed", "raising")
    },
}
# They print nothing of the texts, or only their visible parts.
SILENT = {"report", "show of a diagram", *(f"check: {name}" for name in DONE)}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_unprintable_characters_as_escapes(folder: Path, name: str) -> None:
    called = call(*COMMANDS[name], cwd=folder)
    assert harmless(called.out + called.err) or name in SILENT


@pytest.mark.parametrize("name", ["failed", "raising", "listed", "program"])
def test_the_suite_shows_unprintable_characters_as_escapes(folder: Path, name: str) -> None:
    chosen = ("--scenarios", folder / "scenarios", "--scenarios", folder / "broken", "-k")
    ran = run(*FEW, *chosen, "mine or broken", "--adapter", folder / f"{name}.yaml", "-rA")
    assert ran.code in (1, 4), ran.text
    assert harmless(ran.text)
