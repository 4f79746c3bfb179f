import type { Pin, PinHead } from "../../../model/catalogue/pin.ts";
import type { UnknownObject } from "../../../model/json.ts";
import { scanDefinition, scanVersion } from "../poisoning/scan-definition.ts";
import { definitionOf, hashOf, quickHashOf } from "./fingerprint.ts";

/** The definition of today, as one that was seen first. */
export function toHead(tool: string, entry: UnknownObject): PinHead {
  const cleanBy = scanDefinition(entry).length === 0 ? scanVersion : null;
  return { tool, state: "seen", hash: hashOf(entry), quickHash: quickHashOf(entry), cleanBy };
}

export function toPin(
  { server, identity }: { server: string; identity: string },
  tool: string,
  entry: UnknownObject,
): Pin {
  return {
    ...toHead(tool, entry),
    identity,
    server,
    definition: quickHashOf(entry) === null ? null : definitionOf(entry),
    at: new Date().toISOString(),
    by: { user: null, face: null, system: `server ${server}` },
    reason: null,
  };
}
