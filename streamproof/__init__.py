"""The command line: the only place that knows both the upstream and the kit."""
