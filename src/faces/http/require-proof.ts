import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";

/**
 * For what could have a program run or a secret read. As long as nobody has to prove anything, any program of this
 * machine can ask, also one of another user.
 */
export async function requireProof(plane: Plane, what: string, instead?: string): Promise<void> {
  if (await plane.needsCredentials()) return;
  throw new PlaneError(
    "FORBIDDEN",
    `${what} over HTTP only where callers have to prove who they are. Create the first key with 'toolplane keys create'${instead === undefined ? "" : `, or use '${instead}'`}.`,
  );
}

/** `${VAR}`, `${file:…}`, `${command:…}` or `${keychain:…}` anywhere in it. */
export function hasReference(value: unknown): boolean {
  return JSON.stringify(value).includes("${");
}
