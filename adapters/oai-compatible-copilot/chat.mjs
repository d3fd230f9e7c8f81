/** OAI Compatible for chat completions: chunks in, parts of the vocabulary `vscode` out. */

import { provide } from "./extension.mjs";

provide("chat", "openai");
