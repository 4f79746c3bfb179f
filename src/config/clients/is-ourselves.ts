import type { JsonObject } from "../../model/json.ts";

/** The name under which clients know us. */
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

/** `C:\tools\toolplane.cmd` and `toolplane@1.2` are both toolplane. */
function programOf(word: string): string {
  const last = word.split(/[\\/]/).at(-1) ?? word;
  return last.replace(/\.(cmd|exe|ps1|bat)$/i, "").replace(/(?<=.)@.*$/, "");
}

function isOwnUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { port, pathname } = new URL(url);
  return port === ownPort && /^\/mcp\/?$/.test(pathname);
}
