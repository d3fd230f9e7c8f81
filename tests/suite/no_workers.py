"""A pytest plugin with which a run fails when xdist starts a worker."""

from typing import NoReturn

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_newgateway() -> NoReturn:
    raise AssertionError("a worker is started")
