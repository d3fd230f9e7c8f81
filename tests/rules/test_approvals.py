"""An approval request that the host has to answer must reach it."""

from conformance.findings.words import message_of
from tests.turns.hosted_adapter import AsksNobody, adapter
from tests.turns.hosted_play import CATALOGUE, findings, scenarios
from tests.wireless import Wireless


def test_an_approval_request_that_the_host_never_gets_breaks_its_rule() -> None:
    with Wireless(CATALOGUE) as upstream:
        found = findings(upstream, adapter(machine=AsksNobody), *scenarios())
    assert {each.rule for each in found} == {"approval-asked"}
    assert "the approval request 'mcpr_one' did not come out" in {
        message_of(each) for each in found
    }
