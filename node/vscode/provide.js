/** Serves a language model provider of a VS Code extension as an adapter of drive/1. */

import { inspect } from "node:util";

import { serve } from "../lib/serve.js";
import { extensionOf } from "./extension.js";
import { answer, counter } from "./host.js";
import { stayOnLoopback } from "./loopback.cjs";
import { haveThinking } from "./parts.js";
import { redirectRequests } from "./upstreams.js";
import "./register.js";

const OPTIONS = [
  ...["name", "version", "implementation", "dialects", "extension", "provider", "vendor"],
  ...["settings", "secrets", "upstreams", "model", "thinking"],
];
const FIELDS = ["baseUrl", "apiKey", "model", "dialect"];

/** Serves the provider that the options name. Throws TypeError if an option is invalid. */
export function provideInVscode(options) {
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown)
    throw new TypeError(`provideInVscode: ${inspect(unknown)} is none of ${OPTIONS.join(", ")}`);
  const extension = extensionOf(options);
  haveThinking(options.thinking ?? true);
  stayOnLoopback();
  redirectRequests();
  const given = [extension, placement(options, extension), options.model];
  serve(identity(options, extension.manifest), answer(...given), counter(...given));
}

function identity({ name, version, implementation, dialects }, manifest) {
  const { publisher = "undefined_publisher", name: extension, version: released } = manifest;
  const itself = extension && { name: `${publisher}.${extension}`, version: released };
  return {
    name: name ?? (extension && `vscode-${extension}`),
    version: version ?? released,
    implementation: implementation ?? itself ?? undefined,
    dialects,
  };
}

/**
 * A function that returns the settings, the secrets and the upstreams for a run. Throws TypeError
 * if the manifest does not have a setting, if an upstream is not a URL, or if a value is not a field
 * of a run.
 */
function placement({ settings = {}, secrets = {}, upstreams = {} }, extension) {
  for (const name of Object.keys(settings)) known(name, extension.defaults, extension.manifest);
  for (const url of Object.keys(upstreams)) absolute(url);
  for (const places of [settings, secrets, upstreams])
    for (const [name, from] of Object.entries(places)) sourced(name, from);
  const filled = (places, run) =>
    Object.fromEntries(Object.entries(places).map(([name, from]) => [name, value(from, run)]));
  return (run) => ({
    settings: filled(settings, run),
    secrets: filled(secrets, run),
    upstreams: filled(upstreams, run),
  });
}

function value(from, run) {
  return typeof from === "function" ? from(run) : run[from];
}

function known(name, defaults, { contributes }) {
  if (!contributes?.configuration || Object.hasOwn(defaults, name)) return;
  const names = Object.keys(defaults).join(", ") || "none";
  throw new TypeError(
    `provideInVscode: the manifest has no setting ${inspect(name)}; it has ${names}`,
  );
}

function absolute(url) {
  if (URL.canParse(url) && /^https?:/.test(url)) return;
  throw new TypeError(`provideInVscode: upstreams: ${inspect(url)} is not a URL`);
}

function sourced(name, from) {
  if (typeof from === "function" || FIELDS.includes(from)) return;
  const fields = FIELDS.join(", ");
  throw new TypeError(
    `provideInVscode: ${inspect(name)} gets ${inspect(from)}: ` +
      `name one of ${fields}, or a function of the run`,
  );
}
