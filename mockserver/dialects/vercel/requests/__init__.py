"""Parses and checks the requests of each of the AI SDK's dialects."""
