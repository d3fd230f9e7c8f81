"""Full streams are converted to VS Code parts: files, sources and the application's own data."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest

from tests.reference.fullstreams import Json, finish, part, played, text

PNG = bytes([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFB])
BASE64 = "iVBOR//7"
URL = "data:image/png;base64,iVBOR//7"


def data_of(event: Json, **traits: Any) -> list[tuple[str, bytes]]:
    parts, ending = played([event, finish()], **traits)
    assert ending["outcome"] == "completed"
    return [(each["mimeType"], b64decode(each["data"], validate=True)) for each in parts]


# stream-mapping § Other Events, § Priority 3: File/Image Support; the forms of the generations.

FILES: dict[str, Json] = {
    "v5 to v7": part("file", file={"base64": BASE64, "mediaType": "image/png"}),
    "v4": part("file", base64=BASE64, mimeType="image/png"),
    "with getters": part("file", file={"base64Data": BASE64, "mediaType": "image/png"}),
    "a media type of v4 beside": part(
        "file", file={"base64": BASE64, "mediaType": "image/png", "mimeType": "stale/stale"}
    ),
    "V2 and V3": part("file", data=BASE64, mediaType="image/png"),
    "V4": part("file", data={"type": "data", "data": BASE64}, mediaType="image/png"),
    "V4, a URL": part("file", data={"type": "url", "url": URL}, mediaType="image/png"),
    "the UI's": part("file", url=URL, mediaType="image/png"),
    "a URL that says what it is": part("file", url=URL),
    "a URL that is not base64": part("file", url="data:image/png,%89PNG%FF%FB"),
    "a list": part("file", file={"uint8Array": list(PNG), "mediaType": "image/png"}),
    "an array as JSON has it": part(
        "file",
        file={"uint8ArrayData": dict(zip("012345", PNG, strict=True)), "mediaType": "image/png"},
    ),
    "a Buffer": part(
        "file",
        file={"uint8Array": {"type": "Buffer", "data": list(PNG)}, "mediaType": "image/png"},
    ),
    "for URLs, without padding": part(
        "file", file={"base64": "iVBOR__7", "mediaType": "image/png"}
    ),
    "broken into lines": part("file", file={"base64": "iVBO\r\nR//7\n", "mediaType": "image/png"}),
}


@pytest.mark.parametrize("event", FILES.values(), ids=FILES.keys())
def test_the_bytes_of_a_file_are_emitted_with_its_media_type(event: Json) -> None:
    assert data_of(event) == [("image/png", PNG)]


@pytest.mark.parametrize("media_type", ["text/plain; charset=utf-8", "application/json"])
@pytest.mark.parametrize("content", [b"", b'{"a": 1}\n', b"caf\xe9"])
def test_text_and_json_files_are_emitted_as_bytes(media_type: str, content: bytes) -> None:
    file = {"base64": b64encode(content).decode(), "mediaType": media_type}
    assert data_of(part("file", file=file)) == [(media_type, content)]


def test_bytes_without_a_media_type_are_octets() -> None:
    assert data_of(part("file", file={"base64": BASE64})) == [("application/octet-stream", PNG)]


NO_BYTES: dict[str, Json] = {
    "elsewhere": part("file", url="https://example.org/a.png", mediaType="image/png"),
    "no base64": part("file", file={"base64": "%%%", "mediaType": "image/png"}),
    "no bytes": part("file", file={"uint8Array": [1, 256], "mediaType": "image/png"}),
    "nothing": part("file", file={"mediaType": "image/png"}),
    "null": part("file", file=None),
}


@pytest.mark.parametrize("event", NO_BYTES.values(), ids=NO_BYTES.keys())
def test_a_file_without_bytes_is_not_emitted(event: Json) -> None:
    assert data_of(event) == []


# stream-mapping § Priority 2: Source/Citation Support; rfc-00022 § Gap 2.

ABOUT = {"url": "https://example.org/a", "title": "A"}

SOURCES: dict[str, Json] = {
    "v5 to v7": part("source", sourceType="url", id="s1", **ABOUT),
    "v4": part("source", source={"sourceType": "url", "id": "s1", **ABOUT}),
    "the seed's": part("source", sourceId="s1", **ABOUT),
    "both": part("source", id="s1", sourceId="stale", **ABOUT),
    "the UI's": part("source-url", sourceId="s1", **ABOUT),
}


@pytest.mark.parametrize("event", SOURCES.values(), ids=SOURCES.keys())
def test_a_source_is_emitted_as_the_trait_says(event: Json) -> None:
    around = [text("a"), event, text("b"), finish()]
    parts, _ = played(around)
    assert [each["value"] for each in parts] == ["a", " [A](https://example.org/a)", "b"]
    (_, cited, _), _ = played(around, annotations="data")
    assert cited["mimeType"] == "application/vnd.vscode.citation+json"
    assert json.loads(b64decode(cited["data"])) == {"type": "citation", "sourceId": "s1", **ABOUT}
    assert len(played(around, annotations="hidden")[0]) == 2


OWN = {"openai": {"fileId": "file-1", "containerId": "cntr-1"}}
DOCUMENT = {"mediaType": "text/plain", "title": "Notes", "filename": "notes.txt"}


@pytest.mark.parametrize(
    "event",
    [
        part("source", sourceType="document", id="s1", **DOCUMENT, providerMetadata=OWN),
        part("source-document", sourceId="s1", **DOCUMENT, providerMetadata=OWN),
    ],
    ids=["v6", "the UI's"],
)
def test_a_document_has_no_link_and_keeps_its_identifying_fields(event: Json) -> None:
    assert played([event, finish()])[0] == []
    ((_, body),) = data_of(event, annotations="data")
    assert json.loads(body) == {
        "type": "citation",
        "sourceId": "s1",
        "file_id": "file-1",
        "container_id": "cntr-1",
        **DOCUMENT,
    }


def test_a_source_without_a_title_is_shown_by_its_url() -> None:
    (link,), _ = played([part("source", id="s1", url="https://example.org/a"), finish()])
    assert link["value"] == " [https://example.org/a](https://example.org/a)"


# stream-mapping § Priority 5: Custom Data Passthrough.

OWN_DATA: dict[str, tuple[Any, bytes]] = {
    "an object": ({"city": "Zürich", "at": [1, None]}, '{"city":"Zürich","at":[1,null]}'.encode()),
    "null": (None, b"null"),
    "half a character": ("\ud83d", b'"\\ud83d"'),
}


@pytest.mark.parametrize(("value", "body"), OWN_DATA.values(), ids=OWN_DATA.keys())
def test_data_of_an_application_is_passed_on_as_json(value: Any, body: bytes) -> None:
    event = part("data-weather", id="d1", data=value)
    assert data_of(event) == [("application/vnd.vercel.weather+json", body)]


def test_data_without_a_name_or_without_a_value_is_ignored() -> None:
    assert data_of(part("data-", data=1)) == data_of(part("data-weather")) == []
