import type { Audience, NewChange } from "../../model/change.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { NamelessTool } from "../sources/mcp.ts";
import { translateTools } from "../sources/mcp.ts";
import { compareListings } from "./compare-listings.ts";
import type { DescribedEntry } from "./describe-entry.ts";
import { firstSeen, toChange } from "./entry-changes.ts";

export type ListedServer = {
  name: string;
  definition: ServerDefinition;
  era: "legacy" | "modern";
  /** How many of its tools the catalogue has. */
  size: number;
};

type Mask = (value: unknown) => unknown;

/** What a server's new list changed; `before` is null when nothing was known of it. */
export async function serverChanges(
  server: ListedServer,
  before: readonly unknown[] | null,
  after: readonly unknown[],
  { revision, mask }: { revision: number; mask: Mask },
): Promise<NewChange[]> {
  const by = { user: null, face: null, system: `server ${server.name}` };
  if (before === null) return [firstListing(server, by, revision)];
  const different = await compareListings(before, after, nameOf);
  return different.flatMap((pair) => {
    const [earlier, later] = [pair.before, pair.after].map((raw) => describe(raw, server, mask));
    // Neither was ever in the catalogue, or only what nobody sees is different.
    if (!earlier && !later) return [];
    if (earlier && later && JSON.stringify(earlier) === JSON.stringify(later)) return [];
    return [toChange({ before: earlier ?? null, after: later ?? null }, { by, reason: null, revision })];
  });
}

function firstListing(
  { name, definition, size }: ListedServer,
  by: NewChange["by"],
  revision: number,
): NewChange {
  const audience = audienceOf(name, definition);
  const { persona } = definition;
  const what = { what: "server", name, persona, source: `mcp:${name}` } as const;
  return firstSeen({ ...what, by, count: size, revision, audience });
}

/** Those who may use the server now, and may have used it then. */
function audienceOf(name: string, { groups, persona, workspaces }: ServerDefinition): Audience {
  const within = workspaces.length === 0 ? {} : { workspaces };
  return { groups, persona, personas: null, ...within, servers: [name] };
}

function nameOf(raw: unknown): string {
  return isObject(raw) ? String(raw.name) : "";
}

/** A listed tool as the catalogue has it; undefined when it has it not. */
function describe(raw: unknown, server: ListedServer, mask: Mask): DescribedEntry | undefined {
  if (raw === null) return undefined;
  const { name, definition, era } = server;
  const [tool] = translateTools(name, definition, [raw], era).tools;
  if (tool === undefined) return undefined;
  const { persona } = definition;
  return {
    kind: "tool",
    name: `${name}.${tool.id.tool}`,
    persona,
    source: tool.source,
    definition: mask(definitionOf(tool)) as JsonObject,
    audience: audienceOf(name, definition),
  };
}

/** What the server itself says of it. */
function definitionOf({
  title,
  description,
  parameters,
  outputSchema,
  annotations,
}: NamelessTool): JsonObject {
  return JSON.parse(
    JSON.stringify({ title, description, parameters, outputSchema, annotations }),
  ) as JsonObject;
}
