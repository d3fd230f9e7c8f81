"""Versions of the AI SDK, each in a Node process; ``node-ai/read.mjs`` lists the questions."""

from concurrent.futures import Future
from typing import Any, Literal, Self, TypedDict

from tests.clients.node_process import NodeProcess
from tests.clients.npm import HERE, install

VERSIONS = ("5", "6.0.50", "6", "7")
NODE_AI = HERE / "node-ai"
PROJECTS = {version: NODE_AI / version for version in VERSIONS}

How = Literal[
    "stream", "generate", "generateObject", "streamObject", "output", "models", "credits", "chat",
    "resume", "completion",
]  # fmt: skip


class Answer(TypedDict):
    """The answer to a question: the parts of a full stream, a function's result, or an error."""

    parts: list[dict[str, Any]]
    result: Any
    thrown: dict[str, Any] | None


class AiClient:
    """A Node process with one version of the AI SDK, as a context manager."""

    def __init__(self, version: str) -> None:
        install(PROJECTS[version])
        self.version = version
        self._process = NodeProcess(PROJECTS[version])

    def __enter__(self) -> Self:
        self._process.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._process.__exit__(*error)

    def ask(self, how: How, base_url: str, **ask: Any) -> Future[Answer]:
        """Send a question, with the fields of ``ask`` that ``read.mjs`` reads."""
        return self._process.ask({"how": how, "base_url": base_url, "ask": ask})
