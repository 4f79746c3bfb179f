import { cutText } from "../../lib/text/cut-text.ts";
import { fenceUntrusted } from "../../lib/text/plain-text.ts";
import { nounFor } from "../../lib/text/wording.ts";
import { codeToolNames, metaToolNames } from "../../model/catalogue/meta-tools.ts";
import type { Plane } from "../../model/plane.ts";
import type { ServerStatus } from "../../model/servers/server-schema.ts";
import type { LazyMode } from "./lazy/lazy-mode.ts";
import type { Surface } from "./surfaces.ts";
import { serversOf } from "./tool-list.ts";

/** About 200 tokens. */
const maxLength = 700;
const maxLine = 90;
const maxCodeText = 400;
/** The servers' own instructions come on top: all of one, or the beginning of each. */
const maxOfOne = 2_000;
const maxOfMany = 1_500;
const maxOfEach = 300;

/** Told to a model once: whose tools these are. */
export async function instructionsFor(
  plane: Plane,
  surface: Surface,
  lazy: LazyMode,
): Promise<string> {
  const { principal, view } = surface;
  const servers = await serversOf(plane, principal);
  const names = servers.map(({ name }) => name);
  if (names.length === 0) return "Toolplane: no servers are connected yet.";
  if (lazy.isCode(surface)) return codeInstructions(names);
  if (await lazy.isKnownLazy(surface)) return lazyInstructions(names);
  const spelling = view.names === "prefixed" ? ", named SERVER__TOOL" : "";
  const noun = nounFor(names.length, "MCP server");
  const head = `Tools, prompts and resources of ${names.length} ${noun}${spelling}:`;
  const serverTexts = await serverInstructions(plane, surface, names);
  return [listServers(head, names, plane), ifLazy(plane, surface, servers), ...serverTexts]
    .filter((part) => part !== "")
    .join("\n");
}

function listServers(head: string, names: readonly string[], plane: Plane): string {
  const { servers } = plane.config();
  let text = head;
  for (const [index, name] of names.entries()) {
    const line = `\n- ${describe(name, servers[name]?.description ?? "")}`;
    if (text.length + line.length > maxLength) return `${text}\n- and ${names.length - index} more`;
    text += line;
  }
  return text;
}

/** Until all servers have listed, the list may still become too long. */
function ifLazy(plane: Plane, { view }: Surface, servers: readonly ServerStatus[]): string {
  const isOpen = view.mode === null && plane.config().lazy.mode === "auto";
  if (!isOpen || servers.every(({ listedAt }) => listedAt !== null)) return "";
  const { search, list, call } = metaToolNames;
  return `If ${search} is listed, most tools are not: find them with it (${list} shows what there is), then call them by name, or with ${call}.`;
}

/** Marked as the servers' words, not ours. */
async function serverInstructions(
  plane: Plane,
  { principal }: Surface,
  names: readonly string[],
): Promise<string[]> {
  const instructions = await Promise.all(
    names.map((name) => plane.servers.instructions(name, { principal })),
  );
  const [maxOfServer, maxOfAll] =
    names.length === 1 ? [maxOfOne, maxOfOne] : [maxOfEach, maxOfMany];
  const texts: string[] = [];
  let room = maxOfAll;
  for (const [index, name] of names.entries()) {
    let text = instructions[index]?.trim() ?? "";
    if (text.length > maxOfServer) text = `${cutText(text, maxOfServer).trimEnd()}…`;
    if (text === "" || text.length > room) continue;
    room -= text.length;
    texts.push(
      `Server '${name.slice(0, maxLine)}' says of itself, in its own words:\n${fenceUntrusted(text)}`,
    );
  }
  return texts;
}

/** A model must know of what is not listed. */
function lazyInstructions(names: readonly string[]): string {
  const { search, list, call } = metaToolNames;
  const text = `Most tools of these ${names.length} MCP servers are not listed. Find what you need with ${search} (${list} shows what there is), then call it by its name, or with ${call}. Servers: `;
  return appendNames(text, names, maxLength);
}

/** With the two tools no more than 450 tokens, however many servers there are. */
function codeInstructions(names: readonly string[]): string {
  const { search, run } = codeToolNames;
  const text = `Tools of ${names.length} MCP servers are functions in programs. Find them with ${search}, then do the whole task in one ${run}: calls, loops, filters. Servers: `;
  return appendNames(text, names, maxCodeText);
}

function appendNames(head: string, names: readonly string[], maxChars: number): string {
  let text = head;
  for (const [index, name] of names.entries()) {
    const remaining = names.length - index;
    if (index > 0 && text.length + name.length > maxChars) return `${text} and ${remaining} more`;
    text += index === 0 ? name.slice(0, maxLine) : `, ${name.slice(0, maxLine)}`;
  }
  return text;
}

function describe(name: string, description: string): string {
  const firstLine = description.split("\n", 1)[0]?.trim() ?? "";
  const text = firstLine === "" ? name : `${name}: ${firstLine}`;
  if (text.length <= maxLine) return text;
  return `${text.slice(0, maxLine - 1)}…`;
}
