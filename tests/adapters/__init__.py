"""The bindings of published libraries, and the module that serves them."""
