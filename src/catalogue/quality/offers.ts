import type { PinKind, PinnedList } from "../../model/catalogue/pin.ts";
import type { Config } from "../../model/config/config.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

const kinds: Readonly<Record<PinnedList, PinKind>> = {
  tools: "tool",
  prompts: "prompt",
  resources: "resource",
  resourceTemplates: "template",
  instructions: "instructions",
};

export const kindOf = (list: PinnedList): PinKind => kinds[list];

/** How people name what is pinned: `files.read`, `prompt:files/greet`, `instructions:files`. */
export function offerName(server: string, list: PinnedList, name: string): string {
  if (list === "tools") return `${server}.${name}`;
  return list === "instructions" ? `instructions:${server}` : `${kinds[list]}:${server}/${name}`;
}

/** The list and the server of such a name; null for the name of a tool. */
export function parseOfferName(
  name: string,
): { list: Exclude<PinnedList, "tools">; server: string; name: string } | null {
  const [, kind, server = "", rest = ""] =
    /^(prompt|resource|template|instructions):([^/]+)(?:\/(.*))?$/s.exec(name) ?? [];
  if (kind === undefined) return null;
  const list = (Object.keys(kinds) as PinnedList[]).find((one) => kinds[one] === kind) as Exclude<PinnedList, "tools">;
  return { list, server, name: list === "instructions" ? "instructions" : rest };
}

/** The server, and what events call the definition. */
export function shownAs(key: string, name: string): { server: string; tool: string } {
  const [list = "", server] = key.split("\n", 2);
  if (server === undefined) return { server: key, tool: name };
  return { server, tool: list === "instructions" ? name : `${kinds[list as PinnedList]}:${name}` };
}

/** Resources come and go by themselves. */
export function modesFor(key: string, modes: Config["security"]): Config["security"] {
  return key.startsWith("resources\n") ? { ...modes, newTools: "accept" } : modes;
}

const entries = new WeakMap<object, UnknownObject>();

/** A definition under the name that it is pinned by, without what changes with its content. */
export function offerEntry(list: Exclude<PinnedList, "tools">, item: unknown): UnknownObject {
  if (!isObject(item)) return { name: "", invalid: item };
  const known = entries.get(item);
  if (known) return known;
  const { size: _, ...others } = item;
  const label = list === "prompts" || list === "instructions" ? {} : { label: item.name };
  const name = list === "instructions" ? "instructions" : String(item[nameKeys[list]]);
  const entry = { ...others, ...withoutTime(item.annotations), ...label, name };
  entries.set(item, entry);
  return entry;
}

const nameKeys = { prompts: "name", resources: "uri", resourceTemplates: "uriTemplate" } as const;

function withoutTime(annotations: unknown): UnknownObject {
  if (!isObject(annotations)) return {};
  const { lastModified: _, ...others } = annotations;
  return { annotations: others };
}
