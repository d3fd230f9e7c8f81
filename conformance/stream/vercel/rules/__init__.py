"""One rule about the AI SDK's streams in each file."""
