/**
 * An adapter that speaks drive/1: OpenResponses in, the parts of VS Code out.
 *
 * `play` and `convert` are where your own implementation goes; the rest is the protocol.
 */
import { createInterface } from "node:readline";

type Json = Record<string, any>;
type Message = Json & { type: string; id: string };
type Part =
  | { type: "text"; value: string }
  | { type: "toolCall"; callId: string; name: string; input: Json };

const ME = { name: "my-adapter", version: "0.1.0" };
const FINISH: Record<string, string> = {
  max_output_tokens: "length",
  content_filter: "content-filter",
};

/** The upstream failed: the kind of failure, its message, perhaps its code. */
class Failed extends Error {
  kind: string;
  code?: unknown;

  constructor(kind: string, message: string, code?: unknown) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** Ask the upstream and convert what it streams; how the response finished. */
async function play(run: Run): Promise<string | undefined> {
  const { base_url, api_key, model, messages, tools } = run.message;
  const response = await fetch(`${base_url}/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${api_key}` },
    body: JSON.stringify({ model, input: messages, tools: tools.map(asTool), stream: true }),
    signal: run.signal,
  }).catch(transport);
  if (!response.ok) throw new Failed("http", `HTTP ${response.status}: ${await response.text()}`);
  for await (const line of linesOf(response.body)) {
    if (run.signal.aborted) return undefined;
    const data = line.startsWith("data:") ? line.slice(5).trim() : "";
    const finish = data && data !== "[DONE]" ? convert(parsed(data), run) : undefined;
    if (finish) return finish;
  }
  throw new Failed("truncated", "the stream ended before the response did");
}

/** Emit what an event sets free; how the response finished, once it has. */
function convert(event: Json, run: Run): string | undefined {
  const { type, delta, item, response } = event;
  switch (type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      if (delta) run.emit({ type: "text", value: delta });
      break;
    case "response.output_item.done":
      if (item?.type === "function_call") call(item, run);
      break;
    case "response.completed":
      return run.calls.size ? "tool-calls" : "stop";
    case "response.incomplete":
      return FINISH[response.incomplete_details?.reason] ?? "other";
    case "response.failed":
    case "error": {
      const error = response?.error ?? event.error ?? event;
      throw new Failed("upstream", String(error.message ?? error), error.code);
    }
  }
  return undefined;
}

/** A call leaves once, whole; one that was cut off does not leave. */
function call({ call_id: callId, name, arguments: text, status }: Json, run: Run): void {
  if (status === "incomplete" || run.calls.has(callId)) return;
  run.calls.add(callId);
  const input = parsed(text.trim() || "{}");
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    throw new Failed("decode", `the arguments of ${name} are no object`);
  }
  run.emit({ type: "toolCall", callId, name, input });
}

const asTool = ({ name, input_schema }: Json) => ({
  type: "function",
  name,
  parameters: input_schema,
});

const transport = (error: any): never => {
  throw new Failed("transport", `${error.message}: ${error.cause?.message ?? ""}`);
};

function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failed("decode", String(error));
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    transport(error);
  }
}

class Run {
  readonly message: Message;
  readonly after?: number;
  readonly calls = new Set<string>();
  #n = 0;
  #cancel = new AbortController();

  constructor(message: Message) {
    this.message = message;
    this.after = message.cancel?.after_parts;
    if (this.after === 0) this.cancel();
  }

  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  cancel(): void {
    this.#cancel.abort();
  }

  emit(part: Part): void {
    if (this.signal.aborted) return;
    say({ type: "part", id: this.message.id, n: this.#n++, part });
    if (this.#n === this.after) this.cancel();
  }

  /** How the run ends; a failure is a result. What else is thrown is this program's own fault. */
  async ending(): Promise<Message> {
    const { id, dialect } = this.message;
    if (dialect !== "openresponses") {
      return { type: "unsupported", id, reason: `it does not speak ${dialect}` };
    }
    try {
      const finish = await play(this);
      if (!this.signal.aborted) return { type: "done", id, outcome: "completed", finish };
    } catch (error) {
      if (!this.signal.aborted) return told(id, error);
    }
    return { type: "done", id, outcome: "cancelled" };
  }
}

function told(id: string, { kind, message, code, stack }: any): Message {
  if (!kind) return { type: "error", id, message, traceback: stack };
  const error = { kind, message, ...(code ? { code: String(code) } : {}) };
  return { type: "done", id, outcome: "failed", error };
}

const say = (message: Json): boolean => process.stdout.write(`${JSON.stringify(message)}\n`);
const runs = new Map<string, Run>();
const verbs: Record<string, (message: Message) => unknown> = {
  hello: () => say({ type: "hello", protocol: 1, adapter: ME, implementation: ME }),
  run: async (message) => {
    const run = new Run(message);
    runs.set(message.id, run);
    say(await run.ending());
    runs.delete(message.id);
  },
  cancel: ({ id }) => {
    say({ type: "cancelling", id });
    runs.get(id)?.cancel();
  },
  bye: () => process.exit(0),
};
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  verbs[message.type]?.(message);
}
