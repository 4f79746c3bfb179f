import { isObject, type UnknownObject } from "../model/json.ts";
import type { Peer } from "./peer.ts";
import { type ClientDescription, legacyVersions, type Session } from "./session.ts";

/** Opens with a handshake: we offer the newest revision and take what the server answers if we know it. */
export async function openLegacySession(peer: Peer, client: ClientDescription, signal: AbortSignal): Promise<Session> {
  const { info: clientInfo, capabilities } = client;
  const params = { protocolVersion: legacyVersions[0], capabilities, clientInfo };
  return acceptHandshake(peer, await peer.request("initialize", params, { signal }), client.logLevel);
}

function acceptHandshake(peer: Peer, result: unknown, level: string | undefined): Session {
  const given = isObject(result) ? result : {};
  const known = legacyVersions.find((candidate) => candidate === given.protocolVersion);
  if (known === undefined) {
    const spoken = JSON.stringify(given.protocolVersion) ?? "of no version";
    throw new Error(`it speaks protocol ${spoken}; known are ${legacyVersions.join(", ")}`);
  }
  const described = describeServer(given);
  return {
    era: "legacy",
    protocolVersion: known,
    ...described,
    serverInfo: isObject(given.serverInfo) ? given.serverInfo : null,
    request: peer.request,
    watch() {
      // A server without levels sends what it likes.
      if (level !== undefined && described.capabilities.logging !== undefined) {
        void peer.request("logging/setLevel", { level }).catch(() => undefined);
      }
    },
    end() {},
  };
}

/** What both eras tell about a server in the same words. */
export function describeServer(given: UnknownObject): Pick<Session, "capabilities" | "instructions"> {
  return {
    capabilities: isObject(given.capabilities) ? given.capabilities : {},
    instructions: typeof given.instructions === "string" ? given.instructions : null,
  };
}
