"""Faults: variations that break an answer, so that its script is not what is right.

Each kind of fault is a ``Family``. What is right follows from the place of the
``Break`` and from the script; ``conformance.expectation.broken_answers`` derives it.
"""
