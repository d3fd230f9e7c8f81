"""From events to bytes: framing, named variations of a stream, and timed playback."""
