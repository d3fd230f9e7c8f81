"""Runs or checks the code blocks of a page, by their language."""

import re
import shlex
from collections.abc import Callable

from conformance.suite.adapter_yaml import read_description
from conformance.suite.known_failures import read_list
from conformance.suite.proofs import read_proofs
from mockserver.cases.load import load
from mockserver.scenario.source import read
from tests.clients.npm import install
from tests.docs.ci_blocks import check_container, check_workflow, of_few_cases, run_pipeline
from tests.docs.output import matches
from tests.docs.pages import Block, blocks
from tests.docs.project_copy import Stage

# Run by tests/packaging, where everything is installed anew.
SETS_UP = re.compile(r"-m venv\b")

# Run as the tests install their own projects: in the environment that reaches a registry.
_INSTALLS = re.compile(r"npm ci --prefix (\S+) --ignore-scripts --no-audit --no-fund\n")

# Files in this folder are shown for the mistakes in them; what a page says of those follows.
_WRONG_ON_PURPOSE = ("my-contradiction/", "my-mistakes/")

_CHECKS_ITS_VALUES = "from tests.docs.messages import check; check(globals())"

# Calls of streamproof and of the suite without anything of the shell: they need no new processes.
_PLAIN = re.compile(r"((streamproof|pytest conformance) [\w./@+,=: \"-]+\n)+")

# A gateway that a page has written, and goes on with.
_STAYS = re.compile(r"MOCK_BASE_URL=\S+ PORT=\d+ python \S+\n")

# In the foreground; a command that ends in & is one of several in its block.
_SERVES = re.compile(r"(streamproof serve|python -m mockserver)\b(?!.*&\n)")


def installs(page: str) -> bool:
    """Whether a page shows commands of npm."""
    return any(block.language == "sh" and "npm " in block.text for block in blocks(page))


def play(stage: Stage, block: Block) -> None:
    """Run or check a block; fails for a language without a check."""
    kind = _KINDS.get(block.language)
    assert kind, f"{block.place}: nothing runs or checks a block of {block.language!r}"
    kind(stage, block)


def _shell(stage: Stage, block: Block) -> None:
    if SETS_UP.search(block.text):
        return
    if block.text.startswith("docker "):
        check_container(block)
    elif project := _INSTALLS.fullmatch(block.text):
        install(stage.home / project[1])
    elif _SERVES.match(block.text):
        _compare(block, stage.serve(block.text.strip()))
    elif _STAYS.fullmatch(block.text):
        stage.begin(block.text.strip())
    elif _PLAIN.fullmatch(block.text):
        _ran(block, *_in_turn(stage, block.text.splitlines()))
    else:
        _ran(block, *stage.run("sh", "-e", "-c", of_few_cases(block.text)))


def _in_turn(stage: Stage, commands: list[str]) -> tuple[int, str]:
    """The exit code of the first command that fails, and the outputs up to it."""
    outputs = []
    for name, *words in map(shlex.split, commands):
        code, output = stage.call(*words) if name == "streamproof" else stage.suite(*words[1:])
        outputs.append(output)
        if code:
            break
    return code, "".join(outputs)


def _python(stage: Stage, block: Block) -> None:
    if block.file:
        stage.write(block)
    else:
        _ran(block, *stage.forked("-c", f"{block.text}\n{_CHECKS_ITS_VALUES}"))


def _file(stage: Stage, block: Block) -> None:
    assert block.file, f"{block.place}: what is in this language stands in a file that it names"
    stage.write(block)


def _ran(block: Block, code: int, output: str) -> None:
    """Check that a command succeeded, unless the page shows a failure, and compare its output."""
    may_fail = any(word in (block.output or "") for word in ("failed", "✗"))
    assert code == 0 or may_fail, f"{block.place} failed:\n{output}"
    _compare(block, output)


def _compare(block: Block, output: str) -> None:
    if block.output is not None:
        assert matches(block.output, output), f"{block.place} prints:\n{output}"


def _yaml(stage: Stage, block: Block) -> None:
    value = read(block.text.encode(), block.place).value
    keys = value[0] if isinstance(value, list) else value
    kinds = (check for key, check in _YAML.items() if key in keys)
    next(kinds, _steps)(stage, block)


def _scenario(stage: Stage, block: Block) -> None:
    """Check that lint accepts a scenario, and that the reference adapter passes it.

    Hosts that offer hosted tools and approve are not played to it: it has functions only.
    """
    path = str(stage.write(block, "shown/openresponses/shown.yaml"))
    if block.file.startswith(_WRONG_ON_PURPOSE):
        return
    for command in (["lint", path], ["show", path, "--reference"]):
        code, output = stage.call(*command)
        asked = "the adapter does not claim" not in output or "type: mcp" not in block.text
        assert code == 0 or not asked, f"{block.place}: streamproof {' '.join(command)}:\n{output}"


def _adapter(stage: Stage, block: Block) -> None:
    read_description(stage.write(block, "shown/adapter.yaml"))


def _known_failures(stage: Stage, block: Block) -> None:
    assert read_list(stage.write(block, "shown/known-failures.yaml"))


def _proofs(stage: Stage, block: Block) -> None:
    assert read_proofs(stage.write(block, "shown/proofs.yaml"))


def _proxy(stage: Stage, block: Block) -> None:
    """Write the settings of a gateway; tests/clients plays cases to it with them."""
    mock = ("os.environ/MOCK_BASE_URL", "http://127.0.0.1:4100/v1")
    assert any(each in block.text for each in mock), f"{block.place}: its upstream is not the mock"
    stage.write(block)


def _steps(_stage: Stage, block: Block) -> None:
    """Load the steps of a script, or events of a dialect, inside a minimal scenario."""
    events = re.search(r"^- \w+\.", block.text, re.MULTILINE)
    form, expect = ("sends", "    expect: {parts: []}\n") if events else ("says", "")
    steps = block.text.replace("\n", "\n      ")
    text = f"title: shown\nconduct: deviation\nturns:\n  - {form}:\n      {steps}\n{expect}"
    load(text.encode(), block.place, "openresponses/shown")


_KINDS: dict[str, Callable[[Stage, Block], None]] = {
    "sh": _shell,
    "python": _python,
    "yaml": _yaml,
    "js": _file,
    "jsonc": _file,
    "toml": _file,
}

# What a YAML block is, by a key that it has or that its entries have.
_YAML: dict[str, Callable[[Stage, Block], None]] = {
    "turns": _scenario,
    "drive": _adapter,
    "counter": _proofs,
    "kind": _known_failures,
    "jobs": check_workflow,
    "conformance": run_pipeline,
    "model_list": _proxy,
}
