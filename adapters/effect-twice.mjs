/** Asks a language model of Effect twice, for contradictions.py: the parts of both answers. */

import { twice } from "./twice.mjs";

const BLOCK = /^(text|reasoning|tool-params)-(start|delta|end)$/;

/** Asks with what a major version of Effect names: its modules, its `model`, a `tool` of its `own`. */
export const askParts = ({ model, tool, own, ...effect }) =>
  twice((run) => {
    const { Effect, LanguageModel, Stream } = effect;
    const asked = Effect.map(kit(run.tools, tool, own, effect), (toolkit) => {
      const prompt = run.messages.map(({ role, content }) => ({ role, content: words(role, content) }));
      return { prompt, toolkit, disableToolCallResolution: true };
    });
    const streamed = Effect.flatMap(asked, (it) => Stream.runCollect(LanguageModel.streamText(it)));
    const plain = Effect.flatMap(asked, (it) => LanguageModel.generateText(it));
    const ask = (answer) => Effect.runPromise(Effect.provide(answer, model(run)));
    return {
      stream: async () => whole([...(await ask(streamed))]),
      plain: async () => whole((await ask(plain)).content),
    };
  });

const words = (role, content) =>
  typeof content === "string" && role !== "system" ? [{ type: "text", text: content }] : content;

/** The toolkit of a run; its handlers are never called. */
function kit(tools, tool, own, { Effect, OpenAiTool, Toolkit }) {
  const made = tools.map(({ type = "function", name, description, options }) =>
    type === "function" ? tool(name, description) : OpenAiTool[camel(type)]?.(options),
  );
  const all = Toolkit.make(...made.filter(Boolean));
  const handled = Object.values(all.tools).filter(own);
  const handlers = handled.map((each) => [each.name, () => Effect.die("not resolved")]);
  return Effect.provide(all, all.toLayer(Object.fromEntries(handlers)));
}

const camel = (type) => `_${type}`.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/**
 * The parts by type; the pieces of a text or a reasoning are one part, as in a plain answer. Without
 * headers and times, and the ids of sources, which the library makes up.
 */
function whole(parts) {
  const read = {};
  const open = new Map();
  for (const { type, request, response, timestamp, ...part } of parts.map((each) => JSON.parse(JSON.stringify(each)))) {
    const [, kind, step] = BLOCK.exec(type) ?? [];
    if (kind === "tool-params") continue;
    if (step === "start") open.set(part.id, { text: "", metadata: part.metadata });
    else if (step === "delta") open.get(part.id).text += part.delta;
    else {
      const { text, metadata } = open.get(part.id) ?? {};
      const { id: _, ...rest } = part;
      if (type === "source") delete part.id;
      const made = step ? { ...rest, text, metadata: { ...metadata, ...part.metadata } } : part;
      (read[kind ?? type] ??= []).push(made);
    }
  }
  return read;
}
