/// <reference lib="esnext.disposable" />
import type { Failure, Message, Usage } from "./index.js" with { "resolution-mode": "import" };

/** The kind of parts that the code under test emits. */
export type Vocabulary = "vscode" | "stream" | "fullstream" | "copilot";

/** What the code under test does where correct adapters differ, as in adapter.yaml. */
export type Traits = Record<string, string | boolean>;

/** How verdicts are made, unless one says otherwise. */
export interface Judging {
  /** By default `vscode`. */
  vocabulary?: Vocabulary;
  traits?: Traits;
}

export interface MockOptions extends Judging {
  /** Folders of your own scenarios, beside the shipped ones. */
  scenarios?: string | readonly string[];
}

/** What a request has to say to get a case: all that is given. */
export interface When {
  /** A part of the last user message's text. */
  message?: string;
  /** The name of a tool that is offered. */
  tool?: string;
  /** The model's name, in which `*` is any text. */
  model?: string;
}

/** A scenario of your own: the value of its YAML file, or of its only turn. */
export interface Scenario {
  title?: string;
  dialects?: readonly string[];
  turns?: readonly object[];
  says?: readonly object[];
  sends?: readonly (string | object)[];
  status?: number;
  [key: string]: unknown;
}

/** The id of a case, such as `any/refusal@chat+cut:3`; the file of a scenario, or a scenario. */
export type Wanted = string | URL | (Scenario & { case?: never });

/** What a run plays, always or on a condition. */
export type Case = Wanted | { case: Wanted; when?: When };

export interface RunOptions {
  /** Variations that are added to each case, joined with `+`. */
  vary?: string;
  /** The run has the server's own base URL, and each request whose URL names no run; one may. */
  default?: boolean;
}

/** What the verdict needs to know beyond the parts. */
export interface Ending extends Judging {
  /** By default `failed` with an `error`, else `completed`; `hung` if the code never ended. */
  outcome?: "completed" | "failed" | "cancelled" | "hung";
  /** What the code threw or reported: an error, a text, or the fields of one. */
  error?: unknown;
  /** The finish reason that it reported. */
  finish?: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
  /** The tokens that it reported. */
  usage?: Usage;
  /** How many parts were out when the test cancelled it. */
  cancelled?: number;
  /** In a conversation, the turn of the parts, counted from 0. */
  turn?: number;
  /** The messages that the host gave to the code for that turn; with them its request is judged. */
  messages?: readonly Message[];
}

/** A broken rule at one place. */
export interface Finding {
  rule: string;
  level: "must" | "should";
  /** What was seen. */
  message: string;
  /** What would have been right. */
  right: string;
  /** The section that has the rule. */
  source: string;
  /** The number of the upstream's event, counted from 0. */
  event: number | null;
  /** The number of the emitted part, counted from 0. */
  part: number | null;
  turn: number;
  /** Findings that follow from this one. */
  explains: Finding[];
}

/** An event that was sent for a request. */
export interface SentEvent {
  n: number;
  type: string;
  data: unknown;
  /** Seconds since the request. */
  at: number;
}

/** A request that a run received, and how it was answered. */
export interface ReceivedRequest {
  method: string;
  path: string;
  /** By lower-case names; credentials are removed. */
  headers: Record<string, string>;
  /** The JSON value of the body. */
  body: any;
  /** The case and the turn that answered, and why. */
  case: string;
  turn: number | null;
  why: string;
  /** The number of the request for its turn, from 1. */
  attempt: number;
  status: number;
  /** The mistakes in the request. */
  problems: string[];
  events: SentEvent[];
  /** When the client left before the end of the answer, in seconds since the request. */
  left: number | null;
}

/** What the rules say about emitted parts. As a string it has the case, status and timeline. */
export interface Verdict {
  readonly case: string;
  readonly status: "passed" | "failed";
  readonly findings: readonly Finding[];
  /** What was sent and what was emitted, with each finding at its place. */
  readonly timeline: string;
  /** Whether no finding is of level `must`. */
  readonly passed: boolean;
  /** The rules that are broken, each once. */
  readonly rules: readonly string[];
  /** Throws an AssertionError with the timeline if a finding is of level `must`. */
  check(): void;
  toString(): string;
  /** What an async iterable of parts threw. */
  readonly error: unknown;
}

/** The parts in order. What an async iterable throws is the error with which the code ended. */
export type Parts = Iterable<unknown> | AsyncIterable<unknown>;

/** An open run: one or several cases at a base URL of their own. */
export interface Run {
  readonly id: string;
  /** What SDKs call the base URL; it ends in `/v1`. */
  readonly baseUrl: string;
  /** A model id that names the run, for a client whose base URL is that of the server. */
  readonly model: string;
  /** The verdicts so far. */
  readonly verdicts: readonly Verdict[];
  /** The requests so far, oldest first, at most 64. */
  requests(): Promise<ReceivedRequest[]>;
  /** The one request so far. Rejects with an AssertionError if there is none, or another one. */
  request(): Promise<ReceivedRequest>;
  verdict(parts: Parts, ending?: Ending): Promise<Verdict>;
  /** Rejects with an AssertionError, whose message is the timeline, if the verdict is `failed`. */
  check(parts: Parts, ending?: Ending): Promise<void>;
  /** Closes the run: its base URL answers 404 from now on. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock server. */
export interface Mock {
  readonly url: string;
  /** The base URL at which a request chooses its scenario, by its model id or a header. */
  readonly baseUrl: string;
  /** Opens a run. Of several cases, the first whose condition holds for a request answers it. */
  run(cases: Case | readonly Case[], options?: RunOptions): Promise<Run>;
  /** The environment variables that point SDKs at a run; without one, at `baseUrl`. */
  environ(run?: Run): Record<string, string>;
  /** Stops the server, if it was started here. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What goes wrong outside of the code under test. */
export interface Fault extends Error {
  /** Whose fault it is: "the command" and "the request" are the test's. */
  readonly culprit: string;
  /** What to do. */
  readonly hint: string;
}

export const Fault: {
  new (message: string, hint?: string, culprit?: string): Fault;
};

/**
 * Starts a mock server on loopback, at a free port. It ends with this process, or by `stop`.
 *
 * The server is the one at the environment variable STREAMPROOF_URL; or the container of the image
 * that STREAMPROOF_IMAGE names; or an installed `streamproof`; or that of `uvx`. Rejects with a
 * `Fault` if it cannot be started.
 */
export function mock(options?: MockOptions): Promise<Mock>;

/** A mock server that runs already. Rejects with a `Fault` if there is none at the URL. */
export function connect(url: string, judging?: Judging): Promise<Mock>;

export type { Failure, Message, Usage };
