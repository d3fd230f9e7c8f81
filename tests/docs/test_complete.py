"""Everything that can be written, requested or declared is explained on its page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

import click
import pytest

from conformance.dialects import KitDialect
from conformance.drivers.driver import Counter, Driver
from conformance.report.results import Status
from conformance.suite import plugin
from conformance.suite.routes import routes as kit_routes
from conformance.vocabularies import VOCABULARIES, Vocabulary
from mockserver.cases.variations import FAULT_FAMILIES, VARIATIONS
from mockserver.dialects import DIALECTS, Dialect
from mockserver.foundation.shipped import schema
from mockserver.server.control import routes
from mockserver.stream_faults.places import PLACE_NAMES
from streamproof._commands.adapter_check import check
from streamproof._commands.adapter_new import LANGUAGES, new
from streamproof._commands.judge import judge
from streamproof._commands.report import report
from streamproof._commands.repro import repro
from streamproof._commands.serve import serve
from tests.docs.pages import ROOT

SCENARIOS, ADAPTERS, SERVER = "docs/scenarios.md", "docs/adapters.md", "docs/server.md"
RESULTS, CONTRIBUTING = "docs/results.md", "CONTRIBUTING.md"

_SCENARIO, _ADAPTER = schema("scenario"), schema("adapter")
_STEPS = _SCENARIO["$defs"]["say"]["properties"]
_HOST = _SCENARIO["$defs"]["host"]["properties"]
_TURN = _SCENARIO["$defs"]["turn"]["properties"]
_EXPECT = _SCENARIO["$defs"]["expect"]["properties"]
_PARTS = _SCENARIO["$defs"]["part"]["properties"]
_TRAITS = _ADAPTER["properties"]["traits"]["properties"]

_INTERFACES = {
    f"{interface.__module__}.{interface.__name__}": interface
    for interface in (Dialect, KitDialect, Vocabulary, Driver, Counter)
}


class _Options:
    def __init__(self) -> None:
        self.names: list[str] = []

    def getgroup(self, _name: str, _description: str = "") -> _Options:
        return self

    def addoption(self, name: str, **_: Any) -> None:
        self.names.append(name)


def _suite_options() -> list[str]:
    options: Any = _Options()
    plugin.pytest_addoption(options)
    names: list[str] = options.names
    return names


def _options(command: click.Command) -> list[str]:
    return [param.opts[0] for param in command.params if param.opts[0].startswith("--")]


def _rooms() -> list[str]:
    packages = (ROOT / "mockserver", ROOT / "conformance")
    files = (path for package in packages for path in package.glob("*/__init__.py"))
    return [f"{path.parent.relative_to(ROOT).as_posix()}/" for path in files]


def _control_routes() -> list[str]:
    return [f"{route.method} {_placed(route.path)}" for route in (*routes(), *kit_routes())]


def _placed(path: str) -> str:
    """A route with its placeholders as pages write them: ``/runs/ID`` for ``/runs/{id}``."""
    return re.sub(r"{(\w+)[^}]*}", lambda name: name[1].upper(), path)


def test_the_row_of_a_bundle_names_all_of_its_variations() -> None:
    # A dialect may be called as a bundle is.
    page = ROOT.joinpath(SERVER).read_text("utf-8")
    rows = page[page.index("## Variations") :].splitlines()
    for name, bundle in VARIATIONS.items():
        if bundle.consists_of:
            (row,) = (row for row in rows if row.startswith(f"| `{name}` |"))
            assert [member for member in VARIATIONS if f"`{member}`" in row.split("|")[2]] == [
                member for member in VARIATIONS if member in bundle.consists_of
            ]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        pytest.param(SCENARIOS, _SCENARIO["properties"], id="the keys of a scenario"),
        pytest.param(SCENARIOS, _HOST, id="the keys of host"),
        pytest.param(SCENARIOS, _HOST["model"]["properties"], id="the figures of a model"),
        pytest.param(SCENARIOS, _TURN, id="the keys of a turn"),
        pytest.param(SCENARIOS, _STEPS, id="the steps of a script"),
        pytest.param(SCENARIOS, _EXPECT, id="the keys of expect"),
        pytest.param(SCENARIOS, _PARTS, id="the parts of expect"),
        pytest.param(
            SCENARIOS, _SCENARIO["$defs"]["cancel"]["properties"], id="the ways to cancel"
        ),
        pytest.param(SCENARIOS, _SCENARIO["$defs"]["turn"]["properties"], id="the keys of a turn"),
        pytest.param(SERVER, _SCENARIO["$defs"]["close"]["enum"], id="the ways to close"),
        pytest.param(SERVER, VARIATIONS, id="the variations"),
        pytest.param(
            SERVER,
            sorted({shape for each in DIALECTS.values() for shape in each.errors.shapes}),
            id="the shapes of failures",
        ),
        pytest.param(SERVER, PLACE_NAMES, id="the places of faults"),
        pytest.param(
            SERVER,
            [each.name for each in FAULT_FAMILIES["body"].named],
            id="the bodies in place of a stream",
        ),
        pytest.param(SERVER, _control_routes(), id="the control interface"),
        pytest.param(SERVER, _options(serve), id="the options of serve"),
        pytest.param(RESULTS, _options(judge), id="the options of judge"),
        pytest.param(RESULTS, _options(report), id="the options of report"),
        pytest.param(RESULTS, _options(repro), id="the options of repro"),
        pytest.param(RESULTS, get_args(Status), id="the statuses of a result"),
        pytest.param(ADAPTERS, _ADAPTER["properties"], id="the keys of adapter.yaml"),
        pytest.param(ADAPTERS, _TRAITS, id="the traits"),
        pytest.param(ADAPTERS, VOCABULARIES, id="the vocabularies"),
        pytest.param(ADAPTERS, _suite_options(), id="the options of the suite"),
        pytest.param(ADAPTERS, _options(check), id="the options of adapter check"),
        pytest.param(ADAPTERS, _options(new), id="the options of adapter new"),
        pytest.param(ADAPTERS, LANGUAGES, id="the languages of adapter new"),
        pytest.param(CONTRIBUTING, _rooms(), id="the rooms of the packages"),
        pytest.param(CONTRIBUTING, _INTERFACES, id="the interfaces"),
    ],
)
def test_a_page_explains_all_names_of(page: str, names: Iterable[str]) -> None:
    text = ROOT.joinpath(page).read_text("utf-8")
    missing = [name for name in names if not re.search(rf"`{re.escape(name)}[`:\s]", text)]
    assert not missing, f"{page} does not explain {', '.join(missing)}"


@pytest.mark.parametrize("interface", _INTERFACES.values(), ids=_INTERFACES)
def test_an_interface_explains_its_members(interface: type) -> None:
    said = interface.__doc__ or ""
    missing = [
        name
        for name in vars(interface)
        if not name.startswith("_")
        and f"``{name}``" not in said
        and not getattr(vars(interface)[name], "__doc__", "")
    ]
    assert not missing, f"{interface.__name__} does not explain {', '.join(missing)}"
