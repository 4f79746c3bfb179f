import type { Chat } from "./chat-state.ts";
import { mcpVerbs } from "./mcp-verbs.ts";
import { verbs } from "./verbs.ts";

/** What the last word on the line may become, and the word. */
export async function complete(chat: Chat, line: string): Promise<[string[], string]> {
  if (!line.startsWith("/")) return [[], line];
  const words = line.slice(1).split(/\s+/);
  const last = words.at(-1) ?? "";
  if (words.length === 1) return [match(Object.keys(verbs), last).map((verb) => `/${verb} `), line];
  const found = match(await candidates(chat, words), last);
  // What an argument is set to follows at once.
  return [found.map((word) => (word.endsWith("=") ? word : `${word} `)), last];
}

function match(known: readonly string[], start: string): string[] {
  return known.filter((candidate) => candidate.startsWith(start));
}

async function candidates(chat: Chat, [verb, first, ...others]: readonly string[]): Promise<string[]> {
  const { models, toolsets } = chat.plane.config();
  const isFirst = others.length === 0;
  if (verb === "mcp" && isFirst) return Object.keys(mcpVerbs);
  if (verb === "mcp" && others.length === 1 && first !== "search")
    return (await chat.plane.servers()).map(({ name }) => name);
  if (verb === "call" && isFirst) return (await chat.loading.tools()).map(({ name }) => name);
  if (verb === "call") return argumentsOf(chat, first ?? "");
  if (verb === "model") return Object.keys(models);
  if (verb === "toolset") return [...Object.keys(toolsets), "none"];
  if (verb === "style") return ["tools", "react"];
  if (verb === "plan") return ["on", "off", "show"];
  return verb === "approve" || verb === "reject" ? ["all"] : [];
}

/** Its arguments, each with what has to follow. */
async function argumentsOf({ plane }: Chat, name: string): Promise<string[]> {
  const { properties = {} } = (await plane.tool(name)).parameters as {
    properties?: Record<string, { type?: unknown }>;
  };
  return Object.entries(properties).map(([key, { type }]) => `${key}${type === "string" ? "=" : ":="}`);
}
