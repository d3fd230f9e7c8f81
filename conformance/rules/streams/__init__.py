"""Judging an upstream's own stream."""
