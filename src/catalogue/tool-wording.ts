import type { Tool } from "../model/catalogue/tool.ts";

/** What words are looked for in, in small letters. */
type Wording = { text: string; providers: string; capabilities: string };

// The same catalogue is asked again and again, and a tool never changes.
const known = new WeakMap<Tool, Wording>();

export function wordingOf(tool: Tool): Wording {
  const before = known.get(tool);
  if (before) return before;
  const { name, title = "", description, metadata, providers } = tool;
  const wording = {
    text: [name, title, description, ...metadata.capabilities].join("\n").toLowerCase(),
    providers: asWords(providers.map((provider) => provider.name)),
    capabilities: asWords(metadata.capabilities),
  };
  known.set(tool, wording);
  return wording;
}

const knownTexts = new WeakMap<readonly Tool[], readonly string[]>();

/** What words are looked for in, for each tool of a list. */
export function textsOf(tools: readonly Tool[]): readonly string[] {
  const texts = knownTexts.get(tools) ?? tools.map((tool) => wordingOf(tool).text);
  knownTexts.set(tools, texts);
  return texts;
}

/** So that a whole word is found and no part of one. */
export function asWords(words: readonly string[]): string {
  return `\0${words.join("\0\0").toLowerCase()}\0`;
}
