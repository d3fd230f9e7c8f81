/**
 * `fetch` with each event of a stream in a read of its own, for a library whose answer depends on
 * which events share one. Only the reads change: no byte is added, dropped or held back.
 */
export async function fetchByEvent(...asked) {
  const response = await fetch(...asked);
  return new Response(response.body?.pipeThrough(new TransformStream({ transform })), response);
}

function transform(bytes, controller) {
  const events = Buffer.from(bytes).toString("latin1").split(/(?<=\n\n)/);
  for (const event of events) controller.enqueue(Buffer.from(event, "latin1"));
}
