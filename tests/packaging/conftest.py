import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.docs.project_copy import copied
from tests.packaging.environment import Environment, run


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    done = run([sys.executable, "-m", "build", "--wheel", "--outdir", str(place), str(ROOT)], place)
    assert done.code == 0, done.out
    (built,) = place.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and its dependencies only."""
    environment = Environment.created(tmp_path_factory.mktemp("installed") / "venv")
    environment.install(str(wheel))
    return environment


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, without an environment."""
    return copied(tmp_path_factory.mktemp("clone") / "streamproof")
