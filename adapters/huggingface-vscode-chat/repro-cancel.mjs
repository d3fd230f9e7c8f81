/** Cancels after two parts, and prints what follows: `node repro.mjs BASE_URL FOLDER`. */

import Module, { createRequire } from "node:module";

const [base, folder] = process.argv.slice(2);
class Text { constructor(...values) { this.values = values; } }
const parts = { LanguageModelTextPart: Text, LanguageModelToolCallPart: class {} };
const vscode = { ...parts, LanguageModelChatMessageRole: { User: 1, Assistant: 2 } };
const [{ _load: load }, { fetch }] = [Module, globalThis];
const router = "https://router.huggingface.co/v1";
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
globalThis.fetch = (url, sent) => fetch(url.replace(router, base), sent);
const extension = createRequire(import.meta.url)(`${folder}/out/provider.js`);
const provider = new extension.HuggingFaceChatModelProvider({ get: () => "none" }, "repro");
const [told, message] = [[], { role: 1, content: [] }];
const token = { isCancellationRequested: false, onCancellationRequested: (f) => told.push(f) };
const cancel = () => ((token.isCancellationRequested = true), told.map((f) => f()).length);
let left = 2;
const report = (part) => {
  console.log(part.constructor.name, JSON.stringify(part.values));
  if (--left === 0) setTimeout(() => console.log("cancelled,", cancel(), "listened"), 100);
};
const asked = [{ id: "mock", maxOutputTokens: 64 }, [message], {}, { report }, token];
const answered = provider.provideLanguageModelChatResponse(...asked);
console.log(await answered.then(() => "resolved", (error) => `rejected ${error.message}`));
