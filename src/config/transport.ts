import type { UnknownObject } from "../model/json.ts";
import type { Transport } from "../model/server.ts";

export type DetectedTransport = { transport: Transport; url?: string };
export type TransportProblem = { problem: string; hint: string | null };

const names: Record<string, Transport> = {
  stdio: "stdio",
  http: "http",
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  sse: "sse",
  ws: "websocket",
  websocket: "websocket",
};

/** Said explicitly, else by command, else by the URL. */
export function detectTransport(entry: UnknownObject): DetectedTransport | TransportProblem {
  const { command, url } = entry;
  const said = entry.transport ?? entry.type;
  const explicit = typeof said === "string" ? names[said] : undefined;
  if (said !== undefined && explicit === undefined) {
    return {
      problem: `transport ${JSON.stringify(said)} is unknown`,
      hint: "Use stdio, http, sse or websocket.",
    };
  }
  if (command === undefined && url === undefined) {
    return { problem: "neither 'command' nor 'url' is given", hint: "A server needs one of them." };
  }
  if (command !== undefined && (explicit === undefined || explicit === "stdio"))
    return { transport: "stdio" };
  if (typeof url !== "string") return { problem: "'url' must be a string", hint: null };
  const full = /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`;
  return { transport: explicit ?? transportOfUrl(full), url: full };
}

function transportOfUrl(url: string): Transport {
  if (/^wss?:/i.test(url)) return "websocket";
  return /\/sse\/?$/.test(url.split(/[?#]/)[0] ?? "") ? "sse" : "http";
}
