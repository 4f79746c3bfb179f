import { Agent, request } from "node:http";

export type McpClient = {
  call(tool: string, args: object): Promise<string>;
  list(): Promise<string>;
  close(): void;
};

type Era = "legacy" | "modern";
const version = { legacy: "2025-11-25", modern: "2026-07-28" } as const;

/** A keep-alive client without a library, so that what is measured is the gateway. */
export async function openClient(url: string, era: Era): Promise<McpClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const { hostname, port, pathname, search } = new URL(url);
  let session: string | undefined;
  let lastId = 0;

  function post(body: string, headers: Record<string, string>): Promise<{ text: string; session: string | undefined }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          hostname,
          port,
          path: pathname + search,
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "content-length": Buffer.byteLength(body),
            "mcp-protocol-version": version[era],
            ...(session === undefined ? {} : { "mcp-session-id": session }),
            ...headers,
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            if ((answer.statusCode ?? 500) >= 400)
              return reject(new Error(`${answer.statusCode}: ${text.slice(0, 200)}`));
            resolve({ text, session: answer.headers["mcp-session-id"] as string | undefined });
          });
        },
      );
      // A connection that was kept and that the other side has just given up says nothing about a call.
      sent.on("error", (error) => (sent.reusedSocket ? resolve(post(body, headers)) : reject(error)));
      sent.end(body);
    });
  }

  async function ask(method: string, params: object, headers: Record<string, string> = {}): Promise<string> {
    const meta =
      era === "modern"
        ? {
            _meta: {
              "io.modelcontextprotocol/protocolVersion": version.modern,
              "io.modelcontextprotocol/clientCapabilities": {},
              "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
            },
          }
        : {};
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params: { ...params, ...meta } });
    const named = era === "modern" ? { "mcp-method": method, ...headers } : {};
    return (await post(body, named)).text;
  }

  if (era === "legacy") {
    const params = {
      protocolVersion: version.legacy,
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    };
    const opened = await post(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }), {});
    session = opened.session;
    await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), {});
  }
  return {
    call: (tool, args) => ask("tools/call", { name: tool, arguments: args }, { "mcp-name": tool }),
    list: () => ask("tools/list", {}),
    close: () => agent.destroy(),
  };
}
