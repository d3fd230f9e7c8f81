"""The reference adapters for chat completions."""
