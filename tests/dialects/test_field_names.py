"""The table of the AI SDK's field names agrees with the schemas of its parts."""

import pytest

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI, V4, V6, generations
from mockserver.foundation.shipped import schema

# The types of the parts that have a field, in any layer and generation.
PARTS = {
    "text_delta": ("text-delta",),
    "reasoning_delta": ("reasoning-delta", "reasoning"),
    "input_delta": ("tool-input-delta", "tool-call-delta"),
    "input_id": ("tool-input-start", "tool-input-delta", "tool-call-streaming-start"),
    "call_id": ("tool-call", "tool-input-available"),
    "input": ("tool-call", "tool-input-available"),
    "output": ("tool-result", "tool-output-available"),
    "error": ("error",),
    "usage": ("finish",),
}
COLUMNS = ((V4, FULLSTREAM), (V6, FULLSTREAM), (GATEWAY, GATEWAY), (UI, UI))


@pytest.mark.parametrize(("column", "dialect"), COLUMNS)
def test_a_field_is_in_the_contract_of_its_parts(column: str, dialect: str) -> None:
    definitions = schema(f"events/{dialect}")["$defs"]
    for field, every in PARTS.items():
        types = [type_ for type_ in every if f"part:{type_}" in definitions]
        if dialect == FULLSTREAM:
            types = [type_ for type_ in types if column in generations(type_)]
        assert types, field
        name = getattr(NAMES[column], field)
        for type_ in types:
            assert not name or name in definitions[f"part:{type_}"]["properties"], type_
