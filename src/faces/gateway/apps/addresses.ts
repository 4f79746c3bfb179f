import { isPageAddress, withPages } from "../../../model/catalogue/tool-page.ts";
import type { UnknownObject } from "../../../model/json.ts";

const scheme = "ui://";
/** After the server's name: no page of a server has such an address by chance. */
const mark = ".toolplane/";

/** Two servers may have a page of the same address, so clients know each under the name of its server. */
export function showPage(server: string, address: string): string {
  return `${scheme}${encodeURIComponent(server)}${mark}${address.slice(scheme.length)}`;
}

/** `_meta` of a tool or result as clients read it. */
export function showLinks(meta: UnknownObject, server: string): UnknownObject {
  return withPages(meta, (address) => showPage(server, address));
}

/** The page that a client means; undefined for an address that is none of ours. */
export function readPage(shown: string, servers: Iterable<string>): { server: string; uri: string } | undefined {
  if (!isPageAddress(shown)) return undefined;
  const at = shown.indexOf(mark);
  if (at < 0) return undefined;
  const named = shown.slice(scheme.length, at);
  for (const server of servers)
    if (encodeURIComponent(server) === named) return { server, uri: `${scheme}${shown.slice(at + mark.length)}` };
  return undefined;
}
