"""Events to frames to writes: framing, variations, playback."""
