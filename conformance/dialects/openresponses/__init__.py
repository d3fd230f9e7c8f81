"""OpenResponses as the kit reads it."""
