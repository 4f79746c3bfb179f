import { withPages } from "../../../model/catalogue/tool-page.ts";
import type { UnknownObject } from "../../../model/json.ts";

/** Servers choose such addresses by themselves: of pages and of files of skills. */
const schemes = ["ui://", "skill://"] as const;
/** After the server's name: no address of a server has it by chance. */
const mark = ".toolplane/";

const schemeOf = (address: string) => schemes.find((scheme) => address.startsWith(scheme));

/** Is it shown under the name of its server? */
export const isScoped = (address: string): boolean => schemeOf(address) !== undefined;

/** Two servers may have the same address, so clients know each under the name of its server. */
export function showScoped(server: string, address: string): string {
  const scheme = schemeOf(address) ?? "";
  return `${scheme}${encodeURIComponent(server)}${mark}${address.slice(scheme.length)}`;
}

/** `_meta` of a tool or result as clients read it. */
export function showLinks(meta: UnknownObject, server: string): UnknownObject {
  return withPages(meta, (address) => showScoped(server, address));
}

/** What a client means; undefined for an address that is none of ours. */
export function readScoped(
  shown: string,
  servers: Iterable<string>,
): { server: string; uri: string } | undefined {
  const scheme = schemeOf(shown);
  const markIndex = shown.indexOf(mark);
  if (scheme === undefined || markIndex < 0) return undefined;
  const serverPart = shown.slice(scheme.length, markIndex);
  for (const server of servers)
    if (encodeURIComponent(server) === serverPart)
      return { server, uri: `${scheme}${shown.slice(markIndex + mark.length)}` };
  return undefined;
}
