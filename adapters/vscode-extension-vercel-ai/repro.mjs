/** Prints what the built extension reports, without VS Code: `node repro.mjs BASE_URL FOLDER`. */

import { readFileSync } from "node:fs";
import { register } from "node:module";

const [[base, folder], { fetch }] = [process.argv.slice(2), globalThis];
globalThis.fetch = (url, sent) => fetch(url.replace(/^https:.*vercel.sh.v1.ai/, base), sent);
const data = (code) => `data:text/javascript,${encodeURIComponent(code)}`;
const vscode = data(`export class LanguageModelTextPart { constructor(...v) { this.values = v; } }
export class LanguageModelToolCallPart extends LanguageModelTextPart {} class Other {}
export { Other as EventEmitter, Other as LanguageModelToolResultPart, Other as window };
export const LanguageModelChatMessageRole = { User: 1 }, LanguageModelChatToolMode = { Auto: 1 };
const ready = () => ({ accessToken: "none" }); export const commands = { registerCommand: ready };
export const authentication = { registerAuthenticationProvider: ready, getSession: ready };
export const lm = { registerLanguageModelChatProvider: (_, it) => (globalThis.provider = it) };`);
const found = `name === "vscode" ? { url: "${vscode}", shortCircuit: true } : next(name, context)`;
register(data(`export const resolve = (name, context, next) => ${found};`));
(await import(`${folder}/out/extension.js`)).activate({ subscriptions: [] });
for (const { body } of JSON.parse(readFileSync("requests.json", "utf-8"))) {
  const tools = (body.tools ?? []).map(({ name, inputSchema }) => ({ name, inputSchema }));
  const report = (part) => console.log(part.constructor.name, JSON.stringify(part.values));
  const token = { onCancellationRequested: () => ({ dispose() {} }) };
  const [messages, how] = [[{ role: 1, content: [{ value: "Hi" }] }], { toolMode: 1, tools }];
  await provider.provideLanguageModelChatResponse({ id: "mock" }, messages, how, { report }, token);
}
