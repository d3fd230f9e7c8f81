"""Mutants of the reference adapters: how well the suite finds small mistakes in an adapter."""
