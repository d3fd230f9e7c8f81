"""The drivers: how the kit runs an adapter, in Python, over stdio, by exec or as a server."""
