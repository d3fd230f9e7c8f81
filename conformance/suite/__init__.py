"""The pytest plugin: collection, playing, claims, known failures."""
