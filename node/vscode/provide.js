/** Serves a language model provider of a VS Code extension as an adapter of drive/1. */

import { inspect } from "node:util";

import { serve } from "../lib/serve.js";
import { extensionOf } from "./extension.js";
import { answer, counter } from "./host.js";
import { stayOnLoopback } from "./loopback.cjs";
import { haveThinking } from "./parts.js";
import { placement } from "./settings.js";
import { redirectRequests } from "./upstreams.js";
import "./register.js";

const OPTIONS = [
  "name",
  "version",
  "implementation",
  "dialects",
  "extension",
  "provider",
  "vendor",
  "settings",
  "secrets",
  "upstreams",
  "model",
  "thinking",
];

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
