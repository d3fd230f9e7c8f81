"""What every reference adapter is made of: the event stream decoder, HTTP, token counting."""
