// Responses: events of items, and the final response that they tell of.

import { nothing } from "./reading.mjs";

const ENDINGS = new Set(["response.completed", "response.incomplete", "response.failed"]);
const ARGUMENTS = "response.function_call_arguments";
const CONTENT = {
  "response.output_text": "text",
  "response.refusal": "refusal",
  "response.reasoning": "reasoning",
  "response.reasoning_text": "reasoning",
  "response.reasoning_summary_text": "reasoning",
};

const isCall = (item) => item.type === "function_call" && item.status === "completed";
const call = (item) => ({ id: item.call_id, name: item.name, arguments: item.arguments });

/** `whole` if no delta was streamed before it, else nothing. Throws if the deltas differ from it. */
function rest(streamed, whole) {
  if (streamed && streamed !== whole) throw new Error(`'${streamed}' was told of '${whole}'`);
  return streamed ? "" : whole;
}

function end(reading, { status, incomplete_details, error }) {
  reading.ended = status;
  reading.reason = incomplete_details?.reason ?? null;
  if (error) reading.error = { name: "failed", message: error.message, code: error.code };
}

const asked = (ask) => ({ input: "Hello", ...ask });

/** Reads the events of one stream as a user of the SDK does; `reading` is the result. */
export class Reader {
  reading = nothing();
  #streamed = new Map();

  take(event) {
    if (this.reading.ended) throw new Error(`${event.type} after the end`);
    const stem = event.type.slice(0, event.type.lastIndexOf("."));
    if (stem in CONTENT) this.reading[CONTENT[stem]] += this.#news(stem, event);
    else if (stem === ARGUMENTS) this.#news(stem, event);
    else if (event.type === "response.output_item.done") this.#itemDone(event);
    else if (ENDINGS.has(event.type)) end(this.reading, event.response);
  }

  #news(stem, event) {
    const place = [stem, event.output_index, event.summary_index ?? event.content_index].join();
    const streamed = this.#streamed.get(place) ?? "";
    const whole = event.text ?? event.refusal ?? event.arguments;
    const news = event.delta ?? rest(streamed, whole);
    this.#streamed.set(place, streamed + news);
    return news;
  }

  #itemDone({ output_index, item }) {
    if (!isCall(item)) return;
    this.#news(ARGUMENTS, { output_index, arguments: item.arguments });
    this.reading.calls.push(call(item));
  }
}

/** The reading of a complete response, item by item. */
function readWhole(response) {
  const reading = nothing();
  for (const item of response.output) {
    const parts = [...(item.summary ?? []), ...(item.content ?? [])];
    if (isCall(item)) reading.calls.push(call(item));
    else if (item.type === "reasoning") reading.reasoning += parts.map((part) => part.text).join("");
    else reading.refusal += parts.map((part) => part.refusal ?? "").join("");
  }
  reading.text = response.output_text;
  end(reading, response);
  return reading;
}

/** Collects the snapshots of the stream helper; returns a function that returns their reading. */
function holding(stream) {
  const [texts, calls, asked] = [[], [], []];
  const hold = (event, text) => ((texts[event.output_index] ??= [])[event.content_index] = text);
  stream.on("response.output_text.delta", (event) => hold(event, event.snapshot));
  stream.on("response.output_text.done", (event) => hold(event, event.text));
  stream.on(`${ARGUMENTS}.delta`, (event) => (asked[event.output_index] = event.snapshot));
  stream.on("response.output_item.done", ({ item, output_index }) => {
    if (isCall(item)) calls.push(call({ ...item, arguments: asked[output_index] ?? item.arguments }));
  });
  return () => ({ ...nothing(), text: texts.flat().join(""), calls });
}

export const HOW = {
  async raw(client, ask, options, reader) {
    const stream = await client.responses.create({ ...asked(ask), stream: true }, options);
    for await (const event of stream) reader.take(event);
  },

  async helper(client, ask, options, reader) {
    const stream = client.responses.stream(asked(ask), options);
    const held = holding(stream);
    for await (const event of stream) reader.take(event);
    reader.reading.final = readWhole(await stream.finalResponse());
    reader.reading.held = held();
  },
};
