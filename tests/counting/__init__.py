"""What an adapter counts, before and behind runs that cost something else."""
