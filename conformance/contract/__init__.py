"""The values that are also schemas: adapters, transcripts, readings, findings, results."""
