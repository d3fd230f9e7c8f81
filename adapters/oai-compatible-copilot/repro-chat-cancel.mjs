/** Cancels after two parts, and prints what follows: `node repro.mjs BASE_URL FOLDER`. */
import Module, { createRequire } from "node:module";

const [baseUrl, folder] = process.argv.slice(2);
const models = [{ id: "mock", owned_by: "mock", apiMode: "openai" }];
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
let [told, left, message] = [[], 2, { role: 1, content: [] }];
const token = { isCancellationRequested: false, onCancellationRequested: (f) => told.push(f) };
const cancel = () => ((token.isCancellationRequested = true), told.map((f) => f()).length);
const report = (part) => {
  console.log(part.constructor.name, JSON.stringify(part.values));
  if (--left === 0) setTimeout(() => console.log("cancelled,", cancel(), "listened"), 100);
};
const asked = [{ id: "mock" }, [message], {}, { report }, token];
const answered = provider.provideLanguageModelChatResponse(...asked);
console.log(await answered.then(() => "resolved", (error) => `rejected ${error.message}`));
