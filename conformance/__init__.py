"""The kit: drives adapters against the mock upstream and says which rule was broken, and where."""
