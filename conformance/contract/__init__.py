"""The data of the kit that has JSON schemas: adapters, transcripts, readings, findings, results."""
