"""Every proof still shows its finding, with the library's packages and nothing of the project.

What binds a library by its own words stands in the packages that are installed.
"""

from pathlib import Path

import pytest

from conformance.suite.proofs import proofs_of
from tests.adapters.reproductions import departures, environment, misquoted
from tests.clients.npm import needs_node
from tests.docs.findings import ADAPTERS, Folder, folders

pytestmark = pytest.mark.installs

PROVEN = [each for each in folders().values() if any(map(proofs_of, each.bindings))]


@pytest.mark.parametrize("library", PROVEN, ids=lambda each: each.name)
def test_programs_of_a_library_print_what_its_proofs_say(library: Folder, tmp_path: Path) -> None:
    folder = ADAPTERS / library.name
    if (folder / "checkout.json").exists() and not (folder / ".checkout").exists():
        pytest.skip("not run: there is no checkout of the extension")
    if not (folder / "requirements.txt").exists():
        needs_node()
    packages = environment(library, tmp_path)
    assert packages.importable() == []
    if found := [*misquoted(library, packages), *departures(library, packages)]:
        pytest.fail("\n\n".join(found), pytrace=False)
