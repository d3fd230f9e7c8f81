/**
 * Reads the events of the Responses API as the types and guides of OpenAI describe them.
 *
 * Text, refusals and reasoning come from their deltas, after the text with which their part was added;
 * a later event that has the complete text adds what is missing at its end. A call is made when its
 * arguments or its item are done, and the final response adds what came in no event before. Of hosted
 * tools, those parts come that the host has to act on: calls for its own tools, and approvals of remote
 * calls with what became of them. Such a part has its item, which goes back upstream.
 */

import { Contradiction, failed } from "./failures.mjs";

const SHOWN = ["output_text", "refusal"];
const FINISH = { max_output_tokens: "length", content_filter: "content-filter" };

/** The items that are calls of tools that the host runs, with the fields that say what to do. */
const HOSTED = {
  apply_patch_call: ["operation"],
  computer_call: ["action", "actions", "pending_safety_checks"],
  custom_tool_call: ["input"],
  local_shell_call: ["action"],
  shell_call: ["action"],
};

/** What a call says that the end of the response cut off. */
const CUT_OFF = ["incomplete", "in_progress"];

/** Emits what the events add, each text, call and citation once. */
export class Reader {
  said = new Map();
  begun = new Map();
  reasoning = new Map();
  added = new Map();
  pieces = new Map();
  calls = new Map();
  hostCalls = new Set();
  cited = new Set();
  finished = new Set();

  constructor(emit) {
    this.emit = emit;
  }

  read(event) {
    READ[event.type]?.(this, event, event.output_index ?? event.item?.id ?? event.item_id);
  }

  /** The texts so far, one for each content part that has some. */
  get texts() {
    return [...this.said].filter(([key]) => key.startsWith("text-delta")).map(([, text]) => text);
  }

  /** Emits a delta of the content part at a place. */
  grow(type, place, delta) {
    if (!delta) return;
    this.said.set(type + place, (this.said.get(type + place) ?? "") + delta);
    this.emit({ type, id: place, delta });
  }

  /** Emits a delta, unless it repeats the text with which its part was added. */
  delta(place, delta) {
    const begun = this.begun.get(place);
    const repeats = begun && begun.startsWith(delta);
    this.begun.set(place, repeats ? begun.slice(delta.length) : "");
    if (!repeats) this.grow("text-delta", place, delta);
  }

  /** Emits what a complete text has after the deltas of its place. */
  complete(type, place, text) {
    const said = this.said.get(type + place) ?? "";
    if (text?.startsWith(said)) this.grow(type, place, text.slice(said.length));
  }

  /** Emits reasoning; some servers send the same reasoning as a summary as well. */
  think(kind, index, n, text, step) {
    if (!this.reasoning.has(index) && text) this.reasoning.set(index, kind);
    if (this.reasoning.get(index) === kind) this[step]("reasoning-delta", `${index}/${n}`, text);
  }

  /**
   * Emits what an item has and its events did not; its text only before it was finished, and unless it
   * is one of those that came elsewhere.
   */
  item(index, item, elsewhere = []) {
    if (item?.type === "function_call" && item.status !== "incomplete") {
      this.call(index, item, item.arguments);
    }
    if (item?.type === "message") {
      const isFinished = this.finished.has(item.id);
      item.content?.forEach((part, n) => {
        const isRepeated = isFinished || elsewhere.includes(part?.text ?? part?.refusal);
        this.content(`${index}/${n}`, part, isRepeated);
      });
    }
    if (!this.finished.has(item?.id)) this.hosted(item ?? {});
    if (item?.type === "reasoning") {
      item.content?.forEach(({ text }, n) => this.think("content", index, n, text, "complete"));
      item.summary?.forEach(({ text }, n) => this.think("summary", index, n, text, "complete"));
    }
  }

  content(place, part, isRepeated) {
    if (!SHOWN.includes(part?.type)) return;
    if (!isRepeated) this.complete("text-delta", place, part.text ?? part.refusal);
    for (const annotation of part.annotations ?? []) this.source(annotation);
  }

  /** Emits a call once. Throws a Contradiction at another call with its id that has arguments. */
  call(index, { call_id: toolCallId, name: toolName }, complete) {
    const input = complete || (this.pieces.get(index) ?? "");
    const call = made({ call_id: toolCallId, name: toolName, arguments: input });
    const before = this.calls.get(toolCallId);
    if (before !== undefined && !input) return;
    if (before !== undefined && before !== call) {
      throw new Contradiction(`two calls have the id ${toolCallId}`);
    }
    this.calls.set(toolCallId, call);
    if (before === undefined) this.emit({ type: "tool-call", toolCallId, toolName, input });
  }

  /** Whether a final item is the call that was made of the one added at its place, under another id. */
  isMade(added, item) {
    if (item?.type !== "function_call" || this.calls.has(item.call_id)) return false;
    return this.calls.get(added?.call_id) === made({ ...item, call_id: added?.call_id });
  }

  /** Emits what the host has to know of a hosted tool's item, once. */
  hosted(item) {
    const { type, id, name: toolName, approval_request_id: approved } = item;
    const dynamic = true;
    if (type === "mcp_approval_request") {
      const call = { toolCallId: id, toolName, input: item.arguments, providerExecuted: true, dynamic };
      this.emit({ type: "tool-call", ...call });
      this.emit({ type: "tool-approval-request", approvalId: id, toolCallId: id, item });
    } else if (type === "mcp_call" && approved) {
      const { output, error } = item;
      this.emit({ type: "tool-result", toolCallId: approved, toolName, result: { output, error }, dynamic });
    } else if (HOSTED[type] && !CUT_OFF.includes(item.status) && !this.hostCalls.has(item.call_id)) {
      // The upstream itself runs what is for its own container; nobody can answer a call without id.
      if (item.environment?.type !== "container_reference" && item.call_id) this.forHost(item);
    }
  }

  /** Emits the call of a tool that the host runs and that is no function. */
  forHost(item) {
    const { type, call_id: toolCallId } = item;
    const isText = type === "custom_tool_call";
    const toolName = isText ? item.name : type.replace(/_call$/, "");
    const fields = HOSTED[type].filter((field) => item[field] != null);
    const asked = Object.fromEntries(fields.map((field) => [field, item[field]]));
    const input = JSON.stringify(isText ? item.input : asked);
    this.hostCalls.add(toolCallId);
    if (isText) this.emit({ type: "tool-input-start", id: toolCallId, toolName, inputEncoding: "text" });
    this.emit({ type: "tool-call", toolCallId, toolName, input, item });
  }

  /** Emits a citation of a web page or of a file once. */
  source(annotation) {
    const key = JSON.stringify(annotation);
    const { type, url, title, file_id: fileId, container_id: containerId, filename } = annotation ?? {};
    if (this.cited.has(key)) return;
    this.cited.add(key);
    if (type === "url_citation" && url) {
      this.emit({ type: "source", sourceType: "url", id: url, url, title });
    } else if (fileId) {
      const document = { mediaType: "application/octet-stream", title: filename ?? fileId, filename };
      const providerMetadata = { openai: { fileId, containerId } };
      this.emit({ type: "source", sourceType: "document", id: fileId, ...document, providerMetadata });
    }
  }

  /** Reads the final response, and returns the ending. */
  ended({ status, error, output, usage, incomplete_details: details }) {
    if (status === "failed" || error) return failed("upstream", error ?? {});
    const texts = this.texts;
    output?.forEach((item, n) => {
      // Some servers give the final items other ids and other places.
      const known = [...this.added].find(([, { id }]) => id && id === item?.id);
      const index = known?.[0] ?? n;
      const isElsewhere = this.added.get(index)?.type !== "message";
      if (!this.isMade(this.added.get(index), item)) this.item(index, item, isElsewhere ? texts : []);
    });
    const whole = this.calls.size + this.hostCalls.size ? "tool-calls" : "stop";
    const finish = status === "incomplete" ? (FINISH[details?.reason] ?? "other") : whole;
    const tokens = usage && { input: usage.input_tokens, output: usage.output_tokens };
    return { outcome: "completed", finish, usage: tokens };
  }
}

/** A call as text, so that two can be compared. */
export const made = ({ call_id: id, name, arguments: input }) => `${id}: ${name}(${input})`;

const place = ({ content_index: n }, index) => `${index}/${n ?? 0}`;
const delta = (reader, event, index) => reader.delta(place(event, index), event.delta);
const complete = (text) => (reader, event, index) => {
  reader.complete("text-delta", place(event, index), text(event));
};
const part = (reader, event, index) => reader.content(place(event, index), event.part);
const begin = (reader, event, index) => {
  part(reader, event, index);
  reader.begun.set(place(event, index), event.part?.text ?? event.part?.refusal);
};
const think = (kind, n, text, step) => (reader, event, index) => {
  reader.think(kind, index, event[n], event[text], step);
};

const READ = {
  "response.content_part.added": begin,
  "response.content_part.done": part,
  "response.output_text.delta": delta,
  "response.output_text.done": complete(({ text }) => text),
  "response.refusal.delta": delta,
  "response.refusal.done": complete(({ refusal }) => refusal),
  "response.reasoning_text.delta": think("content", "content_index", "delta", "grow"),
  "response.reasoning_text.done": think("content", "content_index", "text", "complete"),
  "response.reasoning_summary_text.delta": think("summary", "summary_index", "delta", "grow"),
  "response.reasoning_summary_text.done": think("summary", "summary_index", "text", "complete"),
  "response.output_text.annotation.added": (reader, { annotation }) => reader.source(annotation),
  "response.output_item.added": ({ added }, { item }, index) => added.set(index, item),
  "response.function_call_arguments.delta": ({ pieces }, { delta }, index) => {
    pieces.set(index, (pieces.get(index) ?? "") + delta);
  },
  "response.function_call_arguments.done": (reader, event, index) => {
    const item = reader.added.get(index);
    if (item?.name && item.call_id) reader.call(index, item, event.arguments);
  },
  "response.output_item.done": (reader, { item }, index) => {
    reader.item(index, item);
    reader.finished.add(item?.id);
  },
};
