"""The reference adapter for OpenResponses."""
