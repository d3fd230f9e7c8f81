/** Asks a library twice, for `contradictions.py`: as a stream, and in one piece. */

import { createInterface } from "node:readline";

/** Answer each line on stdin with the results of the two functions that `ask(run)` returns. */
export async function twice(ask) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { case: name, base_url: baseUrl, tools, ...rest } = JSON.parse(line);
    const named = tools.map(({ input_schema: inputSchema, ...tool }) => ({ ...tool, inputSchema }));
    const { stream, plain } = ask({ ...rest, baseUrl, tools: named });
    console.log(JSON.stringify({ case: name, stream: await result(stream), plain: await result(plain) }));
  }
}

async function result(way) {
  try {
    return await way();
  } catch (error) {
    return { error: `${error?.name}: ${error?.message}` };
  }
}
