"""Reference adapters: how a correct adapter reads each dialect."""
