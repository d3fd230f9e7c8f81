"""The kit's side of each dialect: its ledger, its legality rules, its reference adapters."""
