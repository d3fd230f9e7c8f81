"""The fork server of these tests has done its imports: a preload that fails is never reported."""

from __future__ import annotations

import pytest

from tests.suite import run
from tests.suite.fork_server import takes

CODE = """
import sys
from mockserver.scenario import catalogue
print("conformance.suite.workbench" in sys.modules, bool(catalogue.Catalogue.shipped().ids()))
"""


@pytest.mark.skipif(not takes(["-c", CODE]), reason="no fork server here")
def test_a_forked_process_has_the_modules_of_the_suite() -> None:
    assert run("-c", CODE).text == "True True\n"
