/** The echo server over Streamable HTTP on 127.0.0.1, sessions and 2026-07-28 on one endpoint. Prints `{"port":N}`. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createEcho, parseEchoArgs } from "./echo.mjs";

const options = parseEchoArgs(process.argv.slice(2));
const handle = createEcho(options);
const sessions = new Set();

function answer(body, request, response) {
  const message = JSON.parse(body);
  if (message.id === undefined) return response.writeHead(202).end();
  const headers = { "content-type": "application/json" };
  const isModern = request.headers["mcp-protocol-version"] === "2026-07-28";
  if (isModern && options.era === "legacy") return response.writeHead(400).end();
  if (!isModern) {
    if (message.method === "initialize") {
      const session = randomUUID();
      sessions.add(session);
      headers["mcp-session-id"] = session;
    } else if (!sessions.has(request.headers["mcp-session-id"]))
      return response.writeHead(404).end();
  }
  handle(message, (json) => {
    headers["content-length"] = Buffer.byteLength(json);
    response.writeHead(200, headers);
    response.end(json);
  });
}

const server = createServer((request, response) => {
  if (request.method === "DELETE") {
    sessions.delete(request.headers["mcp-session-id"]);
    return response.writeHead(200).end();
  }
  if (request.method !== "POST") return response.writeHead(405, { allow: "POST, DELETE" }).end();
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => answer(body, request, response));
});
server.keepAliveTimeout = 600_000;
process.on("SIGTERM", () => process.exit(0));
setTimeout(() => {
  server.listen(options.port, "127.0.0.1", () =>
    console.log(JSON.stringify({ port: server.address().port })),
  );
}, options.delay);
