import type { Failure, Usage } from "./index.js";

export interface ReadCall {
  id: string;
  name: string;
  input: unknown;
  /** The code points of answer text emitted before it. */
  after: number;
}

export interface ReadCitation {
  url?: string;
  title?: string;
  file_id?: string;
  filename?: string;
  container_id?: string;
}

/** What a compiled expectation judges. */
export interface Reading {
  text: string;
  thinking: string;
  calls: ReadCall[];
  data: { mimeType: string; data: string }[];
  citations: ReadCitation[];
  refusal: string;
  outcome: "completed" | "failed" | "cancelled" | "error" | "unsupported" | null;
  finish: string | null;
  usage: Usage | null;
  error: Required<Failure> | null;
}

/** How a run ended: what `run` returned, or the line of drive/1. */
export type Ending =
  | { type?: "done"; outcome: string; finish?: string; usage?: Usage; error?: Failure }
  | { type: "error"; message: string }
  | { type: "unsupported"; reason: string };

/** What parts and an ending amount to; parts that are none are passed over. */
export function read(
  parts: readonly unknown[],
  done?: Ending | null,
  vocabulary?: "vscode" | "stream" | "copilot",
  traits?: { choices?: "alternatives" | "merge" },
): Reading;
