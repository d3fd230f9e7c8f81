"""What the handlers of a server know beyond one request: runs, attempts, responses, the journal."""
