import { changeMembers, type MemberChange } from "../../lib/json/json-members.ts";
import { bytesOf, rememberText, sourceTextOf } from "../../lib/json/json-text.ts";
import { hasMembers } from "../../lib/json/plain-data.ts";
import { version } from "../../lib/version.ts";
import type { UnknownObject } from "../../model/json.ts";
import { extensionsIn, offeredTo } from "../../protocol/extensions.ts";
import type { Era } from "../../protocol/session.ts";

/** One text in pieces, some as bytes from another wire. */
export type WireParts = readonly (string | Buffer)[];

export type Wire = string | WireParts;

export function wireText(wire: Wire): string {
  return typeof wire === "string" ? wire : wire.join("");
}

export function wireBytes(wire: Wire): number {
  if (typeof wire === "string") return Buffer.byteLength(wire);
  return wire.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

export const serverInfo = { name: "toolplane", title: "Toolplane", version } as const;

/** Constant, since servers come and go while a client is connected. */
const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;

/** With the extensions that the client declares, where its servers or the plane have them. */
export function capabilitiesFor(
  client: UnknownObject,
  servers: readonly UnknownObject[],
): UnknownObject {
  const extensions = offeredTo(extensionsIn(client), servers);
  if (!hasMembers(extensions)) return capabilities;
  return { ...capabilities, extensions };
}

const infoKey = "io.modelcontextprotocol/serverInfo";
const infoText = JSON.stringify(serverInfo);
const drop: MemberChange = () => undefined;

type Rendered = { result: UnknownObject } | { text: string } | { parts: WireParts };

/** In the client's era: as it came, but for our own members. */
export function wireResult(result: UnknownObject, era: Era): Rendered {
  const isLegacy = era === "legacy";
  const bytes = bytesOf(result);
  const parts = bytes && (isLegacy ? olderParts(bytes, result) : completedParts(bytes, result));
  if (parts) return { parts };
  const text = sourceTextOf(result);
  if (text === undefined) return { result: isLegacy ? olderResult(result) : completed(result) };
  return { text: isLegacy ? olderText(text, result) : completedText(text, result) };
}

/** As most servers write the kind of a result: at the very front, or at the very end. Then it is cut off, not rewritten. */
const kindInFront = '{"resultType":"complete",';
const kindAtEnd = ',"resultType":"complete"}';
const frontBytes = Buffer.from(kindInFront);
const endBytes = Buffer.from(kindAtEnd);

function olderParts(bytes: Buffer, result: UnknownObject): WireParts | undefined {
  if (!hasModernMembers(result)) return [bytes];
  if (!hasKindAlone(result)) return undefined;
  if (bytes.subarray(0, frontBytes.length).equals(frontBytes))
    return ["{", bytes.subarray(frontBytes.length)];
  if (!bytes.subarray(-endBytes.length).equals(endBytes)) return undefined;
  return [bytes.subarray(0, -endBytes.length), "}"];
}

function completedParts(bytes: Buffer, result: UnknownObject): WireParts | undefined {
  if (!hasOwnMembers(result)) return [bytes.subarray(0, -1), `,${completion}`];
  if (result._meta !== undefined || result.content === undefined) return undefined;
  return [bytes.subarray(0, -1), `,"_meta":{"${infoKey}":${infoText}}}`];
}

/** Members of the modern revision. */
function hasModernMembers({ resultType, _meta }: UnknownObject): boolean {
  return resultType !== undefined || _meta !== undefined;
}

/** Nothing of that revision but its kind. */
function hasKindAlone({ resultType, _meta, ttlMs, cacheScope, content }: UnknownObject): boolean {
  const isAlone = _meta === undefined && ttlMs === undefined && cacheScope === undefined;
  return resultType === "complete" && isAlone && content !== undefined;
}

/** In the client's era, where the plane itself has made the result. */
export function resultFor(era: Era, result: UnknownObject): UnknownObject {
  return era === "legacy" ? result : completed(result);
}

/** Members of every modern result. */
export function completed(result: UnknownObject): UnknownObject {
  const meta = (result._meta ?? {}) as UnknownObject;
  return { resultType: "complete", ...result, _meta: { ...meta, [infoKey]: serverInfo } };
}

const completion = JSON.stringify(completed({})).slice(1);

/** Most results have none of our members and are not empty. */
function hasOwnMembers({ resultType, _meta, content }: UnknownObject): boolean {
  return resultType !== undefined || _meta !== undefined || content === undefined;
}

function completedText(text: string, result: UnknownObject): string {
  if (!hasOwnMembers(result)) return `${text.slice(0, -1)},${completion}`;
  return changeMembers(text, {
    resultType: (before = '"complete"') => before,
    _meta: (before) =>
      changeMembers(before?.startsWith("{") ? before : "{}", { [infoKey]: () => infoText }),
  });
}

/** Without what the modern revision adds. A kind that an extension has added stays. */
function olderResult(result: UnknownObject): UnknownObject {
  if (result.resultType === undefined) return result;
  const { resultType: type, ttlMs: _ttl, cacheScope: _scope, ...withoutHints } = result;
  const older = type === "complete" ? withoutHints : { resultType: type, ...withoutHints };
  const { [infoKey]: _info, ...meta } = (older._meta ?? {}) as UnknownObject;
  if (older._meta === undefined) return older;
  const { _meta, ...withoutMeta } = older;
  if (Object.keys(meta).length === 0) return withoutMeta;
  return { ...withoutMeta, _meta: meta };
}

function olderText(text: string, result: UnknownObject): string {
  if (result.resultType === undefined) return text;
  if (hasKindAlone(result)) {
    if (text.startsWith(kindInFront)) return `{${text.slice(kindInFront.length)}`;
    if (text.endsWith(kindAtEnd)) return `${text.slice(0, -kindAtEnd.length)}}`;
  }
  const withoutInfo: MemberChange = (before) => {
    if (!before?.startsWith("{")) return before;
    const withoutServerInfo = changeMembers(before, { [infoKey]: drop });
    return withoutServerInfo === "{}" ? undefined : withoutServerInfo;
  };
  const kind: MemberChange = (before) => (result.resultType === "complete" ? undefined : before);
  return changeMembers(text, {
    resultType: kind,
    ttlMs: drop,
    cacheScope: drop,
    _meta: withoutInfo,
  });
}

/** Also in its text. */
export function changeResult(
  result: UnknownObject,
  changed: UnknownObject,
  changes: Readonly<Record<string, MemberChange>>,
): UnknownObject {
  const text = sourceTextOf(result);
  if (text !== undefined) rememberText(changed, changeMembers(text, changes));
  return changed;
}
