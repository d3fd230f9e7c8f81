"""``Dialect``: a wire format as a value: its events, its requests and its answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mockserver.dialects.profile import Profile
from mockserver.dialects.requests import Requests
from mockserver.dialects.writing import Script, Writing
from mockserver.scenario.script import Raw, Send
from mockserver.wire.event import Step
from mockserver.wire.framing import Framing
from mockserver.wire.slots import Values, encode_values
from mockserver.wire.variation import Variation


@dataclass(frozen=True, slots=True)
class Ending:
    """The events with which a response ends.

    ``is_terminal`` is whether an event of this type and data says how the response ended. Others
    may follow, such as a report of usage or a second event of the ending, and then the closing data
    of the dialect's framing if it has any. ``is_last`` is whether clients ignore everything after
    an event of this type.
    """

    is_terminal: Callable[[str, Any], bool]
    is_last: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class NonStreamingAnswer:
    """The HTTP status and JSON body for a request that does not ask for a stream."""

    status: int
    body: dict[str, Any]


AnswerAtOnce = Callable[[Sequence[Step], str], NonStreamingAnswer | None]
"""Makes the answer without a stream from the steps of the stream and one of the forms.

None if the stream never says how the response ended.
"""


@dataclass(frozen=True, slots=True)
class Answers:
    """The HTTP responses of a dialect.

    ``id_prefix`` is the prefix of the ids of responses. ``headers`` are those of a stream, besides
    those of every event stream. ``non_streaming`` makes the answer for a request that does not ask
    for a stream; a dialect without it only streams.
    """

    id_prefix: str
    headers: Mapping[str, str] = field(default_factory=dict)
    non_streaming: AnswerAtOnce | None = None


UNPADDED = "unpadded"
"""The form of a stream for a request with ``stream_options.include_obfuscation: false``."""


def same_steps(steps: Sequence[Step], _form: str) -> Sequence[Step]:
    """Default of ``Forms.apply``: the steps as they are."""
    return steps


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of the same events, between which a request can choose; the default first.

    ``apply`` converts steps to one of the forms, in their order, and leaves out those that the form
    cannot express.
    """

    names: tuple[str, ...] = ("",)
    apply: Callable[[Sequence[Step], str], Sequence[Step]] = same_steps

    @property
    def default(self) -> str:
        """The form for a request that chooses none."""
        return self.names[0]


MESSAGE = "The backend is overloaded."
CODE = "server_error"
"""What the failures of ``ErrorShape`` say."""


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """The events that report a failure with ``MESSAGE``; ``about`` says what is peculiar to them.

    ``code`` is whether they have ``CODE``. Instead of a failure, they may say that the response is
    ``incomplete`` because it is too long.
    """

    about: str
    sends: tuple[Send | Raw, ...]
    code: bool = True
    outcome: Literal["failed", "incomplete"] = "failed"


def as_added(_before: Sequence[Step], added: Sequence[Step]) -> Sequence[Step]:
    """Default of ``StreamErrors.resume``: the added events as they are."""
    return added


@dataclass(frozen=True, slots=True)
class StreamErrors:
    """How the upstreams of a dialect report a failure in a stream, by name of the shape.

    ``resume`` takes the steps before a failure and the steps that are added, and returns the added
    ones with what depends on those before, such as sequence numbers.
    """

    shapes: Mapping[str, ErrorShape] = field(default_factory=dict)
    resume: Callable[[Sequence[Step], Sequence[Step]], Sequence[Step]] = as_added


CALL_ENDS = "call-ends"
CODES = "codes"
REFUSALS = "refusals"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A wire format of streams of model output, with its requests and errors.

    Every dialect has:

    - ``name``, in case ids and scenario files, such as ``openresponses``.
    - ``steps`` renders a script as complete events; turns are counted from 0.
    - ``ending``: which events end a response.
    - ``framing``: how events are encoded, whether each has an ``event:`` line with its type, and
      the closing data that is sent after the end, such as ``[DONE]``.
    - ``requests``: their paths, how they are read and how they are refused.
    - ``answers``: ids and headers of the responses, and answers that are no streams.

    A dialect may have:

    - ``unsupported``: the needs of scripts (``mockserver.scenario.needs``) that it cannot express,
      and why.
    - ``capabilities``: what its events can express. ``REFUSALS``: refusals, which are else sent as
      text. ``CODES``: codes of errors. ``CALL_ENDS``: that a call is complete, before the response
      ends.
    - ``writing``: how scenarios and captures write its events.
    - ``forms`` of the same events, between which a request can choose.
    - ``errors``: the shapes of a failure in a stream.
    - ``variations`` of its events, which do not change what an adapter should emit. One that names
      no dialects applies to this one alone.
    - ``deviations``: the names of variations of lines and of HTTP whose streams depart from its
      specification, though not from that of every dialect.
    - ``profiles``: its real upstreams, each as a set of variations.
    """

    name: str
    steps: Callable[[Script, int], tuple[Step, ...]]
    ending: Ending
    framing: Framing
    requests: Requests
    answers: Answers
    unsupported: Mapping[str, str] = field(default_factory=dict)
    capabilities: frozenset[str] = frozenset()
    writing: Writing = field(default_factory=Writing)
    forms: Forms = field(default_factory=Forms)
    errors: StreamErrors = field(default_factory=StreamErrors)
    variations: tuple[Variation, ...] = ()
    deviations: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()

    def sample(self) -> Values:
        """Example slot values, for showing events without a request."""
        id_ = f"{self.answers.id_prefix}1"
        common = {"created_at": 0, "model": "mock", "timestamp": _EPOCH, "origin": _ORIGIN}
        return encode_values(id=id_, **common, **self.requests.echoes)


_EPOCH = "1970-01-01T00:00:00.000Z"
_ORIGIN = "http://127.0.0.1:4100"
