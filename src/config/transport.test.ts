import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import { detectTransport } from "./transport.ts";

const detected: [title: string, entry: UnknownObject, transport: string, url?: string][] = [
  [
    "an explicit transport wins over the URL",
    { transport: "sse", url: "http://h/mcp" },
    "sse",
    "http://h/mcp",
  ],
  [
    "an explicit transport wins over the command",
    { transport: "http", command: "x", url: "http://h" },
    "http",
    "http://h",
  ],
  ["a command means stdio", { command: "server" }, "stdio"],
  ["a command wins over a URL", { command: "server", url: "http://h/mcp" }, "stdio"],
  ["a command wins over a type", { command: "server", type: "sse" }, "stdio"],
  ["a URL that ends in /sse means SSE", { url: "https://h/sse" }, "sse", "https://h/sse"],
  ["a query does not hide the /sse", { url: "https://h/sse?key=1" }, "sse", "https://h/sse?key=1"],
  ["any other URL means HTTP", { url: "https://h/sse/mcp" }, "http", "https://h/sse/mcp"],
  [
    "a URL wins over a type that cannot be meant",
    { url: "https://h/mcp", type: "stdio" },
    "http",
    "https://h/mcp",
  ],
  [
    "a URL without a scheme gets one",
    { url: "localhost:8000/mcp" },
    "http",
    "http://localhost:8000/mcp",
  ],
  ["a type decides where the URL does not", { url: "h/mcp", type: "sse" }, "sse", "http://h/mcp"],
  ["a socket URL means websocket", { url: "wss://h/mcp" }, "websocket", "wss://h/mcp"],
  ["HTTP has more names", { type: "streamable-http", url: "http://h/mcp" }, "http", "http://h/mcp"],
];

for (const [title, entry, transport, url] of detected) {
  test(title, () => {
    assert.deepEqual(detectTransport(entry), { transport, ...(url === undefined ? {} : { url }) });
  });
}

const refused: [title: string, entry: UnknownObject, problem: RegExp][] = [
  [
    "an unknown transport",
    { transport: "carrier-pigeon", url: "http://h" },
    /"carrier-pigeon" is unknown/,
  ],
  ["a transport that is no text", { transport: 7, url: "http://h" }, /7 is unknown/],
  [
    "a transport named after a property of objects",
    { transport: "constructor", url: "http://h" },
    /is unknown/,
  ],
  ["neither a command nor a URL", { args: [] }, /neither 'command' nor 'url'/],
  ["a URL that is no text", { url: 7 }, /'url' must be a string/],
  ["stdio without a command", { transport: "stdio", url: "http://h" }, /command/],
];

for (const [title, entry, problem] of refused) {
  test(`${title} is a problem`, () => {
    const answer = detectTransport(entry);
    assert.match("problem" in answer ? answer.problem : `taken as ${answer.transport}`, problem);
  });
}
