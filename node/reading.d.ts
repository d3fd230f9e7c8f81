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

/** The neutral form of a run's parts and ending, which a compiled expectation judges. */
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

/** The ending of a run: what `run` returned, or the message of drive/1. */
export type Ending =
  | { type?: "done"; outcome: string; finish?: string; usage?: Usage; error?: Failure }
  | { type: "error"; message: string }
  | { type: "unsupported"; reason: string };

/** The reading of parts and an ending; values that are not parts are skipped. */
export function read(
  parts: readonly unknown[],
  done?: Ending | null,
  vocabulary?: "vscode" | "stream" | "fullstream" | "copilot",
  traits?: {
    choices?: "alternatives" | "merge";
    reasoning?: "thinking" | "text" | "prefixed" | "hidden";
  },
): Reading;
