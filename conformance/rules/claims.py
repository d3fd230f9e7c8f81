"""The rule on the claims in ``adapter.yaml``, which the suite checks with runs of its own."""

from typing import Literal

from conformance.findings.finding import Kind, Rule
from conformance.findings.values import CallValue, EndedValue


class MadeUpDialectPlayed(Kind, weighs="falsehood"):
    """A run in a dialect that there is not is played."""

    dialect: str
    ended: EndedValue

    message = "a run in the dialect {dialect!r}, which there is not, ended as {ended:ended}"
    right = (
        "the answer unsupported, or by exec an exit with 127, to a run in a dialect that "
        "adapter.yaml does not claim"
    )
    same_by = ("ended.verdict", "ended.error_class")


class NoStream(Kind, weighs="falsehood"):
    """A run has no stream that could be held open."""

    why: Literal["no-request", "refused", "no-stream"]
    ended: EndedValue
    status: int = 0
    refused: str = ""

    message = (
        "[[the request was refused with HTTP {status}: {refused}|{why:phrase}]], and the run ended "
        "as {ended:ended}"
    )
    right = "a run that asks its base URL for a stream and completes"
    same_by = ("why", "status", "ended.verdict", "ended.error_class")
    phrases = {
        "why": {
            "no-request": "no request reached the run's base URL",
            "refused": "the request was refused",
            "no-stream": "the request did not ask for a stream",
        }
    }


class HeldBack(Kind, weighs="falsehood"):
    """Parts do not come out while the stream is open."""

    text: str
    parts: int

    message = (
        "[[only {text!r}|nothing]] came out of the first words while the stream was held open "
        "behind them; {parts} part(s) came when it went on"
    )
    right = (
        "each part as soon as its event has come: read the stream while it comes, and flush what "
        "is written; or an adapter.yaml without live: true"
    )
    headline = "[[only {text!r}|nothing]] came out while the stream was held open"


_AS_IF_ALONE = (
    "what the run does alone, where it is right: keep what belongs to a run with the run, by its "
    "id; or a claim of concurrency: 1"
)


class RunBesideOthersBroken(Kind, weighs="harm"):
    """A run does not complete beside others."""

    others: int
    ended: EndedValue

    message = "beside {others} other(s), a run ended as {ended:ended}"
    right = _AS_IF_ALONE
    same_by = ("ended.verdict", "ended.error_class")


class TextOfAnotherRun(Kind, weighs="harm"):
    """A run beside others has another text than its own."""

    others: int
    text: str
    due: str

    message = "beside {others} other(s), a run said {text!r}, not {due!r}"
    right = _AS_IF_ALONE


class CallsOfAnotherRun(Kind, weighs="harm"):
    """A run beside others makes other calls than its own."""

    others: int
    calls: tuple[CallValue, ...]
    due: CallValue

    message = (
        "beside {others} other(s), a run made [[the calls {calls:calls}|no call]], not {due:call}"
    )
    right = _AS_IF_ALONE


class WrongAlone(Kind, weighs="falsehood"):
    """The run that is to be played beside others is wrong alone, so that nothing more is judged."""

    claimed: int
    ended: EndedValue
    text: str
    calls: tuple[CallValue, ...]

    message = (
        "it was not judged whether {claimed} runs go on at one time: a run alone ended as "
        "{ended:ended}, with [[the text {text!r}|no text]] and [[the calls {calls:calls}|no call]]"
    )
    right = "a run that is right alone; then it is played beside others"
    same_by = ("ended.verdict", "ended.error_class")


class FewerAtOnce(Kind, weighs="falsehood"):
    """Fewer runs go on at one time than claimed."""

    claimed: int
    arrived: int

    message = "of {claimed} runs that were begun at once, {arrived} reached the mock at one time"
    right = "runs side by side, or a claim of concurrency: {arrived}"


CLAIMS_KEPT: Rule[object] = Rule(
    id="claims-kept",
    holds="what adapter.yaml claims is so",
    source="drive/1",
    check=lambda _evidence: (),
    kinds=(
        MadeUpDialectPlayed,
        NoStream,
        HeldBack,
        RunBesideOthersBroken,
        TextOfAnotherRun,
        CallsOfAnotherRun,
        WrongAlone,
        FewerAtOnce,
    ),
)
