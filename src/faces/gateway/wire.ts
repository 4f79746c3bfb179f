import { changeMembers, type MemberChange } from "../../lib/json/json-members.ts";
import { bytesOf, rememberText, sourceTextOf } from "../../lib/json/json-text.ts";
import { version } from "../../lib/version.ts";
import type { UnknownObject } from "../../model/json.ts";
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
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;

const infoKey = "io.modelcontextprotocol/serverInfo";
const infoText = JSON.stringify(serverInfo);
const drop: MemberChange = () => undefined;

type Rendered = { result: UnknownObject } | { text: string } | { parts: WireParts };

/** In the client's era: as it came, but for our own members. */
export function wireResult(result: UnknownObject, era: Era): Rendered {
  const bytes = hasOwnMembers(result) ? undefined : bytesOf(result);
  if (bytes) return { parts: era === "legacy" ? [bytes] : [bytes.subarray(0, -1), `,${completion}`] };
  const text = sourceTextOf(result);
  if (text === undefined) return { result: era === "legacy" ? forOlder(result) : completed(result) };
  return { text: era === "legacy" ? olderText(text, result) : completedText(text, result) };
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
    _meta: (before) => changeMembers(before?.startsWith("{") ? before : "{}", { [infoKey]: () => infoText }),
  });
}

/** Without what the modern revision adds. */
function forOlder(result: UnknownObject): UnknownObject {
  if (result.resultType === undefined) return result;
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  const { [infoKey]: _info, ...meta } = (rest._meta ?? {}) as UnknownObject;
  if (rest._meta === undefined) return rest;
  const { _meta, ...others } = rest;
  return Object.keys(meta).length === 0 ? others : { ...others, _meta: meta };
}

function olderText(text: string, { resultType }: UnknownObject): string {
  if (resultType === undefined) return text;
  const withoutInfo: MemberChange = (before) => {
    if (!before?.startsWith("{")) return before;
    const rest = changeMembers(before, { [infoKey]: drop });
    return rest === "{}" ? undefined : rest;
  };
  return changeMembers(text, { resultType: drop, ttlMs: drop, cacheScope: drop, _meta: withoutInfo });
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
