/** Binds ai and @ai-sdk/gateway: emits the parts of `streamText().fullStream`. */

import { createRequire } from "node:module";

import { createGateway } from "@ai-sdk/gateway";
import * as ai from "ai";

import { bind } from "../full-stream.mjs";

const { version } = createRequire(import.meta.url)("ai/package.json");

bind(
  { name: "ai", version },
  ai,
  ({ baseUrl: baseURL, apiKey, model }) => createGateway({ baseURL, apiKey })(model),
  ["vercel-gateway"],
);
