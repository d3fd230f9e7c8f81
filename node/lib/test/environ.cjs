"use strict";

/** The key that SDKs get; the mock takes any. */
const KEY = "sk-mock";

const BASE_URLS = ["OPENAI_BASE_URL", "OPENAI_API_BASE"];
const KEYS = ["OPENAI_API_KEY", "AI_GATEWAY_API_KEY"];
/** Some clients read the one, some the other, and some the second only without the first. */
const EXEMPT = ["no_proxy", "NO_PROXY"];

/** What exempts a host from proxies, beside the hosts that are exempt already. */
function exempting(host) {
  const named = EXEMPT.map((name) => process.env[name]).find(Boolean) ?? "";
  const hosts = named.split(",").map((each) => each.trim()).filter(Boolean);
  const value = hosts.includes("*") ? "*" : [...new Set([...hosts, host])].join(",");
  return Object.fromEntries(EXEMPT.map((name) => [name, value]));
}

/**
 * The environment variables that point SDKs at a base URL, past a proxy that the environment names.
 *
 * `@ai-sdk/gateway` and `@ai-sdk/openai-compatible` have none for it.
 */
function variables(baseUrl) {
  const urls = BASE_URLS.map((name) => [name, baseUrl]);
  const keys = KEYS.map((name) => [name, KEY]);
  // The brackets of an address of IPv6 belong to URLs.
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  return { ...Object.fromEntries([...urls, ...keys]), ...exempting(host) };
}

module.exports = { variables };
