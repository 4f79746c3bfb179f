import { isObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { isManifestEntry, readManifestEntry } from "./manifest-entry.ts";
import { readMcpToolEntry } from "./mcp-tool-entries.ts";
import { isName, type Reading } from "./reading.ts";
import { isServer } from "./server.ts";
import type { Shape } from "./shape.ts";
import { readToolsMcpBlock } from "./tools-mcp-block.ts";

type Context = { fallbackName?: string; tellsAssumed: boolean };

/** Is this one tool, in either way to write one? */
export function isToolEntry(value: unknown): boolean {
  return (
    isManifestEntry(value) ||
    (isObject(value) && isName(value.type) && isName(value.name) && !isServer(value))
  );
}

/** A tool written by hand; those that lead to a remote tool say so with their type. */
export function readToolEntry(reading: Reading, entry: unknown, source: Path, context: Context): void {
  if (!isObject(entry)) return reading.fail(source, "a tool must be an object");
  if (isName(entry.type)) readMcpToolEntry(reading, entry, source, context);
  else readManifestEntry(reading, entry, source, context);
}

/** `tools`: a list or a map of tools written by hand, in which `mcp` may be a block of servers. */
export const handWrittenTools: Shape = {
  keys: ["tools"],
  read(reading, { tools }) {
    if (Array.isArray(tools)) {
      for (const [at, entry] of tools.entries()) {
        readToolEntry(reading, entry, ["tools", at], { tellsAssumed: false });
      }
    } else if (isObject(tools)) {
      for (const [name, entry] of Object.entries(tools)) {
        const source = ["tools", name];
        if (name === "mcp" && isObject(entry) && !isToolEntry(entry))
          readToolsMcpBlock(reading, entry, source);
        else readToolEntry(reading, entry, source, { fallbackName: name, tellsAssumed: false });
      }
    } else if ((tools ?? null) !== null) reading.fail(["tools"], "must be a list or an object of tools");
  },
};
