"""Frozen dataclasses from JSON values and back, by their annotations.

The library is cattrs, because it takes frozen dataclasses as they are, rejects unknown keys, omits
defaults field by field, names the path of each wrong value, and is pure Python. (msgspec rejects
and omits for its own ``Struct`` only, and is a C extension.) The schemas in ``schemas/`` remain the
contract: a file is validated first, so what is rejected here is what JSON Schema lets pass.

A field without a default is required. A missing field gets its default, so that older files can be
read. Values are not converted: ``"1"`` and ``1.0`` are rejected for an ``int``. Fields of type
``Any`` and ``Mapping[str, Any]`` hold JSON values unchanged.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from cattrs import BaseValidationError, Converter, override, transform_error
from cattrs.gen import make_dict_unstructure_fn

T = TypeVar("T")

_CONVERTER = Converter(forbid_extra_keys=True)


def structure(value: Any, type_: type[T]) -> T:
    """Build a dataclass from a JSON value.

    Raises cattrs' BaseValidationError, which ``errors_in`` lists.
    """
    return _CONVERTER.structure(value, type_)


def structure_by(type_: type, read: Callable[[Any, Any], Any]) -> None:
    """Build values of a type by a function of the JSON value and the type."""
    _CONVERTER.register_structure_hook(type_, read)


def unstructure(value: Any) -> Any:
    """Convert a dataclass to a JSON value, with its fields in order."""
    return _CONVERTER.unstructure(value)


def errors_in(error: BaseValidationError, root: str) -> Iterator[tuple[str, str]]:
    """The messages of a validation error, each with the path of the wrong value below ``root``."""
    for described in transform_error(error, root, lambda each, _type: str(each)):
        message, _, path = described.rpartition(" @ ")
        yield message, path


def omit_if_default(type_: type, *names: str) -> None:
    """Omit these fields of a dataclass from its JSON when they have their default values."""
    omitted: dict[str, Any] = {name: override(omit_if_default=True) for name in names}
    hook: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn(type_, _CONVERTER, **omitted)
    _CONVERTER.register_unstructure_hook(type_, hook)


def _exactly(*types: type) -> Callable[[Any, Any], Any]:
    """A structure hook that accepts values of these types only, without conversion."""

    def check(value: Any, _type: Any) -> Any:
        if type(value) in types:
            return value
        kind = "number" if isinstance(value, float) else types[0].__name__
        raise ValueError(f"{value!r:.80} is no {kind} of ours")

    return check


def _unchanged(value: Any, _type: Any = None) -> Any:
    return value


def _is_json(type_: Any) -> bool:
    return type_ in (Any, Mapping[str, Any])


for _type, _accepted in {int: (int,), float: (float, int), str: (str,), bool: (bool,)}.items():
    _CONVERTER.register_structure_hook(_type, _exactly(*_accepted))
_CONVERTER.register_structure_hook_func(_is_json, _unchanged)
_CONVERTER.register_unstructure_hook_func(_is_json, _unchanged)
