"""Chat completions as the kit reads them."""
