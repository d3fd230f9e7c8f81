"""The container file: it copies and calls what is there; where there is an engine, it is built."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest

import streamproof
from streamproof._commands.serve import serve
from tests.docs.pages import ROOT
from tests.packaging.environment import run

FILE = ROOT / "Containerfile"
PATIENCE = 900


def instructions() -> list[tuple[str, str]]:
    """The instructions of the file and their arguments."""
    text = re.sub(r"\\\n\s*", " ", FILE.read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def arguments(instruction: str) -> list[str]:
    return [rest for word, rest in instructions() if word == instruction]


def copied() -> list[tuple[str, str]]:
    """The sources and targets of what the first stage copies."""
    found = []
    for rest in arguments("COPY"):
        *sources, target = rest.split()
        found += [(each, each if target == "./" else target) for each in sources]
    return found


def engine() -> str:
    """An engine whose daemon answers; empty if there is none."""
    for name in ("docker", "podman"):
        if shutil.which(name):
            asked = subprocess.run([name, "info"], capture_output=True, timeout=60, check=False)
            if asked.returncode == 0:
                return name
    return ""


def test_it_copies_paths_that_exist() -> None:
    assert [source for source, _ in copied() if not ROOT.joinpath(source).exists()] == []


def test_the_engine_is_sent_what_it_copies_and_nothing_else() -> None:
    lines = ROOT.joinpath(".dockerignore").read_text("utf-8").splitlines()
    assert "*" in lines
    assert {line[1:] for line in lines if line.startswith("!")} == {each for each, _ in copied()}


def test_it_serves_at_all_addresses_with_options_that_exist() -> None:
    (entry,), (command,), (port,) = map(arguments, ("ENTRYPOINT", "CMD", "EXPOSE"))
    assert json.loads(entry) == ["streamproof"]
    name, *options = json.loads(command)
    assert name == "serve"
    given = serve.make_context("serve", options).params
    assert (given["host"], given["port"]) == ("0.0.0.0", int(port))


def test_it_does_not_run_as_root() -> None:
    words = [word for word, _ in instructions()]
    assert arguments("USER") == ["streamproof"]
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert "useradd" in arguments("RUN")[-1]


@pytest.mark.installs
def test_what_it_copies_makes_the_whole_wheel(wheel: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for path, target in copied():
        if ROOT.joinpath(path).is_dir():
            ignored = ROOT.joinpath(".dockerignore").read_text("utf-8").splitlines()
            left = shutil.ignore_patterns(*(line[3:] for line in ignored if line[:3] == "**/"))
            shutil.copytree(ROOT / path, source / target, ignore=left)
        else:
            source.joinpath(target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, source / target)
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path)]
    done = run([*pip, str(source)], tmp_path)
    assert done.code == 0, done.out
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as mine, zipfile.ZipFile(wheel) as whole:
        assert set(mine.namelist()) == set(whole.namelist())


@pytest.mark.installs
def test_the_image_serves(tmp_path: Path) -> None:
    if not (program := engine()):
        pytest.skip("neither docker nor podman answers")
    name = f"streamproof-{uuid4()}"
    build = [program, "build", "--file", str(FILE), "--tag", name, str(ROOT)]
    subprocess.run(build, check=True, timeout=PATIENCE)
    start = [program, "run", "--rm", "--detach", "--name", name, "--publish", "127.0.0.1::4100"]
    subprocess.run([*start, name], check=True, timeout=PATIENCE)
    try:
        wait = f"until {program} logs {name} 2>&1 | grep -q 'Ctrl-C stops it'; do sleep 0.1; done"
        subprocess.run(["sh", "-c", wait], check=True, timeout=60)
        asked = subprocess.run(
            [program, "port", name, "4100/tcp"], capture_output=True, text=True, check=True
        )
        mock = streamproof.connect(f"http://{asked.stdout.split()[0]}")
        assert mock.run("any/refusal").base_url.startswith(mock.url)
        who = subprocess.run(
            [program, "exec", name, "id", "-u"], capture_output=True, text=True, check=True
        )
        assert who.stdout.strip() == "10001"
    finally:
        subprocess.run([program, "stop", name], check=False, timeout=60)
        subprocess.run([program, "rmi", name], check=False, timeout=60)
