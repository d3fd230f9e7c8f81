"""A browser's chat: the ``AbstractChat`` below ``useChat`` reads the mock's UI messages."""

from collections.abc import Iterator

import pytest

from conformance.suite.upstream import Upstream
from tests.clients.ai_client import VERSIONS, AiClient
from tests.clients.node_process import PATIENCE
from tests.clients.npm import needs_node

pytestmark = pytest.mark.installs

OUTPUTS = {
    "call_run": "FAILED test_sum: 3 != 4",
    "call_read_test": "assert add(2, 2) == 4",
    "call_read_sum": "def add(a, b): return a + b - 1",
    "call_write": "written",
}


@pytest.fixture(scope="module", params=VERSIONS)
def sdk(request: pytest.FixtureRequest) -> Iterator[AiClient]:
    needs_node()
    with AiClient(request.param) as running:
        yield running


def messages(sdk: AiClient, upstream: Upstream, id_: str, *text: str) -> list[list[str]]:
    """The messages of a chat: role and parts of each, with the text or the state of a part."""
    base_url = f"{upstream.url}/s/any/{id_}/v1"
    answer = sdk.ask("chat", base_url, text=text, outputs=OUTPUTS).result(PATIENCE)
    assert answer["thrown"] is None
    return [
        [each["role"], *(part.get("text") or part.get("state") or "-" for part in each["parts"])]
        for each in answer["result"]
    ]


def test_turns_with_tools_are_the_steps_of_one_message(sdk: AiClient, upstream: Upstream) -> None:
    asked = "Why does the test fail?"
    ran = "output-available"
    steps = [
        *("-", "I run it.", ran),
        *("-", "It is about a sum; I read both files.", ran, ran),
        *("-", ran),
        *("-", "add took one away; it does not any more."),
    ]
    found = messages(sdk, upstream, "conversation-three-rounds-of-tools", asked)
    assert found == [["user", asked], ["assistant", *steps]]


def test_the_answer_to_another_question_is_a_new_message(sdk: AiClient, upstream: Upstream) -> None:
    asked = ("Name a river.", "Where does it end?")
    assert messages(sdk, upstream, "conversation-two-questions", *asked) == [
        ["user", asked[0]],
        ["assistant", "-", "Vistula"],
        ["user", asked[1]],
        ["assistant", "-", "Gdańsk"],
    ]
