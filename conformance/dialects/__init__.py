"""What the kit knows of each dialect, one folder each."""
