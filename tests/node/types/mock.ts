import { connect, Fault, mock, type Case, type Verdict } from "streamproof/test";

const cases: Case[] = [{ case: "any/status-500-html", when: { message: "bomb" } }, "any/refusal"];

export async function judged(parts: AsyncIterable<{ type: string }>): Promise<Verdict> {
  await using server = await mock({ scenarios: "mine", traits: { refusal: "text" } });
  await using run = await server.run(cases, { vary: "crlf" });
  await run.check(parts, { vocabulary: "fullstream", error: new Error("no"), usage: { input: 1 } });
  await server.run({ says: [{ text: "Hi" }] }, { default: true });
  await server.run([{ case: new URL("mine.yaml", import.meta.url), when: { tool: "x" } }]);
  const request = await run.request();
  if (!request.body.stream) throw new Fault("it did not stream", "set stream", "the adapter");
  Object.assign(globalThis, server.environ(run), (await connect(server.url)).environ());
  return run.verdict([], { turn: 1, messages: [{ role: "user", content: "Hello" }] });
}
