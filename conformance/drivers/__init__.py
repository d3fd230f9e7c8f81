"""How the kit talks to an adapter: one way for each file."""
