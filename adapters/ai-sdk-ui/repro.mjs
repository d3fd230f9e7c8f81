/** Prints each message of the AI SDK's readUIMessageStream(): `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import { DefaultChatTransport, readUIMessageStream } from "ai";

const file = new URL("requests.json", import.meta.url);
for (const { body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const transport = new DefaultChatTransport({ api: `${process.argv[2]}/chat` });
  const asked = { trigger: "submit-message", chatId: "1", messageId: undefined };
  const onError = (error) => console.log("onError", String(error));
  try {
    const stream = await transport.sendMessages({ ...asked, messages: body.messages ?? [] });
    for await (const message of readUIMessageStream({ stream, onError })) {
      console.log("message", JSON.stringify(message.parts));
    }
    console.log("ended");
  } catch (error) {
    console.log("raised", String(error));
  }
}
