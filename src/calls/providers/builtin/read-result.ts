import { fenceUntrusted, plainText } from "../../../lib/text/plain-text.ts";
import { pageLimits, type ResultPage, type ResultQuery } from "../../../model/calls/stored-result.ts";
import { ToolManifest } from "../../../model/catalogue/tool.ts";
import { errorTable, toPlaneError } from "../../../model/errors.ts";
import { type Principal, principalOf } from "../../../model/principal.ts";
import type { BuiltinTool } from "./builtin.ts";

const { characters, lines, matches } = pageLimits;

/** The tool that a model reads large results with. */
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
      offset: {
        type: "integer",
        minimum: 0,
        description: "Where to begin: a character, with 'lines' a line, with 'grep' a match",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: `How many: ${characters.usual} characters, ${lines.usual} lines or ${matches.usual} matches when left out`,
      },
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

/** Reads as whoever calls, and never more than is theirs. */
export function createReadResult(read: Read): BuiltinTool {
  return async ({ id, ...query }, { owner }) => {
    try {
      const page = await read(String(id), query as ResultQuery, principalOf({ user: owner.user }));
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
  const end = nextOffset ?? total;
  const next = nextOffset === null ? "This is the end." : `Go on with "offset": ${nextOffset}.`;
  return [
    `${id} of '${plainText(tool)
      .replaceAll(/[<\s]+/g, " ")
      .slice(0, 100)}': ${unit} ${offset} to ${end} of ${total}. ${next}`,
    fenceUntrusted(text),
  ].join("\n");
}
