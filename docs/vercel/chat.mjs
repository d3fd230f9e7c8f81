import { DefaultChatTransport, readUIMessageStream } from "ai";

const transport = new DefaultChatTransport({ api: process.argv[2] });
const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }];
const stream = await transport.sendMessages({ trigger: "submit-message", chatId: "1", messages });
let answer;
for await (const message of readUIMessageStream({ stream })) answer = message;
console.log(JSON.stringify(answer.parts, null, 2));
