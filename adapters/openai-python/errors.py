"""Endings of runs that failed, with the library's exceptions."""

import openai


class Contradiction(ValueError):
    """An answer contradicts itself, and the library has not reported it."""

    def __init__(self, message):
        super().__init__(f"the binding reports: {message}")


def failed(kind, message="the response failed", code=None):
    return {"outcome": "failed", "error": {"kind": kind, "message": message, "code": code or ""}}


def failed_to_read(error):
    return failed("binding" if isinstance(error, Contradiction) else "decode", str(error))


def describe_error(error):
    """The kind, message and code of the library's exception."""
    kinds = {openai.APIConnectionError: "transport", openai.APIStatusError: "http"}
    kind = next((kind for type_, kind in kinds.items() if isinstance(error, type_)), "upstream")
    return kind, error.message, error.code
