import type { JWTPayload, JWTVerifyGetKey } from "jose";
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
} from "jose";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { type Egress, EgressRefused, type Gate } from "../../lib/net/egress.ts";
import { createEndpoints } from "../../lib/net/endpoints.ts";
import { AnswerTooLarge, exchange } from "../../lib/net/exchange.ts";
import { retryAfterMs } from "../../lib/net/send-request.ts";
import { type ClaimPaths, isSafeUrl, type JwtIssuer } from "../../model/access/jwt-issuer.ts";
import { covers, limitsIn } from "../../model/access/resource.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { everyScope, type Principal, principalOf, scopeNames } from "../../model/principal.ts";
import { unauthenticated } from "./unauthenticated.ts";

const timeoutMs = 5_000;
const maxBodyBytes = 512 * 1024;
/** An issuer that is down is not asked again with every request. */
const issuerRestMs = 5_000;
const maxIssuerRestMs = 30_000;
/** Keys are fetched again after this time, so that a withdrawn key is no longer believed. */
const keysTtlMs = 600_000;
/** How often unknown key ids, which anyone can make up, may cause a fetch. */
const unknownKeyCooldownMs = 30_000;
/** In seconds. */
export const clockTolerance = 30;
const maxTokenLength = 16 * 1024;
/** Only algorithms with a public key: with a shared secret all who check could also sign. */
const algorithms: string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const knownScopes: readonly string[] = [...scopeNames, everyScope];
const defaultScopesClaim = "scope";

type Issuer = {
  ask(url: string, gate: Gate): Promise<unknown>;
  fail(reason: string): never;
};

/** Reads JSON from the issuer, with limits on everything. Redirects are not followed. */
function createIssuer(issuer: string): Issuer {
  const endpoints = createEndpoints({
    firstMs: issuerRestMs,
    maxMs: maxIssuerRestMs,
    failureOf: (thrown) => ({
      retryAfterMs: thrown instanceof Refused ? thrown.retryAfterMs : undefined,
    }),
    refuse: (failure) => unavailable(reasonOf(failure)),
  });

  // An answer that cannot be used rests as one that does not come.
  function fail(reason: string): never {
    const failure = new Refused(reason);
    endpoints.rest(issuer, failure);
    throw unavailable(reason);
  }

  return {
    fail,
    ask: (url, gate) =>
      endpoints
        .ask(issuer, () => read(url, gate))
        .catch((thrown) => {
          if (thrown instanceof PlaneError) throw thrown;
          throw unavailable(reasonOf(thrown));
        }),
  };
}

/** Names no address: strangers read this. */
function unavailable(reason: string): PlaneError {
  const text = `The issuer of tokens (auth.jwt) could not be asked for its keys: ${reason}. Try again soon.`;
  return new PlaneError("SERVER_UNAVAILABLE", text);
}

async function read(url: string, gate: Gate): Promise<unknown> {
  const headers = { accept: "application/json, application/jwk-set+json" };
  const signal = AbortSignal.timeout(timeoutMs);
  const {
    status,
    headers: theirs,
    body,
  } = await exchange(new URL(url), {
    gate,
    method: "GET",
    headers,
    signal,
    maxBytes: maxBodyBytes,
  });
  if (status === 200) return parse(body.toString("utf8"));
  if (status === 404 || status === 410) return undefined;
  throw new Refused(`it answered with status ${status}`, retryAfterMs(theirs["retry-after"]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("its answer is not JSON");
  }
}

class Refused extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, announcedMs?: number) {
    super(message);
    this.retryAfterMs = announcedMs;
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Refused) return thrown.message;
  if (thrown instanceof AnswerTooLarge) return "its answer is too large";
  if (thrown instanceof EgressRefused) return "its metadata names no safe address of its keys";
  const { name, code } = thrown as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError")
    return `no answer within ${timeoutMs / 1_000} s`;
  return code ?? "the connection failed";
}

function createIssuerKeys(settings: TokenIssuer, egress: Egress): JWTVerifyGetKey {
  const issuer = createIssuer(settings.issuer);
  let keySet: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;

  async function openKeySet() {
    const { url: address, gate } = await findKeys(settings, issuer, egress);
    return createRemoteJWKSet(new URL(address), {
      cacheMaxAge: keysTtlMs,
      cooldownDuration: unknownKeyCooldownMs,
      [customFetch]: async (url) => Response.json(await requireKeys(url, gate, issuer)),
    });
  }

  let readAt = steadyNow();

  /** Beside the request, so that none waits for keys that are only getting old. */
  function refresh(keys: Awaited<ReturnType<typeof openKeySet>>) {
    if (!keys.fresh || steadyNow() - readAt < keysTtlMs / 2) return;
    readAt = steadyNow();
    void keys.reload().catch(() => undefined);
  }

  return async (header, token) => {
    keySet ??= openKeySet();
    const current = keySet;
    try {
      const keys = await current;
      refresh(keys);
      return await keys(header, token);
    } catch (thrown) {
      // Keys may have moved; but fresh ones are not dropped because of a bad token.
      const isFresh = await current.then(
        ({ fresh }) => fresh,
        () => false,
      );
      if (!isFresh && keySet === current) keySet = undefined;
      throw thrown;
    }
  };
}

type Keys = { url: string; gate: Gate };

/** From the configuration, else from the issuer's metadata, else the usual address. */
async function findKeys(
  { issuer, jwksUri }: TokenIssuer,
  { ask, fail }: Issuer,
  egress: Egress,
): Promise<Keys> {
  const { configured } = egress;
  if (jwksUri) return { url: jwksUri, gate: configured };
  const base = issuer.replace(/\/$/, "");
  const metadata = await ask(`${base}/.well-known/openid-configuration`, configured);
  if (metadata === undefined) return { url: `${base}/.well-known/jwks.json`, gate: configured };
  if (!isObject(metadata) || metadata.issuer !== issuer)
    return fail("its metadata is about another issuer");
  const keysUrl = metadata.jwks_uri;
  const gate = await egress.namedBy(issuer);
  if (typeof keysUrl !== "string" || !isAllowed(keysUrl, gate))
    return fail("its metadata names no safe address of its keys");
  return { url: keysUrl, gate };
}

function isAllowed(keysUrl: string, gate: Gate): boolean {
  return isSafeUrl(keysUrl) && (keysUrl.startsWith("https:") || gate.allowsPlain(new URL(keysUrl)));
}

async function requireKeys(url: string, gate: Gate, { ask, fail }: Issuer): Promise<unknown> {
  const keySet = await ask(url, gate);
  if (keySet === undefined) return fail("they are not where they should be");
  if (isObject(keySet) && Array.isArray(keySet.keys)) return keySet;
  return fail("it does not publish a key set");
}

export function readClaims(claims: UnknownObject, paths: ClaimPaths): Principal {
  const user = textAt(claims, paths.user);
  if (user === null)
    throw unauthenticated(
      "claims",
      `The token does not say who its bearer is: it has no '${paths.user}'.`,
    );
  requireVerified(claims, paths.user, user);
  const within = limitsIn(toldScopes(claims, paths.scopes));
  return principalOf({
    user,
    groups: listAt(claims, paths.groups, (text) => [text]),
    persona: textAt(claims, paths.persona),
    scopes: scopesOf(claims, paths.scopes),
    workspace: textAt(claims, paths.workspace),
    compliance: textAt(claims, paths.compliance),
    ...withoutUndefined({
      toolGroups: toolGroupsIn(claims, paths.tool_groups),
      within: within ?? undefined,
    }),
  });
}

function toolGroupsIn(claims: UnknownObject, path: string): string[] | undefined {
  if (valueAt(claims, path) === undefined) return undefined;
  return listAt(claims, path, (text) => text.split(/\s+/));
}

/**
 * An address that its issuer calls unverified names no one: people type in what they like. That holds for any claim with
 * the address in it. Some issuers say nothing of it, and some write it as text.
 */
function requireVerified(claims: UnknownObject, path: string, user: string): void {
  const { email } = claims;
  const isSame =
    typeof email === "string" && email.trim().toLowerCase() === user.trim().toLowerCase();
  const isAddress = isSame || /(?:^|[^a-z])email$/i.test(path);
  const verifications = isAddress
    ? [valueAt(claims, `${path}_verified`), claims.email_verified]
    : [];
  if (
    verifications.some(
      (verification) =>
        verification !== undefined &&
        verification !== null &&
        verification !== true &&
        verification !== "true",
    )
  )
    throw unauthenticated(
      "claims",
      "The issuer has not verified the e-mail address of this person ('email_verified').",
    );
}

/** A configured claim decides alone; the usual one counts where it names scopes of ours. */
function scopesOf(claims: UnknownObject, path: string | undefined): string[] {
  const ourScopes = toldScopes(claims, path).filter((scope) => knownScopes.includes(scope));
  if (ourScopes.length > 0 || path !== undefined) return ourScopes;
  return ["call"];
}

function toldScopes(claims: UnknownObject, path: string | undefined) {
  return listAt(claims, path ?? defaultScopesClaim, (text) => text.split(/\s+/));
}

function textAt(claims: UnknownObject, path: string): string | null {
  const value = valueAt(claims, path);
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw unauthenticated("claims", `'${path}' in the token is not a string.`);
}

function listAt(claims: UnknownObject, path: string, split: (text: string) => string[]): string[] {
  const value = valueAt(claims, path);
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? split(value) : value;
  if (Array.isArray(list) && list.every((item) => typeof item === "string"))
    return [...new Set(list.filter((item) => item !== ""))];
  throw unauthenticated("claims", `'${path}' in the token is not a list of strings.`);
}

export function hasClaim(claims: UnknownObject, path: string) {
  return valueAt(claims, path) !== undefined;
}

/** Dots lead into objects, but may also belong to the name of a claim. */
function valueAt(claims: UnknownObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const value = isObject(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Whose tokens are believed, and for which audience; null is the address that is asked. */
export type TokenIssuer = Omit<JwtIssuer, "audience"> & {
  audience: string | null;
  /** The only type of its tokens that counts. */
  typ?: string;
};

type CheckPayload = (payload: JWTPayload) => void | Promise<void>;

/** `address` is that which the token is shown at; `check` throws where a valid token does not count. */
export type VerifyToken = (
  token: string,
  address?: string,
  check?: CheckPayload,
) => Promise<Principal>;

/** Of one issuer: its keys are kept in memory, and read again beside the requests that use them. */
export function createVerifyToken(
  settings: TokenIssuer,
  from: Egress | JWTVerifyGetKey,
): VerifyToken {
  const { issuer, claims, typ } = settings;
  const keys = typeof from === "function" ? from : createIssuerKeys(settings, from);
  return async (token, address, check) => {
    requireOurs(token, settings, address);
    const required = {
      issuer,
      algorithms,
      clockTolerance,
      requiredClaims: ["exp"],
      ...(typ && { typ }),
    };
    const { payload } = await jwtVerify(token, keys, required).catch((thrown) => {
      throw tokenProblem(thrown, settings);
    });
    await check?.(payload);
    return readClaims(payload, claims);
  };
}

/** What it says itself, unchecked. */
export function issuerOf(token: string): unknown {
  if (token.length > maxTokenLength) return undefined;
  return readUnchecked(token).iss;
}

/** Of several issuers: the token names its own, which is then checked. */
export function createVerifyTokens(issuers: readonly TokenIssuer[], egress: Egress): VerifyToken {
  const verifiers = issuers.map((settings) => ({
    issuer: settings.issuer,
    verify: createVerifyToken(settings, egress),
  }));
  return async (token, address) => {
    const named = verifiers.length > 1 ? issuerOf(token) : undefined;
    const verifier = verifiers.find(({ issuer }) => issuer === named) ?? verifiers[0];
    if (verifier === undefined)
      throw unauthenticated("unknown", "This plane believes no issuer of tokens.");
    return verifier.verify(token, address);
  };
}

/** What is read before the signature is checked is signed as well. */
function requireOurs(
  token: string,
  { issuer, audience }: TokenIssuer,
  address: string | undefined,
): void {
  if (token.length > maxTokenLength)
    throw unauthenticated("malformed", `The token is longer than ${maxTokenLength / 1024} KiB.`);
  const { alg, iss, aud } = readUnchecked(token);
  if (typeof alg !== "string" || !algorithms.includes(alg))
    throw unauthenticated(
      "algorithm",
      `The token must be signed with one of ${algorithms.join(", ")}.`,
    );
  if (iss !== issuer)
    throw unauthenticated("issuer", `The issuer of the token is not '${issuer}'.`);
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter(
    (candidate) => typeof candidate === "string",
  );
  if (audience !== null && !audiences.includes(audience))
    throw unauthenticated("audience", `The audience of the token is not '${audience}'.`);
  if (
    audience === null &&
    !audiences.some((resource) => address !== undefined && covers(resource, address))
  )
    throw unauthenticated(
      "audience",
      `The token is for another resource than ${address === undefined ? "this plane" : `'${address.split("?", 1)[0]}'`}.`,
    );
}

function readUnchecked(token: string): { alg: unknown; iss: unknown; aud: unknown } {
  try {
    const { iss, aud } = decodeJwt(token);
    const { alg } = decodeProtectedHeader(token);
    return { alg, iss, aud };
  } catch {
    const text =
      "The token is neither an API key nor a signed JWT. Check that it was copied whole.";
    throw unauthenticated("malformed", text);
  }
}

function tokenProblem(thrown: unknown, settings: TokenIssuer): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  if (thrown instanceof errors.JWTExpired)
    return unauthenticated(
      "expired",
      `The token expired at ${timeOf(thrown.payload, "exp")}. Get a new one.`,
    );
  if (thrown instanceof errors.JWTClaimValidationFailed) return claimProblem(thrown, settings);
  if (thrown instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated(
      "signature",
      "The signature of the token does not match the issuer's key.",
    );
  if (thrown instanceof errors.JWKSNoMatchingKey)
    return unauthenticated(
      "signature",
      "The token is signed with a key that its issuer does not publish.",
    );
  if (thrown instanceof errors.JWKSMultipleMatchingKeys)
    return unauthenticated(
      "signature",
      "The token does not name ('kid') with which key it is signed.",
    );
  if (thrown instanceof errors.JWKSInvalid) return unavailable("it does not publish a key set");
  return unauthenticated(
    "signature",
    "The token could not be verified. Get a new one from the issuer.",
  );
}

function claimProblem(
  { claim, reason, payload }: errors.JWTClaimValidationFailed,
  settings: TokenIssuer,
) {
  if (claim === "iss")
    return unauthenticated("issuer", `The issuer of the token is not '${settings.issuer}'.`);
  if (claim === "nbf" && reason === "check_failed")
    return unauthenticated("not_yet", `The token is not valid before ${timeOf(payload, "nbf")}.`);
  if (reason === "missing")
    return unauthenticated("claims", `The token has no '${claim}', which it needs.`);
  return unauthenticated("claims", `'${claim}' in the token is not what it has to be.`);
}

function timeOf(payload: JWTPayload, claim: "exp" | "nbf"): string {
  const date = new Date(Number(payload[claim]) * 1_000);
  if (Number.isNaN(date.getTime())) return `the time in '${claim}'`;
  return date.toISOString();
}
