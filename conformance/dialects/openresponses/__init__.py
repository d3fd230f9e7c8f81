"""OpenResponses."""
