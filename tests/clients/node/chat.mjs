// Chat completions: chunks, all choices of which are one answer in order of arrival.

import { nothing } from "./reading.mjs";

// OpenAI's types have no reasoning; the field is the Copilot proxy's.
const CONTENT = { content: "text", reasoning_content: "reasoning", refusal: "refusal" };
const ENDINGS = {
  stop: "completed",
  tool_calls: "completed",
  length: "incomplete",
  content_filter: "incomplete",
};

const asked = (ask) => ({ messages: [{ role: "user", content: "Hello" }], ...ask });

const call = ({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text });

/** Sets the ending of a reading, from the finish reason of the first choice. */
function end(reading, reason) {
  reading.ended = ENDINGS[reason] ?? null;
  reading.reason = reason;
}

function say(reading, content) {
  for (const [name, kind] of Object.entries(CONTENT)) reading[kind] += content[name] ?? "";
}

/** Reads the chunks of one stream as a user of the SDK does; `reading` is the result. */
export class Reader {
  reading = nothing();
  #calls = new Map();
  #over = new Set();

  take({ choices, usage }) {
    if (this.reading.usage) throw new Error("a chunk after the usage");
    this.reading.usage = usage ?? null;
    for (const choice of choices) this.#choice(choice);
  }

  #choice({ index, delta, finish_reason: reason }) {
    if (this.#over.has(index)) throw new Error("a delta after the finish");
    say(this.reading, delta);
    for (const fragment of delta.tool_calls ?? []) this.#fragment(index, fragment);
    if (!reason) return;
    this.#over.add(index);
    if (index === 0) end(this.reading, reason);
  }

  #fragment(choice, { index, ...fragment }) {
    const place = [choice, index].join();
    const known = this.#calls.get(place);
    if (known) {
      known.arguments += fragment.function?.arguments ?? "";
    } else {
      this.#calls.set(place, call(fragment));
      this.reading.calls.push(this.#calls.get(place));
    }
  }
}

/** The reading of a complete completion: its first choice. */
function readWhole({ choices, usage }) {
  const { message, finish_reason: reason } = choices[0];
  const reading = { ...nothing(), usage: usage ?? null };
  say(reading, message);
  reading.calls = (message.tool_calls ?? []).map(call);
  end(reading, reason);
  return reading;
}

/** Collects the snapshots of the stream helper; returns a function that returns their reading. */
function holding(stream) {
  const held = nothing();
  stream.on("content.delta", ({ snapshot }) => (held.text = snapshot));
  stream.on("refusal.delta", ({ snapshot }) => (held.refusal = snapshot));
  stream.on("tool_calls.function.arguments.done", ({ name, arguments: text }) => {
    held.calls.push({ id: "", name, arguments: text });
  });
  return () => held;
}

export const HOW = {
  async raw(client, ask, options, reader) {
    const stream = await client.chat.completions.create({ ...asked(ask), stream: true }, options);
    for await (const chunk of stream) reader.take(chunk);
  },

  async helper(client, ask, options, reader) {
    const stream = client.chat.completions.stream(asked(ask), options);
    const held = holding(stream);
    for await (const chunk of stream) reader.take(chunk);
    reader.reading.held = held();
    reader.reading.final = readWhole(await stream.finalChatCompletion());
  },

  async whole(client, ask, options, reader) {
    reader.reading = readWhole(await client.chat.completions.create(asked(ask), options));
  },
};
