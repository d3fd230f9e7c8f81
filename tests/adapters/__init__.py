"""Tests of the bindings of published libraries, and of the module that serves them."""

DESCRIPTIONS = ("adapter.yaml", "chat.yaml", "fullstream.yaml")
"""The descriptions in a binding's folder: a library may have several APIs and layers."""
