"""Tests of the bindings of published libraries, and of the module that serves them."""
