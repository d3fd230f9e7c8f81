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
  for await (const line of lines(response.body)) {
    if (signal.aborted) return;
    const data = line.startsWith("data:") ? line.slice(5).trim() : "";
    if (data && data !== "[DONE]") yield JSON.parse(data);
  }
}

async function* lines(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) {
      const whole = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = whole.pop() ?? "";
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
