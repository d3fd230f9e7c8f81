"""Shared by all reference adapters: the event stream decoder, the HTTP client, token counting."""
