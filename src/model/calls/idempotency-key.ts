import { hash } from "../../lib/json/stable-json.ts";
import type { Principal } from "../principal.ts";

/** In `_meta`: of a client's call to us, and of ours to a server. */
export const keyInMeta = "toolplane/idempotencyKey";

/** Fit for a header. */
const shape = /^[\x21-\x7e]{1,255}$/;

export function isIdempotencyKey(key: unknown): key is string {
  return typeof key === "string" && shape.test(key);
}

const maxLength = 255;
const scopeLength = 24;

/** What a caller gives, as servers get it: the same key differs between principals. */
export function bindKey(key: string, { user, key: credential, workspace }: Principal): string {
  const scope = hash([user, credential ?? null, workspace]).slice(0, scopeLength);
  const bound = `${key}.${scope}`;
  return bound.length <= maxLength ? bound : `${hash(key)}.${scope}`;
}

/** Names the key of a call that the plane itself makes; no text of a face can be this name. */
export const chosenKey = Symbol("chosenKey");

/** For a call that the plane makes as part of its own work, such as a step of a job. */
export function withChosenKey<Options extends object>(options: Options, key: string): Options {
  return Object.assign(options, { [chosenKey]: key });
}
