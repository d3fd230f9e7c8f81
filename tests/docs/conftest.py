from collections.abc import Iterator

import pytest

from tests.docs.project_copy import Copy, Stage


@pytest.fixture(scope="session")
def project_copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy of the project. Copying it takes longer than most pages."""
    return Copy(tmp_path_factory.mktemp("pages"))


@pytest.fixture
def stage(project_copy: Copy) -> Iterator[Stage]:
    """The project as it is, in which the commands of a page are run."""
    built = Stage(project_copy.home, project_copy.bin)
    yield built
    built.end()
    project_copy.restore()
