import { type Foreign, foreign, joined, urlOf, withoutQuery } from "@toolplane/core/model/foreign";
import type { UnknownObject } from "@toolplane/core/model/json";
import { type ApiDocument, DocumentProblem, listIn, objectOrEmpty, textIn } from "./document.ts";

/** Where the API is: as configured, as the document says, or where the document is. */
export function baseUrlOf(
  document: ApiDocument,
  configured: string | undefined,
  source: URL | null,
): Foreign<URL> {
  if (configured !== undefined) return foreign(new URL(configured));
  const { root, dialect } = document;
  const said =
    dialect === "2.0" ? legacyAddress(root, source) : serverAddress(listIn(root.servers));
  return absolute(said ?? foreign("/"), source);
}

/** An operation's own place, where it has one. */
export function serverUrlOf(
  servers: readonly unknown[],
  base: Foreign<URL>,
  source: URL | null,
): Foreign<URL> {
  const said = serverAddress(servers);
  return said === undefined ? base : absolute(said, source ?? base);
}

function absolute(address: Foreign<string>, source: URL | Foreign<URL> | null): Foreign<URL> {
  const url = urlOf(address, source);
  if (url !== null) return withoutQuery(url);
  throw new DocumentProblem(
    "does not say where the API is, or with a user name or password. Set 'baseUrl' to its address, and 'auth'",
  );
}

/** The first is the usual one; its variables have defaults. */
function serverAddress(servers: readonly unknown[]): Foreign<string> | undefined {
  const { url, variables } = objectOrEmpty(servers[0]);
  const values = objectOrEmpty(variables);
  const filled = textIn(url)?.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const { default: usual, enum: allowed } = objectOrEmpty(values[name]);
    return String(usual ?? listIn(allowed)[0] ?? "");
  });
  return filled === undefined ? undefined : foreign(filled);
}

function legacyAddress(
  { host, basePath, schemes }: UnknownObject,
  source: URL | null,
): Foreign<string> | undefined {
  const path = textIn(basePath) ?? "/";
  const name = textIn(host);
  if (name === undefined) return source === null ? undefined : foreign(path);
  const offered = listIn(schemes);
  const usual = source?.host === name ? source.protocol.slice(0, -1) : "https";
  const scheme =
    offered.length === 0 ? usual : offered.includes("https") ? "https" : String(offered[0]);
  return joined(`${scheme}://`, foreign(name), path.startsWith("/") ? path : `/${path}`);
}
