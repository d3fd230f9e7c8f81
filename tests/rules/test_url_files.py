"""A file that an upstream gives by its URL is fetched, or left out, as the adapter declares."""

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.dialects.vercel.reference.vscode import UiAdapter
from conformance.drivers.python import PythonDriver
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.wire.files import File, file_at

IMAGE = "vercel/message-with-a-file-by-url"
DOCUMENT = "vercel/message-with-a-document-by-url"

Part = dict[str, Any]


def data_part(mime_type: str, content: bytes) -> Part:
    return {"type": "data", "mimeType": mime_type, "data": b64encode(content).decode()}


class Fetches(FullStream):
    """Fetches the file at a URL and emits its bytes."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        is_file = data.get("type") == "file"
        if is_file:
            return self.parts_of_url(data["url"], data["mediaType"])
        return super().event(data)

    def parts_of_url(self, url: str, mime_type: str) -> list[Part]:
        assert url.startswith("http://127.0.0.1:")
        with urlopen(url) as response:
            assert response.headers["Content-Type"] == mime_type
            return [data_part(mime_type, response.read())]


class FetchesImages(Fetches):
    """Ignores files that are no image, as stream-mapping does."""

    def parts_of_url(self, url: str, mime_type: str) -> list[Part]:
        is_image = mime_type.startswith("image/")
        return super().parts_of_url(url, mime_type) if is_image else []


class FetchesTwice(Fetches):
    def parts_of_url(self, url: str, mime_type: str) -> list[Part]:
        return super().parts_of_url(url, mime_type) * 2


class EmitsTheAddress(Fetches):
    """Emits the URL as if it were the file."""

    def parts_of_url(self, url: str, mime_type: str) -> list[Part]:
        return [data_part(mime_type, url.encode())]


class EmitsTheErrorPage(Fetches):
    """Asks for another file and does not look at the status of the response."""

    def parts_of_url(self, url: str, mime_type: str) -> list[Part]:
        try:
            return super().parts_of_url(f"{url}.png", mime_type)
        except HTTPError as refused:
            return [data_part(mime_type, refused.read())]


class ShowsTheAddress(Fetches):
    """Emits the URL as text."""

    def parts_of_url(self, url: str, mime_type: str) -> list[Part]:
        return [{"type": "text", "value": url}]


HIDDEN, FETCHED = Traits(), Traits(url_files="fetched")
WRONG = (FetchesTwice, EmitsTheAddress, EmitsTheErrorPage)
JUDGED = [
    (FullStream, HIDDEN, IMAGE, []),
    (FullStream, HIDDEN, DOCUMENT, []),
    (FullStream, FETCHED, IMAGE, ["data-exact"]),
    (FetchesImages, FETCHED, IMAGE, []),
    (FetchesImages, FETCHED, DOCUMENT, []),
    *(
        (machine, traits, scenario, rules)
        for machines, rules in (((Fetches,), []), (WRONG, ["data-exact"]))
        for machine in machines
        for traits in (HIDDEN, FETCHED)
        for scenario in (IMAGE, DOCUMENT)
    ),
    (ShowsTheAddress, HIDDEN, IMAGE, ["text-exact"]),
    (ShowsTheAddress, FETCHED, IMAGE, ["data-exact", "text-exact"]),
    (ShowsTheAddress, FETCHED, DOCUMENT, ["text-exact"]),
]


@pytest.mark.parametrize(
    ("machine", "traits", "id_", "rules"),
    JUDGED,
    ids=[
        f"{machine.__name__}-{traits.url_files}-{id_.removeprefix('vercel/')}"
        for machine, traits, id_, _ in JUDGED
    ],
)
def test_the_file_at_a_url_comes_out_as_it_is_or_not_at_all(
    workbench: Workbench, machine: type[FullStream], traits: Traits, id_: str, rules: list[str]
) -> None:
    scenario = workbench.catalogue.get(id_)
    assert scenario
    path = Path("adapter.yaml")
    described = Description("mine", {}, ("vercel-ui",), "vscode", path, traits, Claims())
    driver = PythonDriver(UiAdapter(machine=machine))
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
