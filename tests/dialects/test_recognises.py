"""An event's dialect is recognised, and data that no dialect sends belongs to none."""

import pytest

from conformance.dialects import KIT


@pytest.mark.parametrize("name", KIT)
@pytest.mark.parametrize("type_", [None, 1, True, [1], {"a": 1}])
def test_data_whose_type_is_not_a_string_belongs_to_no_dialect(name: str, type_: object) -> None:
    recognition = KIT[name].recognition

    assert not recognition.recognises({"type": type_})
    assert not recognition.begins({"type": type_})
