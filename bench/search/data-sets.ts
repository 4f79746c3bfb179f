import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../chaos/random.ts";
import type { SampleTool } from "./to-tools.ts";

/** What is needed, and for each of it what would do as well. */
export type SampleQuery = {
  id: string;
  kind: string;
  query: string;
  gold: string[];
  alt?: Record<string, string[]>;
};

export type DataSet = { name: string; tools: SampleTool[]; queries: SampleQuery[] };

export const setNames = ["livemcp", "mcp-big", "toolbench", "seal-tools", "metatool"] as const;

export function loadSet(directory: string, name: string): DataSet {
  const read = <T>(file: string) => readLines<T>(join(directory, name, file));
  const servers = new Map(
    read<{ server: string; title?: string; description?: string }>("servers.jsonl").map((one) => [
      one.server,
      one,
    ]),
  );
  const tools = read<SampleTool>("tools.jsonl").map((tool) => {
    const { title = "", description = "" } = servers.get(tool.server) ?? {};
    return { ...tool, serverTitle: title, serverDescription: description };
  });
  return { name, tools, queries: read<SampleQuery>("queries.jsonl") };
}

function readLines<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

/** So many tools: some of them, or all of them and copies that differ in name, server and a few words. */
export function resize(tools: readonly SampleTool[], size: number): SampleTool[] {
  const { next: random } = createRandom(42);
  const words = [...new Set(tools.flatMap(({ description = "" }) => description.split(/\W+/)))];
  const word = () => words[Math.floor(random() * words.length)] ?? "";
  const order = tools
    .map((tool) => ({ tool, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ tool }) => tool);
  return Array.from({ length: size }, (_, at) => {
    const tool = order[at % order.length] as SampleTool;
    const copy = Math.floor(at / order.length);
    if (copy === 0) return tool;
    return {
      ...tool,
      id: `${tool.id}#${copy}`,
      server: `${tool.server}-${copy}`,
      name: `${tool.name}_${word()}`,
      description: `${tool.description ?? ""} ${word()} ${word()} ${word()}`,
    };
  });
}
