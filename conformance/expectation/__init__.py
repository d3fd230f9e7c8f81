"""What is right: from a scenario's script to one JSON Schema over a reading.

``story`` tells what the upstream said in neutral form, ``projection`` lays an adapter's declared
choices over it, ``compiled`` turns the result into a schema.
"""
