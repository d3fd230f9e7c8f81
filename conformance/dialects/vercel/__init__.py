"""The AI SDK's three dialects as the kit reads them."""
