import type { Tool, ToolId } from "../model/tool.ts";
import { createToolNameIndex, type ToolNameIndex, toolKey } from "../model/tool-name.ts";
import type { NamelessTool, Translation } from "./sources/mcp.ts";

/** The registry at one moment. Never changed, only replaced. */
export type Snapshot = {
  revision: number;
  tools: readonly Tool[];
  index: ToolNameIndex;
  byId(id: ToolId): Tool | undefined;
};

export type Registry = {
  snapshot(): Snapshot;
  /** Replaces everything one source offers. */
  setSource(source: string, translation: Translation): void;
  removeSource(source: string): void;
  listed(source: string): { tools: number; rejected: Translation["rejected"] };
};

export function createRegistry(onChange: (snapshot: Snapshot) => void): Registry {
  const sources = new Map<string, Translation>();
  let current = takeSnapshot(0, []);

  const replace = () => {
    current = takeSnapshot(
      current.revision + 1,
      [...sources.values()].flatMap(({ tools }) => tools),
    );
    onChange(current);
  };

  return {
    snapshot: () => current,
    setSource(source, translation) {
      const before = sources.get(source);
      sources.set(source, translation);
      // Servers announce changes that are none, and list again what is known.
      if (!before || JSON.stringify(before.tools) !== JSON.stringify(translation.tools)) replace();
    },
    removeSource(source) {
      if (sources.delete(source)) replace();
    },
    listed(source) {
      const { tools, rejected } = sources.get(source) ?? { tools: [], rejected: [] };
      return { tools: tools.length, rejected };
    },
  };
}

function takeSnapshot(revision: number, offered: readonly NamelessTool[]): Snapshot {
  const index = createToolNameIndex(offered.map(({ id }) => id));
  const tools = offered
    .map((tool) => Object.freeze({ ...tool, name: index.name(tool.id), modelName: index.modelName(tool.id) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const keyed = new Map(tools.map((tool) => [toolKey(tool.id), tool]));
  return Object.freeze({ revision, tools, index, byId: (id: ToolId) => keyed.get(toolKey(id)) });
}
