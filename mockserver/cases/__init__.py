"""Cases: scenarios of the catalogue, each in a dialect under variations, and their rendering."""
