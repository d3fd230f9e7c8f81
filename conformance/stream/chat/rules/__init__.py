"""One rule about streams of chunks in each file."""
