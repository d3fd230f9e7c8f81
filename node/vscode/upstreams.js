/**
 * Redirects requests to a fixed URL to the mock: those of `fetch`, and of `request` and `get` of the
 * modules http and https. The session of the run that sends a request has the URLs.
 */

import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";

import { session } from "./session.js";

/** Redirects requests from now on; to be called once. */
export function redirectRequests() {
  redirectFetch();
  for (const module of [http, https]) {
    const { request } = module;
    const protocol = module === https ? "https:" : "http:";
    module.request = (...values) => redirected(values, protocol) ?? request(...values);
    module.get = (...values) => {
      const asked = module.request(...values);
      asked.end();
      return asked;
    };
  }
  syncBuiltinESMExports();
}

function redirectFetch() {
  const { fetch } = globalThis;
  globalThis.fetch = (resource, init) => {
    const url = redirectedUrl(resource instanceof Request ? resource.url : String(resource));
    if (!url) return fetch(resource, init);
    return fetch(resource instanceof Request ? new Request(url, resource) : url, init);
  };
}

/** The request to the mock; undefined if its URL is not redirected. */
function redirected([first, ...rest], protocol) {
  const isUrl = typeof first === "string" || first instanceof URL;
  const options = (isUrl ? rest.find((each) => typeof each === "object") : first) ?? {};
  const url = redirectedUrl(isUrl ? String(first) : urlOf({ protocol, ...options }));
  if (!url) return undefined;
  const { headers, method, signal, timeout } = options;
  const callback = rest.find((each) => typeof each === "function");
  const kept = Object.entries({ headers: hostless(headers), method, signal, timeout });
  return plain(url, Object.fromEntries(kept.filter(([, value]) => value !== undefined)), callback);
}

const plain = http.request;

function urlOf({ protocol, host, hostname = host, port, path = "/" }) {
  const at = String(hostname).replace(/:\d+$/, "");
  return `${protocol}//${at}${port ? `:${port}` : ""}${path}`;
}

/** The headers without the name of the host that was asked. */
function hostless(headers = {}) {
  if (Array.isArray(headers)) return headers;
  const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "host");
  return Object.fromEntries(kept);
}

/** The URL at the mock, if the session redirects this one; the longest prefix decides. */
function redirectedUrl(asked) {
  if (!URL.canParse(asked)) return undefined;
  const url = new URL(asked).href;
  const found = Object.entries(session().upstreams)
    .filter(([from]) => begins(url, from))
    .sort(([one], [other]) => other.length - one.length)[0];
  return found && `${found[1].replace(/\/$/, "")}${url.slice(found[0].replace(/\/$/, "").length)}`;
}

/** Whether the URL is the prefix or continues it with a path or a query. */
function begins(url, from) {
  const prefix = from.replace(/\/$/, "");
  return url.startsWith(prefix) && ["", "/", "?"].includes(url.charAt(prefix.length));
}
