import type { IncomingHttpHeaders } from "node:http";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { type LogLevel, logLevels } from "../../model/servers/server.ts";
import { decodeHeaderValue, paramHeaders } from "../../protocol/http-headers.ts";
import { modernErrors } from "../../protocol/modern-session.ts";
import { legacyVersions, modernVersion } from "../../protocol/session.ts";
import { objectIn, type Request, type RequestContext, type RpcFailure } from "./request.ts";

export const supportedVersions = [modernVersion, ...legacyVersions] as const;

export function missingCapability(requiredCapabilities: UnknownObject): RpcFailure {
  const names = Object.keys(requiredCapabilities).join(", ");
  return {
    code: modernErrors.missingCapability,
    message: `This takes a client that can do this: ${names}. Say so in clientCapabilities.`,
    data: { requiredCapabilities },
  };
}

function unsupportedVersion(requested: unknown): RpcFailure {
  return {
    code: modernErrors.unsupportedVersion,
    message: `Protocol version '${requested}' is not spoken here without a handshake; ${modernVersion} is.`,
    data: { supported: [modernVersion], requested },
  };
}

function headerMismatch(message: string): RpcFailure {
  return { code: modernErrors.headerMismatch, message };
}

/** Over HTTP; an answer of a server or tool is no refusal. */
export function statusOf({ code }: RpcFailure): number {
  if (code === -32601) return 404;
  const { headerMismatch: header, missingCapability: missing, unsupportedVersion: version } = modernErrors;
  return code === header || code === missing || code === version ? 400 : 200;
}

const prefix = "io.modelcontextprotocol/";
const versionKey = `${prefix}protocolVersion`;

/** Does the request name its revision? */
export function saysItsVersion(params: unknown): boolean {
  return isObject(params) && isObject(params._meta) && params._meta[versionKey] !== undefined;
}

type Envelope = Pick<RequestContext, "client" | "logLevel"> & { version: string };

/** Who makes a modern request, or what is missing. */
export function readEnvelope(params: UnknownObject): Envelope | RpcFailure {
  const meta = objectIn(params, "_meta");
  const version = meta[versionKey];
  const capabilities = meta[`${prefix}clientCapabilities`];
  if (typeof version !== "string") return missing("protocolVersion");
  if (!isObject(capabilities)) return missing("clientCapabilities");
  const info = meta[`${prefix}clientInfo`];
  const logLevel = logLevels.find((level) => level === meta[`${prefix}logLevel`]) ?? null;
  return {
    version,
    logLevel,
    client: {
      capabilities,
      ...(isObject(info) ? { info } : {}),
      ...(logLevel === null ? {} : { logLevel: logLevel as LogLevel }),
    },
  };
}

function missing(field: string): RpcFailure {
  return {
    code: -32602,
    message: `'_meta' of the request lacks '${prefix}${field}'. Requests of ${modernVersion} carry it; others begin with 'initialize'.`,
  };
}

export function refuseVersion(version: string): RpcFailure | null {
  return version === modernVersion ? null : unsupportedVersion(version);
}

/** Proxies route by the headers, so they must match the body. */
export function compareHeaders(
  { method, params }: Request,
  version: string,
  headers: IncomingHttpHeaders,
): RpcFailure | null {
  const name = namedIn(method, params);
  return (
    compare("MCP-Protocol-Version", headers, version) ??
    compare("Mcp-Method", headers, method) ??
    (name === undefined ? null : compare("Mcp-Name", headers, name))
  );
}

function namedIn(method: string, params: UnknownObject): string | undefined {
  const named = method === "resources/read" ? params.uri : params.name;
  const isNamed = method === "tools/call" || method === "prompts/get" || method === "resources/read";
  return isNamed && typeof named === "string" ? named : undefined;
}

export function compareParams(schema: unknown, args: unknown, headers: IncomingHttpHeaders): RpcFailure | null {
  const wanted = paramHeaders(schema, args);
  for (const [header, value] of Object.entries(wanted)) {
    const problem = compare(header, headers, decodeHeaderValue(value) ?? value);
    if (problem) return problem;
  }
  return null;
}

function compare(header: string, headers: IncomingHttpHeaders, expected: string): RpcFailure | null {
  const given = headers[header.toLowerCase()];
  if (typeof given !== "string") return headerMismatch(`The header ${header} is missing.`);
  const value = decodeHeaderValue(given.trim());
  if (value === null) return headerMismatch(`The header ${header} is not valid base64.`);
  return value === expected ? null : headerMismatch(`The header ${header} does not say what the body says.`);
}
