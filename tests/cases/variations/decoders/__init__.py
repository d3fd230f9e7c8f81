"""Decoders of event streams that are wrong, each with one defect that was seen in published code.

Some mistakes are not here, since no stream of JSON can expose them: data lines that are joined with
nothing or with a space (a line end between two tokens of JSON means nothing), and white space that
is stripped from values.
"""

from tests.cases.variations.decoders.chunks import CHUNKS
from tests.cases.variations.decoders.dispatching import DISPATCHING
from tests.cases.variations.decoders.fields import FIELDS
from tests.cases.variations.decoders.line_ends import LINE_ENDS
from tests.cases.variations.decoders.wrong import Wrong

DECODERS: tuple[Wrong, ...] = (*CHUNKS, *LINE_ENDS, *FIELDS, *DISPATCHING)
