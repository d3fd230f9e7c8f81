/** Prints what the built extension reports, without VS Code: `node repro.mjs BASE_URL FOLDER`. */

import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";

const [baseUrl, folder] = process.argv.slice(2);
const models = [{ id: "mock", owned_by: "mock", apiMode: "openai-responses" }];
const settings = { "oaicopilot.baseUrl": baseUrl, "oaicopilot.models": models };
class Text { constructor(...values) { this.values = values; } }
const part = (name) => [`LanguageModel${name}Part`, { [name]: class extends Text {} }[name]];
const parts = ["Text", "Thinking", "ToolCall", "Data"].map(part);
const workspace = { getConfiguration: () => ({ get: (name, usual) => settings[name] ?? usual }) };
const others = { extensions: { getExtension() {} }, LanguageModelChatMessageRole: { User: 1 } };
const [load, vscode] = [Module._load, { ...Object.fromEntries(parts), workspace, ...others }];
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = createRequire(import.meta.url)(`${folder}/out/provider.js`);
const provider = new extension.HuggingFaceChatModelProvider({ get: () => "none" }, { show() {} });
for (let { cancel_after: left } of JSON.parse(readFileSync("requests.json", "utf-8"))) {
  const [message, token] = [{ role: 1, content: [] }, { isCancellationRequested: false }];
  const print = (part) => console.log(part.constructor.name, JSON.stringify(part.values));
  const report = (part) => (print(part), (token.isCancellationRequested ||= --left === 0));
  const asked = [{ id: "mock" }, [message], {}, { report }, token];
  const answered = provider.provideLanguageModelChatResponse(...asked);
  console.log(await answered.then(() => "resolved", (error) => `rejected ${error.message}`));
}
