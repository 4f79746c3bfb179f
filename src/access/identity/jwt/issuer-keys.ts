import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { isObject } from "../../../model/json.ts";
import { isSafeUrl, type JwtIssuer } from "../../../model/jwt-issuer.ts";
import { isLoopback } from "../../../model/loopback.ts";
import { createIssuer, type Issuer } from "./ask-issuer.ts";

/** After this time keys are fetched again, so that a key which the issuer withdrew is no longer believed. */
const keptMs = 600_000;
/** Anybody can name a key that nobody has; the issuer is asked about it no more often than this. */
const cooldownMs = 30_000;

/** The keys of the issuer: found, fetched and kept when they are first needed. */
export function createIssuerKeys(settings: JwtIssuer): JWTVerifyGetKey {
  const issuer = createIssuer();
  let found: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;
  const open = async () =>
    createRemoteJWKSet(new URL(await findKeys(settings, issuer)), {
      cacheMaxAge: keptMs,
      cooldownDuration: cooldownMs,
      [customFetch]: async (url) => Response.json(await requireKeys(url, issuer)),
    });
  return async (header, token) => {
    found ??= open();
    const current = found;
    try {
      return await (await current)(header, token);
    } catch (thrown) {
      // Keys may have moved; but as long as those we have are good, nobody can talk us out of them.
      const isFresh = await current.then(
        ({ fresh }) => fresh,
        () => false,
      );
      if (!isFresh && found === current) found = undefined;
      throw thrown;
    }
  };
}

/** Where the configuration says, or the issuer's own metadata, or else where most issuers have them. */
async function findKeys({ issuer, jwksUri }: JwtIssuer, { ask, fail }: Issuer): Promise<string> {
  if (jwksUri) return jwksUri;
  const base = issuer.replace(/\/$/, "");
  const metadata = await ask(`${base}/.well-known/openid-configuration`);
  if (metadata === undefined) return `${base}/.well-known/jwks.json`;
  if (!isObject(metadata) || metadata.issuer !== issuer) return fail("its metadata is about another issuer");
  const told = metadata.jwks_uri;
  if (typeof told !== "string" || !isAllowed(told, issuer))
    return fail("its metadata names no safe address of its keys");
  return told;
}

/** An issuer elsewhere has no business on this machine. */
function isAllowed(told: string, issuer: string): boolean {
  if (!isSafeUrl(told)) return false;
  return !isLoopback(new URL(told).hostname) || isLoopback(new URL(issuer).hostname);
}

async function requireKeys(url: string, { ask, fail }: Issuer): Promise<unknown> {
  const found = await ask(url);
  if (found === undefined) return fail("they are not where they should be");
  return isObject(found) && Array.isArray(found.keys) ? found : fail("what it publishes are no keys");
}
