"""What several workers share in a Redis: runs, attempts, responses and the journal."""
