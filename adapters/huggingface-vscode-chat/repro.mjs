/** Prints what the built extension reports, without VS Code: `node repro.mjs BASE_URL FOLDER`. */

import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";

const [base, folder] = process.argv.slice(2);
class Text { constructor(...values) { this.values = values; } }
class ToolCall extends Text {}
const parts = { LanguageModelTextPart: Text, LanguageModelToolCallPart: ToolCall };
const vscode = { ...parts, LanguageModelChatMessageRole: { User: 1, Assistant: 2 } };
const [{ _load: load }, { fetch }] = [Module, globalThis];
const router = "https://router.huggingface.co/v1";
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
globalThis.fetch = (url, sent) => fetch(url.replace(router, base), sent);
const extension = createRequire(import.meta.url)(`${folder}/out/provider.js`);
const provider = new extension.HuggingFaceChatModelProvider({ get: () => "none" }, "repro");
const file = new URL("requests.json", import.meta.url);
for (let { cancel_after: left } of JSON.parse(readFileSync(file, "utf-8"))) {
  const [message, token] = [{ role: 1, content: [] }, { isCancellationRequested: false }];
  const print = (part) => console.log(part.constructor.name, JSON.stringify(part.values));
  const report = (part) => (print(part), (token.isCancellationRequested ||= --left === 0));
  const asked = [{ id: "mock", maxOutputTokens: 64 }, [message], {}, { report }, token];
  const answered = provider.provideLanguageModelChatResponse(...asked);
  console.log(await answered.then(() => "resolved", (error) => `rejected ${error.message}`));
}
