"""The AI SDK streams what was recorded, in every situation.

After a change of a situation, ``python -m tests.clients.ai_recorder`` records all again.
"""

import pytest

from mockserver.dialects.vercel.parts import V6
from tests.clients.ai_recorder import record
from tests.clients.npm import needs_node
from tests.dialects.ai_sdk.recording import RELEASES, recorded

pytestmark = pytest.mark.installs


@pytest.mark.parametrize("generation", RELEASES)
def test_the_sdk_streams_what_was_recorded(generation: str) -> None:
    needs_node()
    assert record(RELEASES[generation], generation) == recorded(generation)


def test_an_early_release_of_ai_6_differs_in_the_failure_of_a_dynamic_tool() -> None:
    """Before 6.0.326, the error of a provider's dynamic tool has no input."""
    needs_node()
    early, late = record("6.0.50", V6), recorded(V6)
    differing = {name for name in late if early[name] != late[name]}
    assert differing == {"a dynamic tool of the provider that fails"}
