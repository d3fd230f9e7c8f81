"""``streamproof/test``: the mock upstream in the tests of others, and how it is started."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import streamproof
from streamproof import Mock
from streamproof._api.environ import variables
from tests.docs.project_copy import write_commands
from tests.node.adapter import PATIENCE

BEHAVIOUR = Path(__file__).with_name("mock") / "mock.test.mjs"

# Writes its command line, and the URL to the file in its last argument; ends with its stdin.
SERVER = """\
#!/bin/sh
echo "$(basename "$0") $*" >>"$TOLD"
for ready; do :; done
echo http://127.0.0.1:9 >"$ready"
exec cat >/dev/null
"""
WITHOUT_MODULE = '#!/bin/sh\necho "$0: No module named streamproof" >&2\nexit 1\n'
OLD = "#!/bin/sh\necho 'No such option: --until-stdin-ends' >&2\nexit 4\n"
# Starts nothing: what answers at the published port is the server of these tests.
DOCKER = """\
#!/bin/sh
echo "$*" >>"$TOLD"
case $1 in
  port) echo "$ADDRESS" ;;
  run) exec cat >/dev/null ;;
esac
"""

URL = "import { mock } from 'streamproof/test'; const m = await mock(OPTIONS); console.log(m.url);"


@pytest.fixture(scope="module")
def mock() -> Iterator[Mock]:
    with streamproof.serve() as started:
        yield started


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The only folder of the path: it has Node and what a shell script needs."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("node", "sh", "cat", "basename"):
        found = shutil.which(name)
        assert found
        folder.joinpath(name).symlink_to(found)
    return folder


def write(program: Path, text: str) -> None:
    program.write_text(text, "utf-8")
    program.chmod(0o755)


def node(
    project: Path, *words: str, path: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Node in a project, with no other variables than these."""
    return subprocess.run(
        ["node", *words],
        cwd=project,
        env={"PATH": str(path) if path else os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def url_of(project: Path, programs: Path, options: str = "", **environment: str) -> str:
    """The URL of the mock that a program has started, or what went wrong."""
    program = URL.replace("OPTIONS", options)
    environment["TOLD"] = str(project / "told")
    ran = node(project, "--input-type=module", "-e", program, path=programs, **environment)
    return (ran.stdout if ran.returncode == 0 else ran.stderr).strip()


def test_it_gives_runs_requests_and_verdicts(project: Path, mock: Mock) -> None:
    shutil.copy(BEHAVIOUR, project)
    ran = node(project, "--test", "--test-reporter=tap", STREAMPROOF_URL=mock.url)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "# fail 0" in ran.stdout
    passed = re.search("^# pass ([0-9]+)", ran.stdout, re.MULTILINE)
    assert passed
    assert int(passed[1]) == len(re.findall("^ok|^    ok", ran.stdout, re.MULTILINE))


@pytest.mark.parametrize("exempt", ["", "a.example, b.example", "*"])
def test_it_sets_the_same_variables_as_in_python(
    project: Path, mock: Mock, monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    monkeypatch.setenv("NO_PROXY", exempt)
    monkeypatch.delenv("no_proxy", raising=False)
    program = URL.replace("OPTIONS", "").replace("m.url", "JSON.stringify(m.environ())")
    words = ("--input-type=module", "-e", program)
    ran = node(project, *words, STREAMPROOF_URL=mock.url, NO_PROXY=exempt)
    assert json.loads(ran.stdout) == variables(mock.base_url)


@pytest.mark.parametrize(
    ("there", "started"),
    [
        ({"streamproof": SERVER, "python3": SERVER, "uvx": SERVER}, "streamproof serve"),
        ({"python3": SERVER, "python": SERVER}, "python3 -m streamproof serve"),
        ({"python3": WITHOUT_MODULE, "python": SERVER}, "python -m streamproof serve"),
        ({"python3": WITHOUT_MODULE, "uvx": SERVER}, "uvx streamproof serve"),
    ],
)
def test_the_first_program_that_is_there_is_started(
    project: Path, programs: Path, there: dict[str, str], started: str
) -> None:
    for name, text in there.items():
        write(programs / name, text)
    assert url_of(project, programs, "{scenarios: ['mine']}") == "http://127.0.0.1:9"
    (told,) = project.joinpath("told").read_text("utf-8").splitlines()
    options = "--port 0 --until-stdin-ends --scenarios mine --ready-file"
    assert told.startswith(f"{started} {options} ")
    assert not Path(told.rpartition(" ")[2]).parent.exists()


def test_an_image_is_run_by_the_installed_engine(project: Path, programs: Path, mock: Mock) -> None:
    write(programs / "streamproof", SERVER)
    write(programs / "podman", DOCKER)
    at = {"STREAMPROOF_IMAGE": "mine:1", "ADDRESS": mock.url.removeprefix("http://")}
    assert url_of(project, programs, "{scenarios: 'mine'}", **at) == mock.url
    # The port is asked for while the engine starts: either may be told first.
    told = sorted(set(project.joinpath("told").read_text("utf-8").splitlines()))
    port, run = (line for line in told if line.startswith(("port ", "run ")))
    name = port.split()[1]
    assert port == f"port {name} 4100/tcp"
    assert run == (
        f"run --rm --interactive --name {name} --publish 127.0.0.1::4100 "
        f"--volume {project}/mine:/scenarios/0:ro mine:1 "
        "serve --host 0.0.0.0 --port 4100 --until-stdin-ends --scenarios /scenarios/0"
    )


@pytest.mark.parametrize(
    ("there", "environment", "why"),
    [
        ({}, {}, "streamproof, python3 -m streamproof, python -m streamproof, uvx streamproof\n"),
        ({}, {}, "'pip install streamproof' brings it; or set STREAMPROOF_URL"),
        ({}, {"STREAMPROOF_IMAGE": "mine"}, "docker run mine, podman run mine\n"),
        ({"streamproof": OLD}, {}, "exit code 4\nNo such option: --until-stdin-ends"),
        ({}, {"STREAMPROOF_URL": "http://127.0.0.1:9"}, "ECONNREFUSED.*STREAMPROOF_URL names it"),
        ({"streamproof": SERVER}, {"STREAMPROOF_URL": "127.0.0.1"}, "is not the URL of a mock"),
    ],
)
def test_a_server_that_cannot_be_had_is_explained(
    project: Path, programs: Path, there: dict[str, str], environment: dict[str, str], why: str
) -> None:
    for name, text in there.items():
        write(programs / name, text)
    assert re.search(f"Fault: .*{why}", url_of(project, programs, **environment), re.DOTALL)


@pytest.mark.parametrize("end", ["", "process.kill(process.pid, 'SIGKILL');", "await m.stop();"])
def test_the_server_ends_with_the_tests(project: Path, tmp_path: Path, end: str) -> None:
    own = write_commands(tmp_path / "bin")
    program = URL.replace("OPTIONS", "") + end
    path = Path(f"{own}{os.pathsep}{os.environ['PATH']}")
    ran = node(project, "--input-type=module", "-e", program, path=path, HOME=str(tmp_path))
    assert ran.returncode == (-signal.SIGKILL if "SIGKILL" in end else 0), ran.stderr
    assert ran.stdout.startswith("http://127.0.0.1:")
    until = time.monotonic() + PATIENCE
    while answers(ran.stdout.strip()):
        assert time.monotonic() < until, "the server goes on"
        time.sleep(0.02)


def answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/_mock/health"):
            return True
    except (URLError, ConnectionError):
        return False
