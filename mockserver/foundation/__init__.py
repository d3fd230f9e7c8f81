"""What every room uses: faults that people meet, their words on a terminal, JSON, schemas, files.

It imports no other room.
"""

__version__ = "0.1.0"
