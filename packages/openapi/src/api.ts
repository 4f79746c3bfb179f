import { hashText } from "@toolplane/core/lib/json/stable-json";
import { createLru } from "@toolplane/core/lib/lru";
import { configured } from "@toolplane/core/lib/net/egress";
import { type Address, asAddress, asOwnAddress, type Foreign } from "@toolplane/core/model/foreign";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import type { CredentialTarget, RequestCredentials } from "@toolplane/core/servers";
import { baseUrlOf, serverUrlOf } from "./base-url.ts";
import { createResolver, DocumentProblem, parseDocument } from "./document.ts";
import { loadDocument, type Source, unusable } from "./load-document.ts";
import { type ApiOperation, readOperations } from "./operations.ts";
import { createSchemas } from "./schemas.ts";
import { completeAuth, type SecurityScheme } from "./security.ts";
import { describeTools, type ListedTool } from "./tools.ts";

export type Api = {
  title: string;
  version: string;
  tools: ListedTool[];
  operations: ReadonlyMap<string, ApiOperation>;
  schemes: ReadonlyMap<string, SecurityScheme>;
  base: Foreign<URL>;
  /** Where the document is from; null for a file. */
  source: URL | null;
};

/** Users with sessions of their own read the same document. */
const apis = createLru<Api>(4);

/** Rejects with a TransportError that says what is wrong with it. */
export async function loadApi(
  definition: ServerDefinition,
  signal?: AbortSignal,
  knownMark?: string,
): Promise<{ api: Api; mark: string } | null> {
  const source = await loadDocument(definition, knownMark, signal);
  if (source === null) return null;
  const { openapi, baseUrl, operations } = definition;
  const key = hashText(`${JSON.stringify([openapi, baseUrl, operations])}\n${source.text}`);
  const api = apis.get(key) ?? (await readApi(definition, source));
  apis.set(key, api);
  return { api, mark: source.mark };
}

async function readApi(definition: ServerDefinition, { text, url }: Source): Promise<Api> {
  try {
    const document = await parseDocument(text);
    const resolve = createResolver(document.root);
    const base = baseUrlOf(document, definition.baseUrl, url);
    const { operations, schemes } = await readOperations(document, resolve, definition.operations);
    const tools = await describeTools(operations, createSchemas(document.dialect, resolve));
    const operationsByName = new Map(operations.map((operation) => [operation.name, operation]));
    return {
      title: document.title,
      version: document.version,
      tools,
      operations: operationsByName,
      schemes,
      base,
      source: url,
    };
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) throw unusable(`its OpenAPI document ${thrown.message}`);
    throw thrown;
  }
}

type NamedBy = NonNullable<RequestCredentials["namedBy"]>;

/** Where an operation is called, and by which rules. What a person wrote counts for all of them. */
export async function operationUrl(
  api: Api,
  { servers }: Pick<ApiOperation, "servers">,
  definition: ServerDefinition,
  namedBy: NamedBy,
): Promise<Address> {
  if (definition.baseUrl !== undefined)
    return { url: new URL(definition.baseUrl), gate: configured };
  const judge = await judgeOf(api, namedBy);
  const address = judge(serverUrlOf(servers, api.base, api.source));
  const { url, gate } = address;
  if (api.source?.protocol === "https:" && url.protocol === "http:" && !gate.allowsPlain(url))
    throw unusable(
      `its OpenAPI document came over TLS and names ${url.host} without. Set 'baseUrl' if that is right`,
    );
  return address;
}

/** A file is the person's own; a document from elsewhere may name public addresses and its own. */
async function judgeOf(
  { source }: Api,
  namedBy: NamedBy,
): Promise<(address: Foreign<URL>) => Address> {
  if (source === null) return (address) => asOwnAddress(address, configured);
  const gate = await namedBy(source.href);
  return (address) => asAddress(address, gate);
}

/** What the document adds to the definition: where the API is, and where callers sign in. */
export async function describedBy(
  api: Api,
  definition: ServerDefinition,
  namedBy: NamedBy,
): Promise<CredentialTarget> {
  const { url } = await operationUrl(api, { servers: [] }, definition, namedBy);
  const judge = await judgeOf(api, namedBy);
  const auth = completeAuth(definition.auth, api.schemes, url, (address) => judge(address).url);
  if (auth === undefined) return { url: url.href };
  return { url: url.href, auth };
}

/** What is configured to prove who calls goes to the host of the document, or where a person says. */
export function refuseStrangeOrigin(
  { source }: Api,
  { url }: Address,
  definition: ServerDefinition,
): void {
  const { auth, headers, baseUrl } = definition;
  if (source === null || baseUrl !== undefined || url.origin === source.origin) return;
  if (auth?.token === undefined && auth?.schemes === undefined && Object.keys(headers).length === 0)
    return;
  throw unusable(
    `its OpenAPI document at ${source.host} names ${url.host}, and its credentials go there only if you say so. Set 'baseUrl' to ${url.origin}, or keep the document in a file`,
  );
}
