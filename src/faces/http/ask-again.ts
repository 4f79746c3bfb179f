import { PlaneError } from "../../model/errors.ts";
import type { Caller } from "../../model/plane.ts";
import { mayDo, type Scope } from "../../model/principal.ts";
import { type Identities, principalOf } from "./identity.ts";
import type { HttpContext } from "./route.ts";

/** Null when the listener may no longer. */
export type WhoAsks = () => Promise<Caller | null>;

/** A stream may outlast the key that opened it, so who listens is found out anew. */
export function askAgain(identities: Identities, c: HttpContext, first: Caller, scope: Scope): WhoAsks {
  let known = first;
  return async () => {
    try {
      const principal = await principalOf(identities, c);
      known = { ...first, principal };
      return mayDo(principal, scope) ? known : null;
    } catch (thrown) {
      if (thrown instanceof PlaneError && thrown.code === "UNAUTHENTICATED") return null;
      // Whether they may cannot be found out at the moment; that ends nothing.
      return known;
    }
  };
}
