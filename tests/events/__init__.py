"""The events of each dialect as scenarios write them: for the schema, and for the reference."""
