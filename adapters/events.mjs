/**
 * `fetch` that delivers each server-sent event in a read of its own, for a library whose result
 * depends on which events share a read. No byte is added, dropped or delayed.
 */
export async function fetchByEvent(...asked) {
  const response = await fetch(...asked);
  return new Response(response.body?.pipeThrough(new TransformStream({ transform })), response);
}

function transform(bytes, controller) {
  const events = Buffer.from(bytes).toString("latin1").split(/(?<=\n\n)/);
  for (const event of events) controller.enqueue(Buffer.from(event, "latin1"));
}
