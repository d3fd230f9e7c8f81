"""The items about token counts: sequences of counts and runs, played and judged."""
