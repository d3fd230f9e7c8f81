"""What comes in: the requests of each Vercel dialect, checked and read."""
