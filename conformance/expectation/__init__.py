"""The expected output of an adapter, derived from a scenario.

``turn_content`` reads the content that the upstream sends, ``content`` limits it to what a dialect
can express, ``projection`` applies the adapter's traits, and ``reading_schema`` compiles the result
into a JSON Schema of a reading. ``expected_parts`` lists the parts that a correct adapter emits.
"""
