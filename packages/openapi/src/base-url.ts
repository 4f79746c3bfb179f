import { type Foreign, foreign, joined, urlOf, withoutQuery } from "@toolplane/core/model/foreign";
import { listOrEmpty, objectOrEmpty, type UnknownObject } from "@toolplane/core/model/json";
import { type ApiDocument, DocumentProblem, textIn } from "./document.ts";

/** Where the API is: as configured, as the document says, or where the document is. */
export function baseUrlOf(
  document: ApiDocument,
  configuredUrl: string | undefined,
  source: URL | null,
): Foreign<URL> {
  if (configuredUrl !== undefined) return foreign(new URL(configuredUrl));
  const { root, dialect } = document;
  const address =
    dialect === "2.0" ? legacyAddress(root, source) : serverAddress(listOrEmpty(root.servers));
  return absolute(address ?? foreign("/"), source);
}

/** An operation's own place, where it has one. */
export function serverUrlOf(
  servers: readonly unknown[],
  base: Foreign<URL>,
  source: URL | null,
): Foreign<URL> {
  const address = serverAddress(servers);
  if (address === undefined) return base;
  return absolute(address, source ?? base);
}

function absolute(address: Foreign<string>, source: URL | Foreign<URL> | null): Foreign<URL> {
  const url = urlOf(address, source);
  if (url !== null) return withoutQuery(url);
  throw new DocumentProblem(
    "does not say where the API is, or with a user name or password. Set 'baseUrl' to its address, and 'auth'",
  );
}

/** The first is the usual one; its variables have defaults. */
/** The first is the usual one; its variables have defaults. */
function serverAddress(servers: readonly unknown[]): Foreign<string> | undefined {
  const { url, variables } = objectOrEmpty(servers[0]);
  const address = textIn(url)?.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = objectOrEmpty(objectOrEmpty(variables)[name]);
    return String(variable.default ?? listOrEmpty(variable.enum)[0] ?? "");
  });
  return address === undefined ? undefined : foreign(address);
}

function legacyAddress(
  { host, basePath, schemes }: UnknownObject,
  source: URL | null,
): Foreign<string> | undefined {
  const path = textIn(basePath) ?? "/";
  const name = textIn(host);
  if (name === undefined) return source === null ? undefined : foreign(path);
  const scheme = legacyScheme(listOrEmpty(schemes), source?.host === name ? source : null);
  return joined(`${scheme}://`, foreign(name), path.startsWith("/") ? path : `/${path}`);
}

/** TLS where it is offered; without an offer, as the document of the same host came. */
function legacyScheme(offeredSchemes: readonly unknown[], source: URL | null): string {
  if (offeredSchemes.includes("https")) return "https";
  if (offeredSchemes.length > 0) return String(offeredSchemes[0]);
  return source === null ? "https" : source.protocol.slice(0, -1);
}
