"""The full streams and UI messages of the AI SDK, recorded, for comparison with ours."""
