import { basename } from "node:path";
import { isObject, type JsonObject } from "../model/json.ts";
import type { ConfigDocument } from "./shapes/reading.ts";

export const ownName = "toolplane";

const ownPort = "7420";

/** Is this entry of a client the gateway itself? Importing it would make us call ourselves. */
export function isOurselves(name: string, { command, args, url }: JsonObject): boolean {
  if (typeof url === "string") return name === ownName && isOwnUrl(url);
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  const program = words.findIndex((word) => programOf(word) === ownName);
  const started = name === ownName ? 0 : program;
  return started !== -1 && words.slice(started + 1).includes("mcp");
}

/** A configuration without the entry that `connect` wrote into it: `.mcp.json` is Claude Code's file and ours. */
export function withoutOwnEntry(document: ConfigDocument): ConfigDocument {
  const { file, data } = document;
  if (basename(file) !== ".mcp.json" || !isObject(data) || !isObject(data.mcpServers))
    return document;
  const { [ownName]: own, ...mcpServers } = data.mcpServers;
  if (gatewayConfig(own) === null) return document;
  return { ...document, data: { ...data, mcpServers } };
}

/** The files that a client's entry of ours starts the gateway with; null when it is no gateway. */
export function gatewayConfig(entry: unknown): string[] | null {
  if (!isObject(entry)) return null;
  const { command = entry.cmd, args } = entry;
  const words = [command, args].flat().map(String);
  if (!words.slice(1).includes("mcp")) {
    const url = entry.url ?? entry.serverUrl ?? entry.httpUrl ?? entry.uri;
    return typeof url === "string" && isOwnUrl(url) ? [] : null;
  }
  return words.flatMap((word, at) => (word === "--config" ? (words[at + 1] ?? []) : []));
}

/** `C:\tools\toolplane.cmd` and `toolplane@1.2` are both toolplane. */
function programOf(word: string): string {
  const last = word.split(/[\\/]/).at(-1) ?? word;
  return last.replace(/\.(cmd|exe|ps1|bat)$/i, "").replace(/(?<=.)@.*$/s, "");
}

function isOwnUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { port, pathname } = new URL(url);
  return port === ownPort && /^\/mcp\/?$/.test(pathname);
}
