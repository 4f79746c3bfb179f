import type { UnknownObject } from "../../model/json.ts";
import { modernErrors } from "../../protocol/modern-session.ts";
import { legacyVersions, modernVersion } from "../../protocol/session.ts";
import type { RpcFailure } from "./visit.ts";

export const supportedVersions = [modernVersion, ...legacyVersions] as const;

export function missingCapability(requiredCapabilities: UnknownObject): RpcFailure {
  const names = Object.keys(requiredCapabilities).join(", ");
  return {
    code: modernErrors.missingCapability,
    message: `This takes a client that can do this: ${names}. Say so in clientCapabilities.`,
    data: { requiredCapabilities },
  };
}

export function unsupportedVersion(requested: unknown): RpcFailure {
  return {
    code: modernErrors.unsupportedVersion,
    message: `Protocol version '${requested}' is not spoken here without a handshake; ${modernVersion} is.`,
    data: { supported: [modernVersion], requested },
  };
}

export function headerMismatch(message: string): RpcFailure {
  return { code: modernErrors.headerMismatch, message };
}

/** The status that a refusal of this revision has over HTTP; what a server or tool answered is an answer. */
export function statusOf({ code }: RpcFailure): number {
  if (code === -32601) return 404;
  const { headerMismatch: header, missingCapability: missing, unsupportedVersion: version } = modernErrors;
  return code === header || code === missing || code === version ? 400 : 200;
}
