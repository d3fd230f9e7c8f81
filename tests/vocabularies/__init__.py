"""What parts amount to, vocabulary by vocabulary."""
