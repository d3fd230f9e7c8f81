"""The reference adapters for the AI SDK's dialects."""
