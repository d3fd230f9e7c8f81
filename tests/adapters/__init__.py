"""The bindings of published libraries, and what serves them."""
