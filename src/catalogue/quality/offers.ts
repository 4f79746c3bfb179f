import type { PinKind, PinnedList } from "../../model/catalogue/pin.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { registryKey } from "../registry.ts";

/** What a server offers beside its tools. */
export type PinnedOfferList = Exclude<PinnedList, "tools" | "written">;

const kinds: Readonly<Record<PinnedList, PinKind>> = {
  tools: "tool",
  prompts: "prompt",
  resources: "resource",
  resourceTemplates: "template",
  instructions: "instructions",
  pages: "page",
  skills: "skill",
  written: "tool",
};

export const pinKindOf = (list: PinnedList): PinKind => kinds[list];

/** How people name what is pinned: `files.read`, `prompt:files/greet`, `instructions:files`. */
export function offerName(server: string, list: PinnedList, name: string): string {
  if (list === "tools") return `${server}.${name}`;
  if (list === "written") return name;
  if (list === "instructions") return `instructions:${server}`;
  return `${kinds[list]}:${server}/${name}`;
}

/** The list and the server of such a name; null for the name of a tool. */
export function parseOfferName(
  name: string,
): { list: PinnedOfferList; server: string; name: string } | null {
  const [, kind, server = "", nameInList = ""] =
    /^(prompt|resource|template|instructions|page|skill):([^/]+)(?:\/(.*))?$/s.exec(name) ?? [];
  if (kind === undefined) return null;
  const list = (Object.keys(kinds) as PinnedList[]).find(
    (pinnedList) => kinds[pinnedList] === kind,
  ) as PinnedOfferList;
  return { list, server, name: list === "instructions" ? "instructions" : nameInList };
}

/** `LIST⏎SERVER⏎USER`, where a server lists something for one user alone; `LIST⏎SERVER`; for tools `SERVER`. */
export function listKey(server: string, list: PinnedList, user?: string): string {
  if (user !== undefined) return `${list}\n${server}\n${user}`;
  return list === "tools" ? server : `${list}\n${server}`;
}

function parseListKey(key: string): { list: PinnedList; server: string; user: string | null } {
  const [list = "", server, ...userLines] = key.split("\n");
  if (server === undefined) return { list: "tools", server: key, user: null };
  const user = userLines.length === 0 ? null : userLines.join("\n");
  return { list: list as PinnedList, server, user };
}

export const toolsKey = (server: string, user: string | undefined): string =>
  listKey(server, "tools", user);

/** The server, and what events call the definition. */
export function eventSubject(
  key: string,
  name: string,
): { server: string; tool: string; user?: string } {
  const { list, server, user } = parseListKey(key);
  const isBareName = list === "tools" || list === "written" || list === "instructions";
  const tool = isBareName ? name : `${kinds[list]}:${name}`;
  return user === null ? { server, tool } : { server, tool, user };
}

export type SecurityModes = Omit<Config["security"], "egress" | "allowOrigins">;

/** Resources come and go by themselves, and people may change what they wrote. */
export function modesFor(key: string, modes: SecurityModes): SecurityModes {
  if (key.startsWith(writtenKey)) return { ...modes, pinning: "off", newTools: "accept" };
  // The tool that has a page is pinned with its address.
  const isOpen = key.startsWith("resources\n") || key.startsWith("pages\n");
  return isOpen ? { ...modes, newTools: "accept" } : modes;
}

export const writtenKey = "written\n";
const writtenEntries = new WeakMap<Tool, UnknownObject>();

/** What models read of a tool that people wrote or described. */
export function writtenEntry(tool: Tool): UnknownObject {
  const { description, parameters, metadata } = tool;
  const entry = writtenEntries.get(tool) ?? {
    name: registryKey(tool),
    description,
    parameters,
    metadata,
  };
  writtenEntries.set(tool, entry);
  return entry;
}

const offerEntries = new WeakMap<object, UnknownObject>();

/** A definition under the name that it is pinned by, without what changes with its content. */
export function offerEntry(list: PinnedOfferList, item: unknown): UnknownObject {
  if (!isObject(item)) return { name: "", invalid: item };
  const previous = offerEntries.get(item);
  if (previous) return previous;
  const { size: _, ...lasting } = item;
  const label = list === "prompts" || list === "instructions" ? {} : { label: item.name };
  const name = list === "instructions" ? "instructions" : String(item[nameKeys[list]]);
  const entry = { ...lasting, ...withoutTime(item.annotations), ...label, name };
  offerEntries.set(item, entry);
  return entry;
}

const nameKeys = {
  prompts: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
  pages: "uri",
  skills: "uri",
} as const;

function withoutTime(annotations: unknown): UnknownObject {
  if (!isObject(annotations)) return {};
  const { lastModified: _, ...lasting } = annotations;
  return { annotations: lasting };
}
