/**
 * Sends a request, reads the server-sent events of its answer, and ends the run.
 *
 * Nothing here depends on the adapter, so it does not have to be read or changed.
 */
import type { Done, Failure, Play, Run } from "#streamproof";

export type Json = Record<string, any>;

/** The upstream failed: the kind of failure, its message, perhaps its code. */
export class Failed extends Error {
  readonly kind: Failure["kind"];
  readonly code?: string;

  constructor(kind: Failure["kind"], message: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** POSTs a body and yields the JSON of each event, until the run is cancelled. */
export async function* events(
  { baseUrl, apiKey, signal }: Run,
  route: string,
  body: Json,
): AsyncGenerator<Json> {
  const response = await fetch(`${baseUrl}${route}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  }).catch(broken);
  if (!response.ok) throw new Failed("http", `HTTP ${response.status}: ${await response.text()}`);
  for await (const data of eventData(lines(response.body))) {
    if (signal.aborted) return;
    if (!["", "[DONE]"].includes(data.trim())) yield JSON.parse(data);
  }
}

/** The data of each server-sent event (WHATWG HTML § 9.2.6), as soon as a blank line ends it. */
async function* eventData(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of lines) {
    if (line === "data" || line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    if (line !== "" || data.length === 0) continue;
    yield data.join("\n");
    data = [];
  }
}

/** The lines of a stream; LF, CR or CRLF ends a line. The decoder drops a BOM at the start. */
async function* lines(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  let [rest, last] = ["", ""];
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) {
      const text = decoder.decode(bytes, { stream: true });
      const more = last === "\r" ? text.replace(/^\n/, "") : text; // the LF of a CRLF cut in two
      const whole = (rest + more).split(/\r\n|\r|\n/);
      rest = whole.pop() ?? "";
      last = text.at(-1) ?? last;
      yield* whole;
    }
  } catch (error) {
    broken(error);
  }
}

function broken(error: any): never {
  throw new Failed("transport", `${error.message}: ${error.cause?.message ?? ""}`);
}

/** Plays a run and returns its ending: failures are endings, any other error is thrown again. */
export function played(
  play: (run: Run, emit: (part: any) => void) => Promise<Done["finish"]>,
): Play {
  return async (run, emit) => {
    const ending = await play(run, emit).then(
      (finish): Done => ({ outcome: "completed", finish }),
      (error): Done => failure(error, run.signal),
    );
    return run.signal.aborted ? { outcome: "cancelled" } : ending;
  };
}

function failure(error: any, { aborted }: AbortSignal): Done {
  const kind = error instanceof SyntaxError ? "decode" : error.kind;
  if (!kind && !aborted) throw error;
  return { outcome: "failed", error: { kind, message: error.message, code: error.code } };
}
