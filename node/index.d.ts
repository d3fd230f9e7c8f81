/** A message of the conversation, as drive/1 has it. */
export type Message =
  | { role: "system" | "user"; content: string }
  /** The parts, as the adapter emitted them. */
  | { role: "assistant"; content: Part[] }
  /** `callId` is the id that the adapter emitted. */
  | { role: "tool"; callId: string; content: string };

/** A part of the adapter's vocabulary, as JSON. */
export type Part = Record<string, unknown>;

/** What the model may use; leave out one whose type you do not know. */
export interface Tool {
  /** A function where it is left out; `custom`, or one of the upstream's own, as `web_search`. */
  type?: string;
  name: string;
  description?: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** What a request has to say of one of the upstream's own, as the Responses API spells it. */
  options?: Record<string, unknown>;
}

/** What of a run and of a count is alike. */
interface Asked {
  id: string;
  dialect: string;
  /** As an SDK takes it, to the letter. */
  baseUrl: string;
  apiKey: string;
  model: string;
  messages: Message[];
  tools: Tool[];
  /** A folder that outlives the process, for adapters that claim `count`. */
  storage?: string;
  /** Milliseconds after which the kit gives it up; the kit owns the clock. */
  deadlineMs: number;
}

/** One run: send this conversation to that base URL, and emit what comes out. */
export interface Run extends Asked {
  /** What goes upstream beside the conversation; an open list. */
  options: { max_retries?: number; [name: string]: unknown };
  /** Aborted when the run is cancelled; before the run begins, if it says so. */
  signal: AbortSignal;
}

export interface Usage {
  input?: number;
  output?: number;
}

export interface Failure {
  kind?: "http" | "transport" | "truncated" | "timeout" | "decode" | "upstream" | "unknown";
  message: string;
  /** The upstream's own. */
  code?: string;
}

interface Facts {
  finish?: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
  usage?: Usage;
}

/** How a run ended; a failure is a result too. */
export type Done =
  | (Facts & { outcome: "completed" | "cancelled"; error?: Failure })
  | (Facts & { outcome: "failed"; error: Failure });

/** A name and a version. */
export interface Product {
  name: string;
  version?: string;
}

export interface Identity extends Product {
  /** What is driven, a name or a name and a version; the adapter itself unless told. */
  implementation?: string | Product;
  /** Where they are named, runs in other dialects are answered as unsupported. */
  dialects?: string[];
}

/** Thrown by a run that the adapter cannot play. */
export class Unsupported extends Error {
  constructor(reason: string, options?: { issueUrl?: string });
  readonly issueUrl?: string;
}

/**
 * Plays one run. What it returns is the ending: nothing at all is `completed`, or `cancelled` where
 * the signal is aborted. An AbortError that it throws once the signal is aborted is `cancelled`,
 * `Unsupported` is what it says, and every other error is the adapter's own fault.
 */
export type Play = (run: Run, emit: (part: object) => void) => Promise<Done | void> | Done | void;

/** One count: how many tokens is this conversation? */
export type Count = Asked;

/** What an adapter counts; at least one of `counts` and `total`. */
export interface Counted {
  /** The tokens of each message. */
  counts?: number[];
  /** Those of all of it; left out, it is the sum of the counts. */
  total?: number;
  /** The model's own figures. */
  limits?: { input?: number; output?: number };
}

/** Counts the tokens of a conversation; an array is its `counts`. */
export type Counter = (count: Count) => Promise<Counted | number[]> | Counted | number[];

/**
 * Speaks drive/1 on stdin and stdout until the kit says goodbye. From now on stdout belongs to the
 * protocol: what else is written to it, by `console.log` too, goes to stderr.
 */
export function serve(identity: Identity, run: Play, count?: Counter): void;
