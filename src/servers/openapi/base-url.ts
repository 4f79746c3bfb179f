import type { UnknownObject } from "../../model/json.ts";
import { type ApiDocument, DocumentProblem, listIn, objectIn, textIn } from "./document.ts";

/** Where the API is: as configured, as the document says, or where the document is. */
export function baseUrlOf(document: ApiDocument, configured: string | undefined, source: URL | null): URL {
  if (configured !== undefined) return new URL(configured);
  const { root, dialect } = document;
  const said = dialect === "2.0" ? legacyAddress(root, source) : serverAddress(listIn(root.servers));
  return absolute(said ?? "/", source);
}

/** An operation's own place, where it has one. */
export function placeOf(servers: readonly unknown[], base: URL, source: URL | null): URL {
  const said = serverAddress(servers);
  return said === undefined ? base : absolute(said, source ?? base);
}

function absolute(address: string, source: URL | null): URL {
  const url = URL.canParse(address, source?.href) ? new URL(address, source?.href) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new DocumentProblem("does not say where the API is. Set 'baseUrl' to its address");
  if (url.username !== "" || url.password !== "")
    throw new DocumentProblem("names an address with a user name or password. Set 'baseUrl' and 'auth' instead");
  url.search = "";
  url.hash = "";
  return url;
}

/** The first is the usual one; its variables have defaults. */
function serverAddress(servers: readonly unknown[]): string | undefined {
  const { url, variables } = objectIn(servers[0]);
  const values = objectIn(variables);
  return textIn(url)?.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const { default: usual, enum: allowed } = objectIn(values[name]);
    return String(usual ?? listIn(allowed)[0] ?? "");
  });
}

function legacyAddress({ host, basePath, schemes }: UnknownObject, source: URL | null): string | undefined {
  const path = textIn(basePath) ?? "/";
  const name = textIn(host);
  if (name === undefined) return source === null ? undefined : path;
  const offered = listIn(schemes);
  const usual = source?.host === name ? source.protocol.slice(0, -1) : "https";
  const scheme = offered.length === 0 ? usual : offered.includes("https") ? "https" : String(offered[0]);
  return `${scheme}://${name}${path.startsWith("/") ? path : `/${path}`}`;
}
