"""The conformance kit: drives adapters against the mock upstream and reports broken rules."""
