"""From captured streams to scenarios: what ``streamproof import`` and ``record`` are made of."""
