"""The reference adapter from OpenAI's Responses to the stream parts of a provider."""
