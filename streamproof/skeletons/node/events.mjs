/**
 * Sends a request, reads the server-sent events of its answer, and ends the run.
 *
 * Nothing here depends on the adapter, so it does not have to be read or changed.
 */

/** The upstream failed: the kind of failure, its message, perhaps its code. */
export class Failed extends Error {
  constructor(kind, message, code) {
    super(message);
    Object.assign(this, { kind, code });
  }
}

/** POSTs a body and yields the JSON of each event, until the run is cancelled. */
export async function* events({ baseUrl, apiKey, signal }, route, body) {
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

async function* lines(body) {
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) {
      const whole = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = whole.pop();
      yield* whole;
    }
  } catch (error) {
    broken(error);
  }
}

function broken(error) {
  throw new Failed("transport", `${error.message}: ${error.cause?.message ?? ""}`);
}

/** Plays a run and returns its ending: failures are endings, any other error is thrown again. */
export const played = (play) => async (run, emit) => {
  const ending = await play(run, emit).then(
    (finish) => ({ outcome: "completed", finish }),
    (error) => failure(error, run.signal),
  );
  return run.signal.aborted ? { outcome: "cancelled" } : ending;
};

function failure(error, { aborted }) {
  const kind = error instanceof SyntaxError ? "decode" : error.kind;
  if (!kind && !aborted) throw error;
  return { outcome: "failed", error: { kind, message: error.message, code: error.code } };
}
