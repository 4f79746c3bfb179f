import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { type ClaimPaths, isSafeUrl, type JwtIssuer } from "../../../model/access/jwt-issuer.ts";
import { isLoopback } from "../../../model/config/settings.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { everyScope, type Principal, principalOf, scopeNames } from "../../../model/principal.ts";
import { unauthenticated } from "../unauthenticated.ts";

const limitMs = 5_000;
const bodyLimitBytes = 512 * 1024;
/** An issuer that is down is not asked again for every request that comes in. */
const restMs = 5_000;

type Issuer = {
  /** Undefined where the issuer has nothing at this address. */
  ask(url: string): Promise<unknown>;
  /** What it answered is of no use. */
  fail(reason: string): never;
};

/** Reads JSON from the issuer, with limits on everything. Redirects are not followed. */
function createIssuer(): Issuer {
  let resting: { until: number; failure: PlaneError } | undefined;
  const fail = (reason: string): never => {
    const failure = unavailable(reason);
    resting = { until: Date.now() + restMs, failure };
    throw failure;
  };
  return {
    fail,
    async ask(url) {
      if (resting !== undefined && Date.now() < resting.until) throw resting.failure;
      return read(url).catch((thrown) => fail(reasonOf(thrown)));
    },
  };
}

/** No address: strangers read this, and whoever runs the plane knows it. */
function unavailable(reason: string): PlaneError {
  return new PlaneError(
    "SERVER_UNAVAILABLE",
    `The issuer of tokens (auth.jwt) could not be asked for its keys: ${reason}. Try again soon.`,
  );
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: "manual",
    headers: { accept: "application/json, application/jwk-set+json" },
    signal: AbortSignal.timeout(limitMs),
  });
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Refused(`it answered with status ${response.status}`);
  }
  return parse(await readText(response));
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > bodyLimitBytes) throw new Refused("its answer is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("its answer is not JSON");
  }
}

class Refused extends Error {}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Refused) return thrown.message;
  if (thrown instanceof Error && thrown.name === "TimeoutError") return `no answer within ${limitMs / 1_000} s`;
  const { code } = (thrown instanceof Error ? (thrown.cause ?? {}) : {}) as { code?: unknown };
  return typeof code === "string" ? code : "the connection failed";
}

/** After this time keys are fetched again, so that a key which the issuer withdrew is no longer believed. */
const keptMs = 600_000;
/** Anybody can name a key that nobody has; the issuer is asked about it no more often than this. */
const cooldownMs = 30_000;

/** The keys of the issuer: found, fetched and kept when they are first needed. */
function createIssuerKeys(settings: JwtIssuer): JWTVerifyGetKey {
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

const knownScopes: readonly string[] = [...scopeNames, everyScope];
/** Where OAuth puts them. */
const usualScopes = "scope";

/** Who the bearer is, by a token that is genuine. */
export function readClaims(claims: UnknownObject, paths: ClaimPaths): Principal {
  const user = textAt(claims, paths.user);
  if (user === null)
    throw unauthenticated("claims", `The token does not say who its bearer is: it has no '${paths.user}'.`);
  const toolGroups = valueAt(claims, paths.tool_groups) === undefined ? null : paths.tool_groups;
  return principalOf({
    user,
    groups: listAt(claims, paths.groups, (text) => [text]),
    persona: textAt(claims, paths.persona),
    scopes: scopesOf(claims, paths.scopes),
    workspace: textAt(claims, paths.workspace),
    compliance: textAt(claims, paths.compliance),
    ...(toolGroups === null ? {} : { toolGroups: listAt(claims, toolGroups, (text) => text.split(/\s+/)) }),
  });
}

/** A claim that the configuration names is the last word; the usual one counts where it speaks of us. */
function scopesOf(claims: UnknownObject, path: string | undefined): string[] {
  const told = listAt(claims, path ?? usualScopes, (text) => text.split(/\s+/));
  const ours = told.filter((scope) => knownScopes.includes(scope));
  return ours.length > 0 || path !== undefined ? ours : ["call"];
}

function textAt(claims: UnknownObject, path: string): string | null {
  const value = valueAt(claims, path);
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw unauthenticated("claims", `'${path}' in the token is not a text.`);
}

function listAt(claims: UnknownObject, path: string, split: (text: string) => string[]): string[] {
  const value = valueAt(claims, path);
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? split(value) : value;
  if (Array.isArray(list) && list.every((item) => typeof item === "string"))
    return [...new Set(list.filter((item) => item !== ""))];
  throw unauthenticated("claims", `'${path}' in the token is not a list of texts.`);
}

/** The claim of that name, or what the parts lead to: names of claims may contain dots themselves. */
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

/** Clocks differ. */
const toleranceSeconds = 30;
const maxToken = 16 * 1024;
/** Only those whose key the issuer can publish: with a shared secret everybody who checks could also sign. */
const algorithms: string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

export type VerifyToken = (token: string) => Promise<Principal>;

/** Tells who shows a token of this issuer, or why it is not believed. */
export function createVerifyToken(settings: JwtIssuer): VerifyToken {
  const { issuer, audience, claims } = settings;
  const keys = createIssuerKeys(settings);
  return async (token) => {
    requireOurs(token, settings);
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms,
      clockTolerance: toleranceSeconds,
      requiredClaims: ["exp"],
    }).catch((thrown) => {
      throw tokenProblem(thrown, settings);
    });
    return readClaims(payload, claims);
  };
}

/** Before anybody is asked for keys: most of what is wrong can be seen without them. */
function requireOurs(token: string, { issuer, audience }: JwtIssuer): void {
  if (token.length > maxToken) throw unauthenticated("malformed", `The token is longer than ${maxToken / 1024} KiB.`);
  const { alg, iss, aud } = readUnchecked(token);
  if (typeof alg !== "string" || !algorithms.includes(alg))
    throw unauthenticated("algorithm", `The token must be signed with one of ${algorithms.join(", ")}.`);
  if (iss !== issuer) throw unauthenticated("issuer", `The issuer of the token is not '${issuer}'.`);
  if (!(Array.isArray(aud) ? aud : [aud]).includes(audience))
    throw unauthenticated("audience", `The audience of the token is not '${audience}'.`);
}

function readUnchecked(token: string): { alg?: unknown } & Pick<JWTPayload, "iss" | "aud"> {
  try {
    const { iss, aud } = decodeJwt(token);
    const { alg } = decodeProtectedHeader(token);
    return { alg, ...(iss === undefined ? {} : { iss }), ...(aud === undefined ? {} : { aud }) };
  } catch {
    throw unauthenticated(
      "malformed",
      "The token is neither an API key nor a signed JWT. Check that it was copied whole.",
    );
  }
}

/** What a client's developer can act on. What nobody foresaw is a no. */
function tokenProblem(thrown: unknown, settings: JwtIssuer): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  if (thrown instanceof errors.JWTExpired)
    return unauthenticated("expired", `The token expired at ${timeOf(thrown.payload, "exp")}. Get a new one.`);
  if (thrown instanceof errors.JWTClaimValidationFailed) return claimProblem(thrown, settings);
  if (thrown instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated("signature", "The signature of the token does not fit the issuer's key.");
  if (thrown instanceof errors.JWKSNoMatchingKey)
    return unauthenticated("signature", "The token is signed with a key that its issuer does not publish.");
  if (thrown instanceof errors.JWKSMultipleMatchingKeys)
    return unauthenticated("signature", "The token does not name ('kid') with which key it is signed.");
  if (thrown instanceof errors.JWKSInvalid) return unavailable("what it publishes are no keys");
  return unauthenticated("signature", "The token could not be verified. Get a new one from the issuer.");
}

function claimProblem({ claim, reason, payload }: errors.JWTClaimValidationFailed, settings: JwtIssuer) {
  if (claim === "iss") return unauthenticated("issuer", `The issuer of the token is not '${settings.issuer}'.`);
  if (claim === "aud") return unauthenticated("audience", `The audience of the token is not '${settings.audience}'.`);
  if (claim === "nbf" && reason === "check_failed")
    return unauthenticated("not_yet", `The token is not valid before ${timeOf(payload, "nbf")}.`);
  if (reason === "missing") return unauthenticated("claims", `The token has no '${claim}', which it needs.`);
  return unauthenticated("claims", `'${claim}' in the token is not what it has to be.`);
}

function timeOf(payload: JWTPayload, claim: "exp" | "nbf"): string {
  const date = new Date(Number(payload[claim]) * 1_000);
  return Number.isNaN(date.getTime()) ? `the time in '${claim}'` : date.toISOString();
}
