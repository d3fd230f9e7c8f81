"""Endings of runs that failed, with the library's exceptions."""

import openai


def failed(kind, message="the response failed", code=None):
    return {"outcome": "failed", "error": {"kind": kind, "message": message, "code": code or ""}}


def describe_error(error):
    """The kind, message and code of the library's exception."""
    kinds = {openai.APIConnectionError: "transport", openai.APIStatusError: "http"}
    kind = next((kind for type_, kind in kinds.items() if isinstance(error, type_)), "upstream")
    return kind, error.message, error.code
