/**
 * The echo server behind every gateway: raw JSON-RPC, so that it costs as little as a Node process can.
 * Lists and payloads are serialised once; an answer is one concatenation.
 * A tool's name has the server's name in it (`echo_<server>_<index>`): it is found behind every scheme of prefixes.
 */
const modernVersion = "2026-07-28";
const legacyVersions = new Set(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]);

/** Text like a JSON document in a text block: about 3 % of it has to be escaped. */
function payloadText(size) {
  const line =
    '{"path": "src/module/file.ts", "line": 128, "match": "export function handle(request) { return next(request) }"},\n';
  return line.repeat(Math.ceil(size / line.length)).slice(0, size);
}

const literals = new Map();
function literal(size) {
  let found = literals.get(size);
  if (found === undefined) {
    found = JSON.stringify(payloadText(size));
    literals.set(size, found);
  }
  return found;
}

/** A definition of a realistic size: about 1,200 bytes with its schema and annotations. */
function toolDefinition(server, index) {
  return {
    name: `echo_${server}_${String(index).padStart(4, "0")}`,
    title: `Echo ${index} of ${server}`,
    description:
      `Returns a block of text of the requested size (tool ${index} of server ${server}). ` +
      "Use it when a caller needs a deterministic answer of a known length; it has no side effects and needs no permission.",
    inputSchema: {
      type: "object",
      properties: {
        size: {
          type: "integer",
          minimum: 0,
          maximum: 4194304,
          description: "Number of characters of the text block that is returned.",
        },
        delayMs: {
          type: "integer",
          minimum: 0,
          maximum: 60000,
          description: "Milliseconds to wait before the answer is sent.",
        },
        text: {
          type: "string",
          description: "Free text; accepted and ignored. Used to make the request itself larger.",
        },
        options: {
          type: "object",
          properties: {
            encoding: {
              type: "string",
              enum: ["utf8", "base64", "hex"],
              description: "Encoding of the block.",
            },
            trim: { type: "boolean", description: "Whether white space is trimmed at the end." },
          },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  };
}

function pagesOf(definitions, page) {
  const step = page > 0 ? page : Math.max(definitions.length, 1);
  const pages = [];
  for (let at = 0; at === 0 || at < definitions.length; at += step) {
    const next = at + step < definitions.length ? `,"nextCursor":"${at + step}"` : "";
    pages.push(`"tools":${JSON.stringify(definitions.slice(at, at + step))}${next}`);
  }
  return (cursor) => pages[cursor === undefined ? 0 : Math.floor(Number(cursor) / step)];
}

const failure = (id, code, message) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;

/**
 * The returned function answers one message with serialised JSON, at once or later, and a notification never.
 * An era of "modern" speaks 2026-07-28 and the versions before it, as servers of today do; "legacy" the latter only.
 */
export function createEcho({ name, tools, page, era }) {
  const definitions = Array.from({ length: tools }, (_, index) => toolDefinition(name, index));
  const names = new Set(definitions.map((definition) => definition.name));
  const pageAt = pagesOf(definitions, page);
  const serverInfo = { name: `echo-${name}`, version: "1.0.0" };
  const capabilities = { tools: { listChanged: true } };

  return function handle(message, reply) {
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return;
    const isModern = params?._meta?.["io.modelcontextprotocol/protocolVersion"] === modernVersion;
    if (isModern && era === "legacy")
      return reply(failure(id, -32601, `Method not found: ${method}`));
    const head = `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":{`;
    const complete = isModern ? '"resultType":"complete",' : "";
    switch (method) {
      case "tools/call": {
        if (!names.has(params?.name))
          return reply(failure(id, -32602, `Unknown tool: ${params?.name}`));
        const { size = 0, delayMs } = params.arguments ?? {};
        const body = `${head}${complete}"content":[{"type":"text","text":${literal(size)}}]}}`;
        if (delayMs) setTimeout(reply, delayMs, body);
        else reply(body);
        return;
      }
      case "tools/list": {
        const content = pageAt(params?.cursor);
        if (content === undefined) return reply(failure(id, -32602, "Bad cursor"));
        return reply(
          `${head}${complete}${isModern ? '"ttlMs":60000,"cacheScope":"public",' : ""}${content}}}`,
        );
      }
      case "initialize": {
        const asked = params?.protocolVersion;
        const protocolVersion = legacyVersions.has(asked) ? asked : "2025-11-25";
        return reply(
          JSON.stringify({
            jsonrpc: "2.0",
            id,
            result: { protocolVersion, capabilities, serverInfo },
          }),
        );
      }
      case "server/discover": {
        if (era === "legacy")
          return reply(failure(id, -32601, "Method not found: server/discover"));
        const result = {
          resultType: "complete",
          supportedVersions: [modernVersion, "2025-11-25", "2025-06-18"],
          capabilities,
          _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
          ttlMs: 3600000,
          cacheScope: "public",
        };
        return reply(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
      case "ping":
        return reply(`${head}}}`);
      default:
        return reply(failure(id, -32601, `Method not found: ${method}`));
    }
  };
}

/** `--name=s00 --tools=20 --page=100 --era=legacy|modern --delay=300 --port=0`; others are for the harness. */
export function parseEchoArgs(argv) {
  const get = (key, fallback) =>
    argv.find((word) => word.startsWith(`--${key}=`))?.slice(key.length + 3) ?? fallback;
  return {
    name: get("name", "s00"),
    tools: Number(get("tools", "1")),
    page: Number(get("page", "0")),
    era: get("era", "modern"),
    delay: Number(get("delay", "0")),
    port: Number(get("port", "0")),
  };
}
