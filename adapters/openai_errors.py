"""Endings of runs that failed with an exception of OpenAI's client for Python."""

import openai
from failures import failed

KINDS = {openai.APIConnectionError: "transport", openai.APIStatusError: "http"}


def failed_by(error):
    """The ending for an ``openai.APIError``, with its kind, message and code."""
    kind = next((kind for type_, kind in KINDS.items() if isinstance(error, type_)), "upstream")
    return failed(kind, error.message, error.code)
