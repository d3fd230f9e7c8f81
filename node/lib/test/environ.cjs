"use strict";

/** The key that SDKs get; the mock takes any. */
const KEY = "sk-mock";

const BASE_URLS = ["OPENAI_BASE_URL", "OPENAI_API_BASE"];
const KEYS = ["OPENAI_API_KEY", "AI_GATEWAY_API_KEY"];

/**
 * The environment variables that point SDKs at a base URL.
 *
 * `@ai-sdk/gateway` and `@ai-sdk/openai-compatible` have none for it.
 */
function variables(baseUrl) {
  const urls = BASE_URLS.map((name) => [name, baseUrl]);
  return Object.fromEntries([...urls, ...KEYS.map((name) => [name, KEY])]);
}

module.exports = { variables };
