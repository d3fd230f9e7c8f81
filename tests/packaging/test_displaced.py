"""Another package in the place of one of the project's is reported in one line."""

import shutil
from pathlib import Path

import pytest

from tests.packaging.environment import Done, Environment

pytestmark = pytest.mark.installs

COMMANDS = [
    ("streamproof", "lint"),
    ("python", "-m", "streamproof", "lint"),
    ("pytest", "--pyargs", "conformance", "-q"),
]


def _only_line(done: Done) -> str:
    """The only line of output, without pytest's prefix; fails if there are more."""
    assert done.code == 4, done.out
    (line,) = [line.removeprefix("ERROR: ") for line in done.out.splitlines() if line]
    return line


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("name", ["mockserver", "conformance"])
def test_a_folder_earlier_on_the_path_is_reported(
    name: str, command: tuple[str, ...], installed: Environment, tmp_path: Path
) -> None:
    other = tmp_path / "path" / name
    other.mkdir(parents=True)
    other.joinpath("__init__.py").touch()
    env = {"PYTHONPATH": str(other.parent)}
    line = _only_line(installed.run(*command, cwd=tmp_path, env=env))
    assert line.startswith(f"streamproof: {name!r} is another package, at {other}; ")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_distribution_installed_over_the_project_is_reported(
    command: tuple[str, ...], installed: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "path"
    for name in ("mockserver", "conformance", "streamproof"):
        shutil.copytree(installed.packages / name, path / name)
    path.joinpath("mockserver", "__init__.py").write_text('"""A client of a mock server."""\n')
    metadata = path / "mockserver_client-1.0.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: mockserver-client\n")
    metadata.joinpath("RECORD").write_text("mockserver/__init__.py,,\n")
    line = _only_line(installed.run(*command, cwd=tmp_path, env={"PYTHONPATH": str(path)}))
    assert f"at {path / 'mockserver'} (installed by mockserver-client); " in line


def test_own_import_errors_are_not_blamed_on_others(installed: Environment, tmp_path: Path) -> None:
    path = tmp_path / "path"
    for name in ("mockserver", "conformance", "streamproof"):
        shutil.copytree(installed.packages / name, path / name)
    path.joinpath("mockserver", "foundation", "faults.py").write_text("import no_such_module\n")
    done = installed.run("streamproof", "lint", cwd=tmp_path, env={"PYTHONPATH": str(path)})
    assert done.code == 1
    assert "ModuleNotFoundError: No module named 'no_such_module'" in done.out
