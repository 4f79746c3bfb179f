import type { IncomingHttpHeaders } from "node:http";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { logLevels } from "../../model/servers/server.ts";
import { decodeHeaderValue } from "../../protocol/http-headers.ts";
import { modernErrors } from "../../protocol/modern-session.ts";
import { legacyVersions, modernVersion } from "../../protocol/session.ts";
import { objectParam, type Request, type RequestContext, type RpcFailure } from "./request.ts";

export const supportedVersions = [modernVersion, ...legacyVersions] as const;

export function missingCapability(requiredCapabilities: UnknownObject): RpcFailure {
  const names = Object.keys(requiredCapabilities).join(", ");
  return {
    code: modernErrors.missingCapability,
    message: `This takes a client that can do this: ${names}. Say so in clientCapabilities.`,
    data: { requiredCapabilities },
  };
}

/** Over HTTP; an answer of a server or tool is no refusal. */
export function httpStatusOf({ code }: RpcFailure): number {
  if (code === -32601) return 404;
  return Object.values(modernErrors).includes(code) ? 400 : 200;
}

const prefix = "io.modelcontextprotocol/";
const versionKey = `${prefix}protocolVersion`;

/** Does the request name its revision? */
export function hasVersion(params: UnknownObject): boolean {
  return isObject(params._meta) && params._meta[versionKey] !== undefined;
}

/** Who makes a modern request, or what is wrong with it. */
export function readEnvelope(
  request: Request,
  headers: IncomingHttpHeaders | undefined,
): Pick<RequestContext, "client" | "logLevel"> | RpcFailure {
  const meta = objectParam(request.params, "_meta");
  const version = meta[versionKey];
  const capabilities = meta[`${prefix}clientCapabilities`];
  if (typeof version !== "string") return missing("protocolVersion");
  if (!isObject(capabilities)) return missing("clientCapabilities");
  const fault = (headers && compareHeaders(request, version, headers)) ?? refuseVersion(version);
  if (fault) return fault;
  const info = meta[`${prefix}clientInfo`];
  const logLevel = logLevels.find((level) => level === meta[`${prefix}logLevel`]) ?? null;
  const client: RequestContext["client"] = { era: "modern", capabilities };
  if (isObject(info)) client.info = info;
  if (logLevel !== null) client.logLevel = logLevel;
  return { client, logLevel };
}

function missing(field: string): RpcFailure {
  return {
    code: -32602,
    message: `'_meta' of the request lacks '${prefix}${field}'. Requests of ${modernVersion} carry it; others begin with 'initialize'.`,
  };
}

function refuseVersion(requested: string): RpcFailure | null {
  if (requested === modernVersion) return null;
  return {
    code: modernErrors.unsupportedVersion,
    message: `Protocol version '${requested}' is not spoken here without a handshake; ${modernVersion} is.`,
    data: { supported: [modernVersion], requested },
  };
}

/** The member that names what a request is about. */
const namedBy = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Proxies route by the headers, so they must match the body. */
function compareHeaders(
  { method, params }: Request,
  version: string,
  headers: IncomingHttpHeaders,
): RpcFailure | null {
  const key = namedBy.get(method);
  const name = key && params[key];
  return (
    compare("MCP-Protocol-Version", headers, version) ??
    compare("Mcp-Method", headers, method) ??
    (typeof name === "string" ? compare("Mcp-Name", headers, name) : null)
  );
}

/** What is wrong with a header that repeats a part of the body. */
export function compare(
  header: string,
  headers: IncomingHttpHeaders,
  expected: string,
): RpcFailure | null {
  const headerText = headers[header.toLowerCase()];
  const decoded = typeof headerText === "string" ? decodeHeaderValue(headerText.trim()) : undefined;
  if (decoded === expected) return null;
  const message = `The header ${header} ${mismatchText(decoded)}.`;
  return { code: modernErrors.headerMismatch, message };
}

function mismatchText(decoded: string | null | undefined): string {
  if (decoded === undefined) return "is missing";
  return decoded === null ? "is not valid base64" : "does not say what the body says";
}
