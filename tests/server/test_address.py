import pytest

from mockserver.server.address import Address, Addresses

ADDRESSES = Addresses(
    [
        "responses", "models", "completions", "chat", "chat/completions", "language-model",
        "config", "models/{model}:generate", "models/{model}:stream", "chat/{id}/stream",
    ]
)  # fmt: skip


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
        ("/v1/ai/language-model", Address("plain", "", "language-model")),
        ("/v3/ai/language-model", Address("plain", "", "language-model")),
        ("/v4/ai/config", Address("plain", "", "config")),
        ("/language-model", Address("plain", "", "language-model")),
        ("/s/any/hello/v1/ai/language-model", Address("scenario", "any/hello", "language-model")),
        ("/s/any/hello/v3/ai/config", Address("scenario", "any/hello", "config")),
        ("/r/x-_9/v4/ai/language-model", Address("run", "x-_9", "language-model")),
        ("/r/x-_9/v1/v1/models", Address("run", "x-_9")),
        ("/api/chat", Address("plain", "", "chat")),
        ("/chat", Address("plain", "", "chat")),
        ("/api/chat/chat-1/stream", Address("plain", "", "chat/{id}/stream")),
        ("/s/any/a/api/chat/a%2Fb/stream", Address("scenario", "any/a", "chat/{id}/stream")),
        ("/s/any/chat/api/chat", Address("scenario", "any/chat", "chat")),
        ("/s/any/hello/api/chat", Address("scenario", "any/hello", "chat")),
        ("/s/any/chat/v1/chat/completions", Address("scenario", "any/chat", "chat/completions")),
        ("/s/any/api/api/chat", Address("scenario", "any/api", "chat")),
        (
            "/s/any/hello/v1/models/mock-1.5:stream",
            Address("scenario", "any/hello", "models/{model}:stream", "mock-1.5"),
        ),
        ("/r/x-_9/models/m:generate", Address("run", "x-_9", "models/{model}:generate", "m")),
        ("/v1/models/m:other", Address("plain", "", "models", "m:other")),
    ],
)
def test_a_path_has_the_choice_and_the_operation(path: str, address: Address) -> None:
    assert ADDRESSES.read(path) == address


@pytest.mark.parametrize(
    "path",
    [
        "/", "/v1", "/v2/responses", "/v2/ai/language-model", "/v3/language-model", "/api/v1/chat",
        "/v1/responses/resp_1", "/v1/models/", "/v1/response", "/s/v1/x", "/s//responses",
    ],
)  # fmt: skip
def test_a_path_without_an_operation_has_none(path: str) -> None:
    assert ADDRESSES.read(path).operation == ""


def test_a_run_is_recognised_even_if_the_operation_is_not() -> None:
    assert ADDRESSES.read("/r/abc/v1/embeddings") == Address("run", "abc", "")
