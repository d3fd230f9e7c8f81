"""The rules about an upstream's own stream, one file each; ``STREAM_RULES`` names them."""
