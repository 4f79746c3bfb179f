import { createLocalJWKSet, errors, type JSONWebKeySet } from "jose";
import { ClaimPaths } from "../../model/access/jwt-issuer.ts";
import type { Principal } from "../../model/principal.ts";
import { createVerifyToken, issuerOf, type VerifyToken } from "./verify-token.ts";

/** Its tokens say what they may do in `scope`, and nothing else counts. */
const claims = ClaimPaths.parse({ scopes: "scope" });
/** The same keys sign ID tokens, too (RFC 9068). */
const accessType = "at+jwt";
/** The claim with the grant that a token belongs to; programs that sign in as themselves have none. */
const grantClaim = "grant";

type Ports = {
  keysAt(origin: string, isKeyUnknown?: boolean): Promise<{ keys: object[] }>;
  requireGrant(grant: string): void | Promise<void>;
};

/** Tokens of the plane's own authorization server, checked with keys in memory. Null where another issuer is named. */
export function createVerifyOwn({ keysAt, requireGrant }: Ports) {
  const sets = new WeakMap<object, ReturnType<typeof createLocalJWKSet>>();
  const verifiers = new Map<string, VerifyToken>();

  async function setAt(origin: string, isKeyUnknown?: boolean) {
    const keys = await keysAt(origin, isKeyUnknown);
    const keySet = sets.get(keys) ?? createLocalJWKSet(keys as JSONWebKeySet);
    sets.set(keys, keySet);
    return keySet;
  }

  function verifierAt(origin: string): VerifyToken {
    return createVerifyToken(
      { issuer: origin, audience: null, claims, typ: accessType },
      async (header, token) => {
        try {
          return await (await setAt(origin))(header, token);
        } catch (thrown) {
          // Another replica may have made a new key.
          const isKeyUnknown = thrown instanceof errors.JWKSNoMatchingKey;
          if (isKeyUnknown) return (await setAt(origin, isKeyUnknown))(header, token);
          throw thrown;
        }
      },
    );
  }

  return async (token: string, address: string): Promise<Principal | null> => {
    const { origin } = new URL(address);
    if (issuerOf(token) !== origin) return null;
    const verify = verifiers.get(origin) ?? verifierAt(origin);
    verifiers.set(origin, verify);
    return verify(token, address, (payload) => {
      const grant = payload[grantClaim];
      if (typeof grant !== "string") return undefined;
      return requireGrant(grant);
    });
  };
}
