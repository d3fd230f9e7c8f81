"""The command line of the mock server and the conformance kit."""
