import { basename } from "node:path";
import { isObject, type JsonObject, listOrEmpty } from "../model/json.ts";
import type { ConfigDocument } from "./shapes/reading.ts";

export const ownName = "toolplane";

const ownPort = "7420";
/** `toolplane mcp` is the gateway. */
const gatewayVerb = "mcp";

/** Is this entry of a client the gateway itself? Importing it would make us call ourselves. */
export function isOurselves(name: string, { command, args, url }: JsonObject): boolean {
  if (typeof url === "string") return name === ownName && isOwnUrl(url);
  const commandLine = [command, ...listOrEmpty(args)].map(String);
  // Under our name any program is the gateway: node, npx or docker may start it.
  const programIndex =
    name === ownName ? 0 : commandLine.findIndex((argument) => programOf(argument) === ownName);
  return programIndex !== -1 && commandLine.slice(programIndex + 1).includes(gatewayVerb);
}

/** A configuration without the entry that `connect` wrote into it: `.mcp.json` is Claude Code's file and ours. */
export function withoutOwnEntry(document: ConfigDocument): ConfigDocument {
  const { file, data } = document;
  if (basename(file) !== ".mcp.json" || !isObject(data) || !isObject(data.mcpServers))
    return document;
  const { [ownName]: ownEntry, ...mcpServers } = data.mcpServers;
  if (gatewayConfigFiles(ownEntry) === null) return document;
  return { ...document, data: { ...data, mcpServers } };
}

/** The files that the entry under our name starts the gateway with: none for a URL, null when it is no gateway. */
export function gatewayConfigFiles(ownEntry: unknown): string[] | null {
  if (!isObject(ownEntry)) return null;
  const { command = ownEntry.cmd, args } = ownEntry;
  const [, ...programArguments] = [command, args].flat().map(String);
  if (programArguments.includes(gatewayVerb)) return configFilesIn(programArguments);
  const url = ownEntry.url ?? ownEntry.serverUrl ?? ownEntry.httpUrl ?? ownEntry.uri;
  return typeof url === "string" && isOwnUrl(url) ? [] : null;
}

/** Of `--config FILE` and `--config=FILE`. */
function configFilesIn(programArguments: readonly string[]): string[] {
  const prefix = "--config=";
  return programArguments.flatMap((argument, index) => {
    if (argument === "--config") return programArguments[index + 1] ?? [];
    return argument.startsWith(prefix) ? argument.slice(prefix.length) : [];
  });
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
