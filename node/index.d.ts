/** A message of the conversation, as drive/1 has it. */
export type Message =
  | { role: "system" | "user"; content: string }
  /** The parts as the adapter emitted them. */
  | { role: "assistant"; content: Part[] }
  /**
   * `callId` is the id that the adapter emitted. `output` is the result of a tool that is no function,
   * as the output item of OpenAI's Responses API without its call_id; `content` is the same as text.
   */
  | { role: "tool"; callId: string; content: string; output?: { type: string; [name: string]: unknown } }
  /** The answer to an approval request, only for adapters that claim `approvals`. */
  | { role: "approval"; approvalId: string; approve: boolean; reason?: string };

/** A part of the adapter's vocabulary, as JSON. */
export type Part = Record<string, unknown>;

/** A tool that the model may use; leave out tools of types that you do not support. */
export interface Tool {
  /** `function` by default; `custom`, or a type that the upstream runs, such as `web_search`. */
  type?: string;
  name: string;
  description?: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** For a tool that the upstream runs: its fields in a request of the Responses API. */
  options?: Record<string, unknown>;
}

/** The fields that runs and counts have in common. */
interface Asked {
  id: string;
  dialect: string;
  /** The base URL as an SDK takes it; use it unchanged. */
  baseUrl: string;
  apiKey: string;
  model: string;
  messages: Message[];
  tools: Tool[];
  /** A folder that outlives the process, for adapters that claim `count`. */
  storage?: string;
  /** Milliseconds after which the kit gives it up; the kit watches the time. */
  deadlineMs: number;
}

/** One run: send the conversation to the base URL, and emit the parts of the answer. */
export interface Run extends Asked {
  /** Options of the request, such as a temperature; any name is possible. */
  options: { max_retries?: number; [name: string]: unknown };
  /** Aborted when the run is cancelled, which may be before it begins. */
  signal: AbortSignal;
}

export interface Usage {
  input?: number;
  output?: number;
}

export interface Failure {
  kind?: "http" | "transport" | "truncated" | "timeout" | "decode" | "upstream" | "binding" | "unknown";
  message: string;
  /** The upstream's error code. */
  code?: string;
  /** The class of an error that a host caught and does not know, such as AbortError in VS Code. */
  thrown?: string;
}

interface Facts {
  finish?: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
  usage?: Usage;
}

/** The ending of a run; a failure of the upstream is an ending too. */
export type Done =
  | (Facts & { outcome: "completed" | "cancelled"; error?: Failure })
  | (Facts & { outcome: "failed"; error: Failure });

/** A name and a version. */
export interface Product {
  name: string;
  version?: string;
}

export interface Identity extends Product {
  /** The implementation under test; by default the adapter itself. */
  implementation?: string | Product;
  /** If given, runs in other dialects are answered as unsupported. */
  dialects?: string[];
}

/** Thrown by a run that the adapter cannot play. */
export class Unsupported extends Error {
  constructor(reason: string, options?: { issueUrl?: string });
  readonly issueUrl?: string;
}

/**
 * Plays one run and returns its ending; undefined is `completed`, or `cancelled` if the signal is
 * aborted. A thrown AbortError is `cancelled` if the signal is aborted, `Unsupported` is
 * `unsupported`, and any other error is an error of the adapter itself.
 */
export type Play = (run: Run, emit: (part: object) => void) => Promise<Done | void> | Done | void;

/** One count: a conversation whose tokens are to be counted. */
export type Count = Asked;

/** The result of a count; at least one of `counts` and `total`. */
export interface Counted {
  /** The tokens of each message. */
  counts?: number[];
  /** The tokens of the whole conversation; by default the sum of `counts`. */
  total?: number;
  /** The model's limits in tokens. */
  limits?: { input?: number; output?: number };
}

/** Counts the tokens of a conversation; an array is its `counts`. */
export type Counter = (count: Count) => Promise<Counted | number[]> | Counted | number[];

/**
 * Speaks drive/1 on stdin and stdout until the kit sends bye. It reserves stdout for the protocol:
 * everything else that is written there, also by `console.log`, goes to stderr.
 */
export function serve(identity: Identity, run: Play, count?: Counter): void;
