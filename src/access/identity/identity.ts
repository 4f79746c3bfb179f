import { andThen } from "../../lib/async/and-then.ts";
import { once } from "../../lib/async/once.ts";
import { stableJson } from "../../lib/json/stable-json.ts";
import type { Egress } from "../../lib/net/egress.ts";
import type { Config } from "../../model/config/config.ts";
import { isLoopback } from "../../model/config/settings.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { PlaneIdentity, PlaneKeys } from "../../model/plane-access.ts";
import {
  type Inside,
  mayDo,
  type Principal,
  principalOf,
  requireScope,
  withListed,
} from "../../model/principal.ts";
import type { Store, StoreNews } from "../../model/store.ts";
import type { Profile } from "../policy/decide.ts";
import { createApiKeys, looksLikeKey } from "./api-keys.ts";
import type { createSignIn } from "./sign-in.ts";
import { unauthenticated } from "./unauthenticated.ts";
import type { TokenIssuer, VerifyToken } from "./verify-token.ts";

const missing =
  "This plane needs a credential. Send 'Authorization: Bearer TOKEN' with an API key ('toolplane keys create NAME' makes one) or a token of the plane's issuer.";
const unknown =
  "This is not an API key, and the plane accepts nothing else. API keys begin with 'tp_'; 'toolplane keys create NAME' makes one.";

export type IdentityPorts = {
  config(): Config;
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  onNews(listener: (news: StoreNews) => void): () => void;
  isInformed(): boolean;
  defaultPrincipal: Principal;
  exposed: boolean;
  /** The files that this plane has keys of its own for. */
  planeFiles(): readonly string[];
  egress: Egress;
  /** The servers of a toolset; none where there is no such toolset. */
  toolsetServers(name: string): readonly string[];
  signIn: Pick<
    SignIn,
    "browsers" | "begun" | "keysAt" | "requireGrant" | "serverAt" | "requireReady"
  >;
};

type SignIn = ReturnType<typeof createSignIn>;

type Verbs = { identity: Omit<Inside<PlaneIdentity>, "usualCaller">; keys: Inside<PlaneKeys> };

export function createIdentity(ports: IdentityPorts) {
  const { config, store, emit, onNews, defaultPrincipal, exposed, egress, toolsetServers } = ports;
  const keys = createApiKeys({
    store,
    emit,
    isInformed: ports.isInformed,
    files: ports.planeFiles,
  });
  const verify = createTokenCheck(() => config().auth, egress, ports.signIn);
  onNews(({ what }) => {
    if (what === "keys") keys.changed();
  });

  function needsCredentials(): boolean | Promise<boolean> {
    return exposed || isPublic(config().auth) || signsIn(config().auth) || keys.exist();
  }

  function anonymous(isNeeded: boolean): Principal {
    if (isNeeded) throw unauthenticated("missing", missing);
    return defaultPrincipal;
  }

  async function believe(token: string, address: string | undefined): Promise<Principal> {
    const credential = token.trim();
    const principal = looksLikeKey(credential)
      ? await keys.identify(credential)
      : await verify(credential, address);
    if (principal === null) throw unauthenticated("unknown", unknown);
    return limited(principal, toolsetServers);
  }

  const verbs: Verbs = {
    identity: {
      needsCredentials: async () => needsCredentials(),
      async signInFront(origin) {
        if (config().auth.server === undefined) return null;
        return ports.signIn.serverAt(origin);
      },
      async personAt(origin, request) {
        if (config().auth.server === undefined) return null;
        const person = await (await ports.signIn.serverAt(origin)).person(request);
        if (person === null) return null;
        return withListed(principalOf(person), config().users);
      },
      browsers: ports.signIn.browsers,
      begun: ports.signIn.begun,
      async requireSignIn() {
        if (exposed || isPublic(config().auth)) await ports.signIn.requireReady();
      },
      anonymous: () =>
        needsCredentials() === false ? withListed(defaultPrincipal, config().users) : null,
      async identify(token, { at: address = config().auth.publicUrl } = {}) {
        if (token !== null) return withListed(await believe(token, address), config().users);
        const isNeeded = needsCredentials();
        return withListed(
          anonymous(isNeeded instanceof Promise ? await isNeeded : isNeeded),
          config().users,
        );
      },
    },
    keys: {
      async list({ principal }) {
        requireScope(principal, "admin", "see the API keys");
        return keys.list();
      },
      async create(request, { principal }) {
        requireScope(principal, "admin", "create an API key");
        return keys.create(request, principal);
      },
      async revoke(id, { principal, forget = false }) {
        requireScope(principal, "admin", "revoke an API key");
        return keys.revoke(id, forget);
      },
    },
  };
  return {
    verbs,
    /** The same caller with today's rights; throws where none are left. */
    async current(principal: Principal): Promise<Principal> {
      const { key, servers } = principal;
      const renewed = key === undefined ? principal : await keys.again(key);
      const listed = withListed(renewed, config().users);
      if (servers === undefined) return listed;
      return { ...listed, servers };
    },
    profile(): Profile | Promise<Profile> {
      const { profile } = config().policy;
      if (profile) return profile;
      return andThen(
        needsCredentials(),
        (isNeeded): Profile => (isNeeded ? "guarded" : "personal"),
      );
    },
  };
}

/**
 * Servers and toolsets of the token's scopes are the only servers of its bearer, who manages nothing: a key, a person or
 * a server that is made would reach beyond them.
 */
function limited(principal: Principal, toolsetServers: IdentityPorts["toolsetServers"]): Principal {
  const { within } = principal;
  if (within === undefined) return principal;
  const scopes = [
    ...new Set(
      principal.scopes.map((scope) =>
        mayDo({ ...principal, scopes: [scope] }, "admin") ? "call" : scope,
      ),
    ),
  ];
  return {
    ...principal,
    scopes,
    servers: [...new Set([...within.servers, ...within.toolsets.flatMap(toolsetServers)])],
  };
}

/** Callers have a place to get tokens at. */
function signsIn(auth: Config["auth"]): boolean {
  return auth.server !== undefined || issuersIn(auth).length > 0;
}

/** Clients elsewhere know an address of this plane. */
function isPublic({ publicUrl }: Config["auth"]): boolean {
  return publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
}

function issuersIn({ jwt, issuer, claims }: Config["auth"]): TokenIssuer[] {
  const issuers: TokenIssuer[] = [];
  if (jwt) issuers.push(jwt);
  if (issuer !== undefined) issuers.push({ issuer, claims, audience: null });
  return issuers;
}

/** Null where no issuer is configured. What was learned about one is kept as long as it is. */
function createTokenCheck(
  settings: () => Config["auth"],
  egress: Egress,
  signIn: IdentityPorts["signIn"],
) {
  let cachedCheck: { of: string; verify: VerifyToken } | undefined;
  const verifyOwn = once(async () => (await import("./verify-own.ts")).createVerifyOwn(signIn));
  return async (token: string, address: string | undefined): Promise<Principal | null> => {
    const issuers = issuersIn(settings());
    if (settings().server !== undefined && address !== undefined) {
      const principal = await (await verifyOwn())(token, address);
      if (principal !== null) return principal;
      if (issuers.length === 0)
        throw unauthenticated("issuer", "The token is not one of this plane.");
    }
    if (issuers.length === 0) return null;
    const { createVerifyTokens } = await import("./verify-token.ts");
    const of = stableJson(issuers);
    if (cachedCheck?.of !== of) cachedCheck = { of, verify: createVerifyTokens(issuers, egress) };
    return cachedCheck.verify(token, address);
  };
}
