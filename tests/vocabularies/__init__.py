"""How parts become a reading, vocabulary by vocabulary."""
