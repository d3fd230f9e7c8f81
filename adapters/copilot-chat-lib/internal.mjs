/** Loads compiled files of @vscode/chat-lib that its package does not export. */

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const platform = (path) => require(`@vscode/chat-lib/dist/src/_internal/platform/${path}`);

export const { version } = require("@vscode/chat-lib/package.json");
export const { Raw } = require("@vscode/prompt-tsx");
export const { SSEProcessor } = platform("networking/node/stream.js");
export const { rawMessageToCAPI } = platform("networking/common/openai.js");
export const { Response } = platform("networking/common/fetcherService.js");
