import { propertyName, renderSchemaType } from "../../lib/json/schema-type.ts";
import { sliceText } from "../../lib/text/cut-text.ts";
import { accessor, foldIdentifier } from "../../lib/text/identifier.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import type { Tool, ToolId } from "./tool.ts";

type Named = Pick<Tool, "id">;
type Declared = Named & Pick<Tool, "description" | "parameters" | "outputSchema">;

/** Names in a program: folded ones, where they stand for one thing only. */
function foldAll(names: Iterable<string>): {
  written: Map<string, string>;
  meant: Map<string, string>;
} {
  const byFolded = Map.groupBy(new Set(names), foldIdentifier);
  const written = new Map<string, string>();
  const meant = new Map<string, string>();
  for (const [folded, alike] of byFolded)
    for (const name of alike) {
      const isFree = alike.length === 1 || name === folded;
      written.set(name, isFree ? folded : name);
      meant.set(isFree ? folded : name, name);
      meant.set(name, name);
    }
  return { written, meant };
}

export type ToolPaths = ReturnType<typeof createToolPaths>;

/** `tools.server.tool`, and back. Tools without a server are `tools.tool`. */
export function createToolPaths(tools: readonly Named[]) {
  const servers = foldAll(tools.flatMap(({ id }) => id.server ?? []));
  const toolsByServer = Map.groupBy(tools, ({ id }) => id.server);
  const folded = new Map<string | null, ReturnType<typeof foldAll>>();
  const namesOf = (server: string | null) => {
    const foldedNames =
      folded.get(server) ?? foldAll((toolsByServer.get(server) ?? []).map(({ id }) => id.tool));
    folded.set(server, foldedNames);
    return foldedNames;
  };
  /** As a program writes them: the name of the server, where there is one, and then that of the tool. */
  const pathOf = ({ server, tool }: ToolId): string[] => [
    ...(server === null ? [] : [servers.written.get(server) ?? server]),
    namesOf(server).written.get(tool) ?? tool,
  ];
  return {
    pathOf,
    /** `tools.github.create_issue` */
    render: (id: ToolId) => `tools${pathOf(id).map(accessor).join("")}`,
    serverOf: (name: string) => servers.meant.get(name),
    /** Undefined where the path leads to no known tool. */
    find([first = "", ...rest]: readonly string[]): ToolId | undefined {
      const server = rest.length === 0 ? null : servers.meant.get(first);
      if (server === undefined) return undefined;
      const { meant } = namesOf(server);
      const written = server === null ? [first] : [rest.join("."), rest.join("_")];
      const tool = written.map((name) => meant.get(name)).find((name) => name !== undefined);
      return tool === undefined ? undefined : { server, tool };
    },
  };
}

const maxNote = 120;
const maxPropertyNote = 60;

/** The first sentence, on one line. */
function shorten(description: string, most: number): string {
  const text = plainText(description).replaceAll(/\s+/g, " ").replaceAll("*/", "* /").trim();
  const first = /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return first.length > most ? `${sliceText(first, 0, most - 1).trimEnd()}…` : first;
}

const maxShortDepth = 6;

/**
 * Tools as TypeScript, grouped by server in the order given. With `isShort` a type is on one line: without notes on properties,
 * and without what is nested deeper than `maxShortDepth`.
 */
export function renderDeclarations(
  tools: readonly Declared[],
  { pathOf }: Pick<ToolPaths, "pathOf">,
  { isShort = false } = {},
): string {
  const comment = ({ description }: { description?: unknown }) =>
    typeof description === "string" && description !== ""
      ? `/** ${shorten(description, maxPropertyNote)} */`
      : "";
  const options = isShort ? { maxDepth: maxShortDepth } : { comment };
  const declare = (tool: Declared, indent: string) => {
    const type = (schema: unknown) => {
      const text = renderSchemaType(schema, options);
      return isShort
        ? text.replaceAll(/\n\s*/g, " ").replaceAll("; }", " }")
        : text.replaceAll("\n", `\n${indent}`);
    };
    const args = type(tool.parameters);
    const isOptional =
      !Array.isArray(tool.parameters.required) || tool.parameters.required.length === 0;
    const parameterText =
      args === "{}" || args === "Record<string, unknown>"
        ? ""
        : `args${isOptional ? "?" : ""}: ${args}`;
    const returnType = tool.outputSchema === undefined ? "any" : type(tool.outputSchema);
    const [name = ""] = pathOf(tool.id).slice(-1);
    const note = shorten(tool.description, maxNote);
    const key = propertyName(name);
    return `${note === "" ? "" : `${indent}/** ${note} */\n`}${indent}${key}(${parameterText}): Promise<${returnType}>;`;
  };
  const groups = [...Map.groupBy(tools, ({ id }) => id.server)].map(([server, members]) => {
    if (server === null) return members.map((tool) => declare(tool, "  ")).join("\n");
    const [key = ""] = pathOf((members[0] as Declared).id);
    return `  ${propertyName(key)}: {\n${members.map((tool) => declare(tool, "    ")).join("\n")}\n  };`;
  });
  return `declare const tools: {\n${groups.join("\n")}\n};`;
}
