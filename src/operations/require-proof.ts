import { PlaneError } from "../model/errors.ts";
import type { Plane } from "../model/plane.ts";
import type { Situation } from "./operation.ts";

/**
 * For what could have a program run or a secret read. As long as callers prove nothing, any program of this
 * machine can ask, also one of another user; so it takes the person who started the plane.
 */
export async function requireProof(plane: Plane, { isStarter }: Situation, what: string, instead: string) {
  if (isStarter || (await plane.identity.needsCredentials())) return;
  throw new PlaneError(
    "FORBIDDEN",
    `${what} over HTTP only by callers who prove who they are. In the workbench, open the link that 'toolplane serve' printed; elsewhere use '${instead}', or a key of 'toolplane keys create'.`,
  );
}
