from __future__ import annotations

import pytest

from mockserver.server.address import Address, Addresses

ADDRESSES = Addresses(["responses", "models", "completions", "chat/completions"])


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/v1/responses", Address("plain", "", "responses")),
        ("/responses", Address("plain", "", "responses")),
        ("/models", Address("plain", "", "models")),
        ("/s/any/hello/v1/responses", Address("scenario", "any/hello", "responses")),
        ("/s/any/hello/responses", Address("scenario", "any/hello", "responses")),
        ("/s/hello/v1/models", Address("scenario", "hello", "models")),
        ("/s/any/v1/v1/responses", Address("scenario", "any/v1", "responses")),
        (
            "/s/any/deep/er@openresponses+crlf+no-done/v1/responses",
            Address("scenario", "any/deep/er@openresponses+crlf+no-done", "responses"),
        ),
        (
            "/s/any%2Fhello%40openresponses%2Bcrlf/v1/responses",
            Address("scenario", "any/hello@openresponses+crlf", "responses"),
        ),
        ("/s/any/hello/v1/chat/completions", Address("scenario", "any/hello", "chat/completions")),
        ("/r/x-_9/v1/responses", Address("run", "x-_9", "responses")),
        ("/r/x-_9/models", Address("run", "x-_9", "models")),
        ("/v1/models/gpt-4o", Address("plain", "", "models", "gpt-4o")),
        ("/models/mock%2Fany%2Fhello", Address("plain", "", "models", "mock/any/hello")),
        (
            "/s/any/models/v1/models/mock/any/hello",
            Address("scenario", "any/models", "models", "mock/any/hello"),
        ),
        ("/r/x-_9/models/mock", Address("run", "x-_9", "models", "mock")),
    ],
)
def test_a_path_says_what_is_chosen_and_which_operation(path: str, address: Address) -> None:
    assert ADDRESSES.read(path) == address


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v2/responses",
        "/v1/responses/resp_1",
        "/v1/models/",
        "/v1/response",
        "/s/v1/x",
        "/s//responses",
    ],
)
def test_a_path_without_an_operation_has_none(path: str) -> None:
    assert ADDRESSES.read(path).operation == ""


def test_a_run_is_known_even_where_the_operation_is_not() -> None:
    assert ADDRESSES.read("/r/abc/v1/embeddings") == Address("run", "abc", "")
