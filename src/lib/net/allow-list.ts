import { isIP } from "node:net";
import { compileGlob } from "../text/glob.ts";
import { canonicalAddress, familyOf, listOf } from "./address-class.ts";

export type Allowed = { matches(host: string, address: string): boolean; port: string | null };

/** `host`, `*.example.com`, `10.0.0.5`, `10.0.0.0/8`, each but the last also with `:port`. Null where it is none of them. */
export function parseAllowed(entry: string): Allowed | null {
  const network = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(entry);
  if (network) return allowedNetwork(network[1] ?? "", Number(network[2]));
  const bare = isIP(entry) === 6 ? `[${entry}]` : entry;
  const [, host = "", port = null] = /^(\[[\da-f:.]+\]|[\w*.-]+)(?::(\d{1,5}))?$/i.exec(bare) ?? [];
  if (host === "") return null;
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(name) === 0) return { matches: compileGlob(name), port };
  const ownAddress = canonicalAddress(name);
  return {
    matches: (_host, address) => isIP(address) !== 0 && canonicalAddress(address) === ownAddress,
    port,
  };
}

function allowedNetwork(address: string, bits: number): Allowed | null {
  const family = isIP(address);
  if (family === 0 || bits > (family === 6 ? 128 : 32)) return null;
  const list = listOf(`${address}/${bits}`);
  const matches = (_host: string, candidate: string) => {
    const withoutZone = candidate.replace(/%.*/s, "");
    const candidateFamily = familyOf(withoutZone);
    return candidateFamily !== null && list.check(withoutZone, candidateFamily);
  };
  return { matches, port: null };
}
