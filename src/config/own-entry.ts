import { basename } from "node:path";
import { isObject, type JsonObject, listOrEmpty } from "../model/json.ts";
import type { ConfigDocument } from "./shapes/reading.ts";

export const ownName = "toolplane";

const ownPort = "7420";

/** Is this entry of a client the gateway itself? Importing it would make us call ourselves. */
export function isOurselves(name: string, { command, args, url }: JsonObject): boolean {
  if (typeof url === "string") return name === ownName && isOwnUrl(url);
  const commandLine = [command, ...listOrEmpty(args)].map(String);
  const program = commandLine.findIndex((argument) => programOf(argument) === ownName);
  const programIndex = name === ownName ? 0 : program;
  return programIndex !== -1 && commandLine.slice(programIndex + 1).includes("mcp");
}

/** A configuration without the entry that `connect` wrote into it: `.mcp.json` is Claude Code's file and ours. */
export function withoutOwnEntry(document: ConfigDocument): ConfigDocument {
  const { file, data } = document;
  if (basename(file) !== ".mcp.json" || !isObject(data) || !isObject(data.mcpServers))
    return document;
  const { [ownName]: ownEntry, ...mcpServers } = data.mcpServers;
  if (gatewayConfig(ownEntry) === null) return document;
  return { ...document, data: { ...data, mcpServers } };
}

/** The files that a client's entry of ours starts the gateway with; null when it is no gateway. */
export function gatewayConfig(entry: unknown): string[] | null {
  if (!isObject(entry)) return null;
  const { command = entry.cmd, args } = entry;
  const commandLine = [command, args].flat().map(String);
  if (!commandLine.slice(1).includes("mcp")) {
    const url = entry.url ?? entry.serverUrl ?? entry.httpUrl ?? entry.uri;
    return typeof url === "string" && isOwnUrl(url) ? [] : null;
  }
  return commandLine.flatMap((argument, index) =>
    argument === "--config" ? (commandLine[index + 1] ?? []) : [],
  );
}

/** `C:\tools\toolplane.cmd` and `toolplane@1.2` are both toolplane. */
function programOf(command: string): string {
  const fileName = command.split(/[\\/]/).at(-1) ?? command;
  return fileName.replace(/\.(cmd|exe|ps1|bat)$/i, "").replace(/(?<=.)@.*$/s, "");
}

function isOwnUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { port, pathname } = new URL(url);
  return port === ownPort && /^\/mcp\/?$/.test(pathname);
}
