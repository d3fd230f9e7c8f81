"""A file that an upstream gives by its URL is fetched, or left out, as the adapter declares."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.dialects.vercel.reference import ui
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.drivers.python import PythonDriver
from conformance.suite.workbench import Workbench, run
from mockserver.files import File, file_at
from mockserver.render import Case
from mockserver.scenario.catalogue import Catalogue

BY_URL = "vercel/message-with-a-file-by-url"

Part = dict[str, Any]


def data_part(content: bytes) -> Part:
    return {"type": "data", "mimeType": "image/png", "data": b64encode(content).decode()}


class Fetches(FullStream):
    """Fetches the file at a URL and emits its bytes."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        is_file = data.get("type") == "file"
        return self.parts_of_url(data["url"]) if is_file else super().event(data)

    def parts_of_url(self, url: str) -> list[Part]:
        assert url.startswith("http://127.0.0.1:")
        with urlopen(url) as response:
            assert response.headers["Content-Type"] == "image/png"
            return [data_part(response.read())]


class FetchesTwice(Fetches):
    def parts_of_url(self, url: str) -> list[Part]:
        return super().parts_of_url(url) * 2


class EmitsTheAddress(Fetches):
    """Emits the URL as if it were the file."""

    def parts_of_url(self, url: str) -> list[Part]:
        return [data_part(url.encode())]


class EmitsTheErrorPage(Fetches):
    """Asks for another file and does not look at the status of the response."""

    def parts_of_url(self, url: str) -> list[Part]:
        try:
            return super().parts_of_url(f"{url}.png")
        except HTTPError as refused:
            return [data_part(refused.read())]


class ShowsTheAddress(Fetches):
    """Emits the URL as text."""

    def parts_of_url(self, url: str) -> list[Part]:
        return [{"type": "text", "value": url}]


HIDDEN, FETCHED = Traits(), Traits(url_files="fetched")
JUDGED = [
    (FullStream, HIDDEN, []),
    (FullStream, FETCHED, ["data-exact"]),
    (Fetches, HIDDEN, []),
    (Fetches, FETCHED, []),
    *(
        (machine, traits, ["data-exact"])
        for machine in (FetchesTwice, EmitsTheAddress, EmitsTheErrorPage)
        for traits in (HIDDEN, FETCHED)
    ),
    (ShowsTheAddress, HIDDEN, ["text-exact"]),
    (ShowsTheAddress, FETCHED, ["data-exact", "text-exact"]),
]


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped()) as bench:
        yield bench


@pytest.mark.parametrize(
    ("machine", "traits", "rules"),
    JUDGED,
    ids=[f"{machine.__name__}-{traits.url_files}" for machine, traits, _ in JUDGED],
)
def test_the_file_at_a_url_comes_out_as_it_is_or_not_at_all(
    workbench: Workbench, machine: type[FullStream], traits: Traits, rules: list[str]
) -> None:
    scenario = workbench.catalogue.get(BY_URL)
    assert scenario
    path = Path("adapter.yaml")
    described = Description("mine", {}, ("vercel-ui",), "vscode", path, traits, Claims())
    driver = PythonDriver(ui.Adapter(machine=machine))
    try:
        result = run(workbench.drive(described, driver), Case(scenario, "vercel-ui"))
    finally:
        driver.close()
    assert sorted(finding.rule for finding in result.findings) == rules


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("http://127.0.0.1:1/_mock/files/text/plain/aGk=", File("text/plain", b"hi")),
        ("http://127.0.0.1:1/_mock/files/text/plain/", File("text/plain", b"")),
        ("http://127.0.0.1:1/_mock/files/text/plain/a", None),
        ("http://127.0.0.1:1/_mock/files/text/aGk=", None),
        ("https://files.example/a.png", None),
        ("", None),
    ],
)
def test_the_path_of_a_url_holds_the_file(url: str, file: File | None) -> None:
    assert file_at(url) == file
