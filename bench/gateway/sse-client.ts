import { Agent, get, request } from "node:http";
import type { McpClient } from "./client.ts";

/** For gateways that only speak the oldest transport: requests are posted, answers come on one stream. */
export async function openSseClient(url: string): Promise<McpClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  let buffered = "";
  const found = Promise.withResolvers<string>();

  function takeEvent(event: string): void {
    const data = event
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => line.slice(6))
      .join("\n");
    if (event.includes("event: endpoint")) return found.resolve(new URL(data, url).href);
    const id = Number(/"id":(\d+)/.exec(data.slice(0, 100) + data.slice(-100))?.[1]);
    waiting.get(id)?.(data);
    waiting.delete(id);
  }

  const stream = get(url, { headers: { accept: "text/event-stream" } }, (answer) => {
    if (answer.statusCode !== 200) return found.reject(new Error(`${answer.statusCode}`));
    answer.setEncoding("utf8").on("data", (chunk: string) => {
      const events = (buffered + chunk).split("\n\n");
      buffered = events.pop() ?? "";
      events.forEach(takeEvent);
    });
  });
  stream.on("error", found.reject);
  const { hostname, port, pathname, search } = new URL(await found.promise);

  function post(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { agent, hostname, port, path: pathname + search, method: "POST", headers };
    const sent = request(options, (answer) => answer.resume());
    sent.on("error", (error) => (sent.reusedSocket ? post(message) : found.reject(error)));
    sent.end(body);
  }

  function ask(method: string, params: object): Promise<string> {
    const id = ++lastId;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      post({ id, method, params });
    });
  }

  const clientInfo = { name: "bench", version: "1.0.0" };
  await ask("initialize", { protocolVersion: "2025-03-26", capabilities: {}, clientInfo });
  post({ method: "notifications/initialized" });
  return {
    call: (tool, args) => ask("tools/call", { name: tool, arguments: args }),
    list: () => ask("tools/list", {}),
    close() {
      stream.destroy();
      agent.destroy();
    },
  };
}
