/** Binds ai: emits what each message of `readUIMessageStream()` adds to the one before. */

import { createRequire } from "node:module";

import * as ai from "ai";

import { bind } from "../ui-message.mjs";

const { version } = createRequire(import.meta.url)("ai/package.json");

bind(version, ai);
