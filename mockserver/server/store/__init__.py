"""What the handlers of a server know beyond one request: runs, attempts, responses, the journal.

``LocalStore`` is that of one process. Of several workers, ``RedisStore`` is what they share, and
``UnsharedStore`` refuses the questions that one worker cannot answer.
"""
