import { redact } from "../lib/redact.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Transport } from "../model/server.ts";

export type DetectedTransport = { transport: Transport; url?: string };
export type TransportProblem = { problem: string; hint: string | null; key?: string };

const names = new Map<unknown, Transport>([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamable_http", "http"],
  ["streamableHttp", "http"],
  ["sse", "sse"],
  ["ws", "websocket"],
  ["websocket", "websocket"],
]);

/** `transport` says it, else there is a command, else the URL tells; `type` only fills what is left open. */
export function detectTransport({
  transport,
  type,
  command,
  url,
}: UnknownObject): DetectedTransport | TransportProblem {
  const said = names.get(transport);
  if (transport !== undefined && said === undefined) {
    return {
      problem: `transport ${JSON.stringify(transport)} is unknown`,
      hint: "Use stdio, http, sse or websocket.",
    };
  }
  if (command === undefined && url === undefined) {
    return { problem: "neither 'command' nor 'url' is given", hint: "A server needs one of them." };
  }
  if (said === "stdio" || (said === undefined && command !== undefined)) {
    return command === undefined
      ? { problem: "stdio needs a 'command'", hint: null }
      : { transport: "stdio" };
  }
  if (typeof url !== "string") return { problem: "'url' must be a string", hint: null };
  if (!hasUsableScheme(url)) return wrongUrl(url, said);
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(url);
  const full = hasScheme ? url : `http://${url}`;
  const hinted = hasScheme ? undefined : names.get(type);
  return { transport: said ?? transportOfUrl(full, hinted === "stdio" ? undefined : hinted), url: full };
}

/** `localhost:3000/mcp` has none, which is fine; `htp:/x` has one that nothing speaks. */
function hasUsableScheme(url: string): boolean {
  const [, scheme, slashes] = /^([a-z][a-z0-9+.-]*):(?!\d)(\/\/)?/i.exec(url.trim()) ?? [];
  return scheme === undefined || (slashes !== undefined && /^(?:https?|wss?)$/i.test(scheme));
}

function wrongUrl(url: string, said: Transport | undefined): TransportProblem {
  const schemes = said === "websocket" ? "ws:// or wss://" : "http:// or https://";
  const problem = `'${redact(url)}' is not a URL; start it with ${schemes}`;
  return { problem, hint: null, key: "url" };
}

function transportOfUrl(url: string, hinted: Transport = "http"): Transport {
  if (/^wss?:/i.test(url)) return "websocket";
  return /\/sse\/?$/.test(url.split(/[?#]/)[0] ?? "") ? "sse" : hinted;
}
