/** Binds ai: emits what each message of `readUIMessageStream()` adds to the one before. */

import * as ai from "ai";

import { bind } from "../ui-message.mjs";

bind(import.meta.url, ai);
