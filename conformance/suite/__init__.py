"""The conformance suite, a pytest plugin: items, playback, claims and known failures."""
