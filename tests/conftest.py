"""For all tests: how they are collected, how many run at once, and what is deselected."""

import gc
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.proxies import LOCAL, exempting

# How many examples a property is tried with: few by default, and many in .ci/libraries.
settings.register_profile("few", max_examples=40, deadline=None)
settings.register_profile("many", max_examples=500, deadline=None)
settings.load_profile("few")


# Three workers and dozens of processes read the same modules: one of them compiles each, whatever
# the environment says about Python's caches.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Output is compared without colours, and servers are on this machine.
for _name in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "TTY_COMPATIBLE"):
    os.environ.pop(_name, None)
os.environ.update(exempting(os.environ, *LOCAL), TERM="xterm")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep what is collected out of garbage collection: all of it is needed until the end."""
    gc.disable()
    try:
        _import_a_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _import_a_share(config: pytest.Config) -> None:
    """Import a part of the test modules that no other worker begins with.

    pytest rewrites the assertions of a module that has no cache yet. Workers that collect in the
    same order would all rewrite every module. A module that fails is reported by the collection.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker or config.args != config.getini("testpaths"):
        return
    number, workers = int(worker.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    paths = sorted(config.rootpath.glob("tests/**/test_*.py"))
    for path in paths[number::workers]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Three workers for two cores, since many tests wait for processes; for ``-n auto``."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return (os.cpu_count() or 1) * 3 // 2


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test as pytest does, but in a worker do not report a set-up and tear-down that pass.

    To write, send and read three reports takes longer than most tests do.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


# What these marks are on runs in .ci/libraries.
_ELSEWHERE = ("installs", "long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of .ci/libraries, unless ``-m`` selects tests."""
    if config.option.markexpr:
        return
    left_out = [item for item in items if any(map(item.get_closest_marker, _ELSEWHERE))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        unwanted = set(left_out)
        items[:] = [item for item in items if item not in unwanted]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the tests of a module share."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    """A workbench with the shipped catalogue, which the tests of a module share."""
    with Workbench(Catalogue.shipped()) as bench:
        yield bench
