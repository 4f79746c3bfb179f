import { translateManifests } from "../../catalogue/catalogue.ts";
import { once } from "../../lib/async/once.ts";
import { fenceUntrusted, plainText } from "../../lib/text/plain-text.ts";
import type { Provider, ProviderContext } from "../../model/calls/provider.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { ResultPage } from "../../model/calls/result-schema.ts";
import { pageLimits, type ResultQuery } from "../../model/calls/stored-result.ts";
import { allMetaTools, codeTools, metaToolNames } from "../../model/catalogue/meta-tools.ts";
import { type Tool, type ToolId, ToolManifest } from "../../model/catalogue/tool.ts";
import { errorTable, PlaneError, toPlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { anonymous, type Principal } from "../../model/principal.ts";
import { neverSent } from "./mapping.ts";

/** The caller's mistakes are answers; what it throws is a failure. */
type BuiltinTool = (
  args: JsonObject,
  context: Pick<ProviderContext, "principal" | "signal">,
) => Promise<ToolResult>;

export function createBuiltinProvider(tools: ReadonlyMap<string, BuiltinTool>): Provider {
  return async ({ config }, args, { principal, signal }) => {
    const run = tools.get(String(config.tool));
    if (run) return run(args, { principal, signal });
    throw neverSent("NO_PROVIDER", `There is no built-in tool '${config.tool}'.`);
  };
}

const { characters, lines, matches } = pageLimits;
const offsetText = "Where to begin: a character, with 'lines' a line, with 'grep' a match";
const limitText = `How many: ${characters.usual} characters, ${lines.usual} lines or ${matches.usual} matches when left out`;

export const readResultManifest: ToolManifest = ToolManifest.parse({
  name: "read_result",
  description:
    "Reads a part of a result that was too large to be shown whole, by the id that was given in its place. Ask for the next part with 'offset', for one value of JSON with 'path', or for the lines that contain something with 'grep'.",
  side_effects: "none",
  allow_parallel: true,
  parameters: {
    type: "object",
    properties: {
      id: { type: "string", description: "The id of the result, such as r_0123456789abcdef0123" },
      offset: { type: "integer", minimum: 0, description: offsetText },
      limit: { type: "integer", minimum: 1, description: limitText },
      path: { type: "string", description: "A place in JSON, as /items/0/name or items.0.name" },
      grep: { type: "string", description: "A regular expression (RE2) to look for in each line" },
      lines: { type: "boolean", description: "Count lines instead of characters" },
    },
    required: ["id"],
    additionalProperties: false,
  },
  providers: [{ name: "builtin", config: { tool: "read_result" } }],
});

type Read = (id: string, query: ResultQuery, reader: Principal) => Promise<ResultPage>;

export function createReadResult(read: Read): BuiltinTool {
  return async ({ id, ...query }, { principal = anonymous }) => {
    try {
      const page = await read(String(id), query as ResultQuery, principal);
      return { content: [{ type: "text", text: renderPage(page) }] };
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      if (errorTable[code].category !== "validation") throw thrown;
      return { content: [{ type: "text", text: message }], isError: true };
    }
  };
}

function renderPage({ id, tool, unit, offset, total, nextOffset, text }: ResultPage): string {
  if (total === 0) return `${id}: there are no ${unit} to show.`;
  const nextStep = nextOffset === null ? "This is the end." : `Go on with "offset": ${nextOffset}.`;
  const name = plainText(tool)
    .replaceAll(/[<\s]+/g, " ")
    .slice(0, 100);
  const range = `${unit} ${offset} to ${nextOffset ?? total} of ${total}`;
  return [`${id} of '${name}': ${range}. ${nextStep}`, fenceUntrusted(text)].join("\n");
}

/** Found by id only: just lazy clients list them. `call_tool` is the call of the tool that it names. */
const metaTools = once(() => {
  const declared = [...allMetaTools, ...codeTools]
    .filter(({ name }) => name !== metaToolNames.call)
    .map(({ name, description, inputSchema: parameters }) => ({
      manifest: ToolManifest.parse({
        name,
        description,
        parameters,
        side_effects: "none",
        allow_parallel: true,
        providers: [{ name: "builtin", config: { tool: name } }],
      }),
      source: "builtin",
    }));
  const tools = translateManifests(declared).tools.map((tool): Tool => {
    const { tool: name } = tool.id;
    return { ...tool, name, modelName: name };
  });
  return new Map(tools.map((tool) => [tool.name, tool]));
});

export function findMetaTool(reference: string | ToolId): Tool | undefined {
  if (typeof reference === "object" && reference.server === null)
    return metaTools().get(reference.tool);
  return undefined;
}

/** Only the face knows what the client has. */
export function withMetaTools(provider: Provider): Provider {
  return async (spec, args, context) => {
    const tool = String(spec.config.tool);
    if (!metaTools().has(tool)) return provider(spec, args, context);
    if (context.onOwnTool) return context.onOwnTool(tool, args, context.signal);
    throw new PlaneError(
      "NO_PROVIDER",
      `'${tool}' is for MCP clients. Search with 'toolplane search'.`,
      {
        data: { sent: false, retryAt: null, personHints: ["Search with 'toolplane search'."] },
      },
    );
  };
}
