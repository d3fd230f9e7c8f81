// An adapter that does what the options of its run say.

import { serve, Unsupported } from "streamproof";

const product = { name: "strings", version: "2" };

serve({ name: "puppet", version: "1", implementation: product }, async (run, emit) => {
  const { options, signal } = run;
  if (options.prints) process.stdout.write(options.prints);
  if (options.logs) console.log(options.logs);
  if (options.echoes) emit({ ...run, signal: signal.aborted });
  for (const part of options.emits ?? []) if (!options.heeds || !signal.aborted) emit(part);
  if (options.meets) await meet(options.meets);
  if (options.waits) await aborted(signal);
  if (options.late) setTimeout(() => options.late.forEach(emit), 0);
  if (options.throws) throw THROWS[options.throws](signal);
  return RETURNS[options.returns] ?? options.returns;
});

const circle = {};
circle.itself = circle;

const round = new Error("round");
round.cause = round;

const THROWS = {
  abort: () => new DOMException("gave up", "AbortError"),
  reason: (signal) => signal.reason,
  wrapped: (signal) => new Error("the request was lost", { cause: signal.reason }),
  "of a library": () => new (class RequestCancelledError extends Error {})("stopped"),
  "a circle": () => round,
  bug: () => new TypeError("choices is undefined"),
  text: () => "no error at all",
  unsupported: () => new Unsupported("no tools", { issueUrl: "https://example.org/issues/7" }),
};

const RETURNS = { "a bigint": { outcome: "completed", usage: { input: 1n } }, "a circle": circle };

let resolveMeeting;
let arrived = 0;
const meeting = new Promise((resolve) => (resolveMeeting = resolve));

function meet(many) {
  arrived += 1;
  if (arrived === many) resolveMeeting();
  return meeting;
}

function aborted(signal) {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
