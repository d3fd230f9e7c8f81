"""The fork server of these tests has done its imports: a preload that fails is never reported."""

from pathlib import Path

import pytest

from tests.suite import ROOT, run
from tests.suite.fork_server import takes

CODE = """
import sys
from mockserver.cases import catalogue
print("conformance.suite.workbench" in sys.modules)
read = catalogue._loaded.cache_info().misses
list(catalogue.Catalogue.shipped().entries())
print(catalogue._loaded.cache_info().misses - read)
"""


@pytest.mark.skipif(not takes(["-c", CODE]), reason="no fork server here")
@pytest.mark.parametrize("here", [True, False], ids=["here", "elsewhere"])
def test_a_forked_process_has_the_modules_of_the_suite_and_the_catalogue(
    here: bool, tmp_path: Path
) -> None:
    assert run("-c", CODE, cwd=ROOT if here else tmp_path).text == "True\n0\n"
