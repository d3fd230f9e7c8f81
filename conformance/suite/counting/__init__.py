"""Items about token counting: sequences of counts and runs, played and judged."""
