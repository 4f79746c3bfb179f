import { hashText } from "../../lib/json/stable-json.ts";
import { createLru } from "../../lib/lru.ts";
import { configured, type Gate } from "../../lib/net/egress.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Access, Described } from "../transports/http-request.ts";
import { baseUrlOf, placeOf } from "./base-url.ts";
import { createResolver, DocumentProblem, parseDocument } from "./document.ts";
import { loadDocument, type Source, unusable } from "./load-document.ts";
import { type Operation, readOperations } from "./operations.ts";
import { createSchemas } from "./schemas.ts";
import { completeAuth, type SecurityScheme } from "./security.ts";
import { describeTools, type ListedTool } from "./tools.ts";

export type Api = {
  title: string;
  version: string;
  tools: ListedTool[];
  operations: ReadonlyMap<string, Operation>;
  schemes: ReadonlyMap<string, SecurityScheme>;
  base: URL;
  source: URL | null;
};

/** Users with sessions of their own read the same document. */
const read = createLru<Api>(4);

/** Rejects with a TransportError that says what is wrong with it. */
export async function loadApi(
  definition: ServerDefinition,
  signal?: AbortSignal,
  known?: string,
): Promise<{ api: Api; mark: string } | null> {
  const source = await loadDocument(definition, known, signal);
  if (source === null) return null;
  const { openapi, baseUrl, operations } = definition;
  const key = hashText(`${JSON.stringify([openapi, baseUrl, operations])}\n${source.text}`);
  const api = read.get(key) ?? (await readApi(definition, source));
  read.set(key, api);
  return { api, mark: source.mark };
}

async function readApi(definition: ServerDefinition, { text, url }: Source): Promise<Api> {
  try {
    const document = await parseDocument(text);
    const resolve = createResolver(document.root);
    const base = baseUrlOf(document, definition.baseUrl, url);
    const { operations, schemes } = readOperations(document, resolve, definition.operations);
    const tools = describeTools(operations, createSchemas(document.dialect, resolve));
    const byName = new Map(operations.map((operation) => [operation.name, operation]));
    return { title: document.title, version: document.version, tools, operations: byName, schemes, base, source: url };
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) throw unusable(`its OpenAPI document ${thrown.message}`);
    throw thrown;
  }
}

export function describedBy({ base, schemes }: Api, { auth }: ServerDefinition): Described {
  const complete = completeAuth(auth, schemes, base);
  return { url: base.href, ...(complete !== undefined && { auth: complete }) };
}

/** Where an operation is called, and by which rules. What a person wrote counts for all of them. */
export async function addressOf(
  { base, source }: Api,
  { servers }: Pick<Operation, "servers">,
  { baseUrl }: ServerDefinition,
  namedBy: NonNullable<Access["namedBy"]>,
): Promise<{ place: URL; gate: Gate }> {
  if (baseUrl !== undefined) return { place: base, gate: configured };
  const place = placeOf(servers, base, source);
  // A file is the person's own; a document from elsewhere may name public addresses and its own.
  if (source === null) return { place, gate: configured };
  const gate = await namedBy(source.href);
  if (source.protocol === "https:" && place.protocol === "http:" && !gate.allowsPlain(place))
    throw unusable(
      `its OpenAPI document came over TLS and names ${place.host} without. Set 'baseUrl' if that is right`,
    );
  return { place, gate };
}
