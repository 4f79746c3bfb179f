/** What clients of a floor talk to: stdio, or HTTP with sessions and with 2026-07-28. No check, no stream. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

export const jsonId = (id) => (typeof id === "number" ? String(id) : JSON.stringify(id));

export const failure = (id, message) =>
  `{"jsonrpc":"2.0","id":${jsonId(id)},"error":{"code":-32602,"message":${JSON.stringify(message)}}}`;

/** Answers everything but a call. `ready` gives what `listAll` does. */
export function answerPlainly({ id, method, params }, ready, reply) {
  const ok = (body) => reply([`{"jsonrpc":"2.0","id":${jsonId(id)},"result":{${body}}}`]);
  if (method === "tools/list")
    return void ready.then(({ listed }) => ok(`"resultType":"complete",${listed}`));
  if (method === "ping") return ok("");
  if (method !== "initialize") return reply([failure(id, "Method not found")]);
  const version = JSON.stringify(params?.protocolVersion ?? "2025-06-18");
  ok(
    `"protocolVersion":${version},"capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}`,
  );
}

/** `handle(message, reply)` gets every request; `reply` takes the pieces of an answer. */
export function serve({ front, port }, handle) {
  if (front === "stdio") serveStdio(handle);
  else serveHttp(port, handle);
  process.on("SIGTERM", () => process.exit(0));
}

function serveStdio(handle) {
  let rest = "";
  const toBuffer = (part) => (typeof part === "string" ? Buffer.from(part) : part);
  const reply = (parts) =>
    process.stdout.write(
      parts.length === 1
        ? `${parts[0]}\n`
        : Buffer.concat([...parts.map(toBuffer), Buffer.from("\n")]),
    );
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") continue;
      const message = JSON.parse(line);
      if (message.id !== undefined) handle(message, reply);
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

function serveHttp(port, handle) {
  const sessions = new Set();
  const answer = (message, request, response) => {
    if (message.id === undefined) return response.writeHead(202).end();
    const headers = { "content-type": "application/json" };
    if (request.headers["mcp-protocol-version"] !== "2026-07-28") {
      if (message.method === "initialize") {
        const session = randomUUID();
        sessions.add(session);
        headers["mcp-session-id"] = session;
      } else if (!sessions.has(request.headers["mcp-session-id"]))
        return response.writeHead(404).end();
    }
    handle(message, (parts) => {
      let length = 0;
      for (const part of parts)
        length += typeof part === "string" ? Buffer.byteLength(part) : part.length;
      headers["content-length"] = length;
      response.writeHead(200, headers);
      if (parts.length > 1) response.cork();
      for (let at = 0; at < parts.length - 1; at++) response.write(parts[at]);
      response.end(parts[parts.length - 1]);
    });
  };
  const server = createServer((request, response) => {
    if (request.method !== "POST")
      return response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      answer(JSON.parse(body.toString("utf8")), request, response);
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(port, "127.0.0.1");
}
