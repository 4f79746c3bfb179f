import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { networkOf } from "@toolplane/core/lib/net/client-address";
import { limitsIn } from "@toolplane/core/model/access/resource";
import type { SignInPorts } from "@toolplane/core/model/access/sign-in";
import { isSignInPath } from "@toolplane/core/model/access/sign-in";
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import { createAdapter } from "./adapter.ts";
import { addAssertionGrant, type ResourceServerOf } from "./assertion-grant.ts";
import { pagesClient } from "./client-view.ts";
import { checkClient, checkedProperty, configuredClients, createClientFetch } from "./clients.ts";
import { offeredScopes } from "./consent.ts";
import { routes } from "./endpoints.ts";
import { findGrantClient, limitsAmong, withLimits } from "./grants.ts";
import { isTicketed, unprovenReason } from "./page-proof.ts";
import { findPerson, grantable, isSamePerson, stateOf } from "./people.ts";
import { renderRefusal } from "./refusal.ts";
import { type SigningKeys, signingAlgorithm } from "./signing-keys.ts";

const hour = 3_600;
const documentBytes = 16 * 1024;
/** Read for one network: who names documents makes the plane ask others for them. */
const documentsAnHour = 300;
export const pagesReturn = "/sign-in/access/back";

function policyOf({ rows }: SignInPorts): ReturnType<typeof interactionPolicy.base> {
  const { Check } = interactionPolicy;
  const promptIf = (isNeeded: boolean) =>
    isNeeded ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  const policy = interactionPolicy.base();
  policy
    .get("login")
    ?.checks.add(
      new Check(
        "changed_person",
        "the person is gone, or signs in with something else",
        "login_required",
        ({ oidc }) => promptIf(oidc.session?.accountId !== undefined && oidc.account === undefined),
      ),
    );
  policy
    .get("login")
    ?.checks.add(
      new Check(unprovenReason, "a cookie alone signs no one in", "login_required", (ctx) =>
        promptIf(ctx.oidc.session?.accountId !== undefined && !isTicketed(ctx)),
      ),
    );
  const { checks } = policy.get("consent") ?? policy[0] ?? { checks: null };
  if (checks === null) throw new Error("the library has no prompt of consent");
  checks.remove("native_client_prompt");
  // Any program can use the id of a document; the id of a registered client is known to that client alone.
  checks.add(
    new Check(
      "shared_native_client",
      "clients of a device ask each time",
      "interaction_required",
      ({ oidc }) => {
        const isShared =
          oidc.client?.applicationType === "native" && /^https:/.test(oidc.client.clientId);
        return promptIf(isShared && !oidc.result?.consent);
      },
    ),
  );
  // A client that asked for some servers alone, and wants them all now; what a person chose stays.
  checks.add(
    new Check(
      "limited_before",
      "more servers than were allowed",
      "interaction_required",
      async ({ oidc }) => {
        const { grant, requestParamScopes, result } = oidc;
        if (
          grant?.jti === undefined ||
          result?.consent ||
          limitsIn([...requestParamScopes]) !== null
        )
          return Check.NO_NEED_TO_PROMPT;
        const grantClient = await findGrantClient(rows, grant.jti);
        return promptIf(Boolean(grantClient?.limits) && !grantClient?.isChosen);
      },
    ),
  );
  return policy;
}

/** The address must be the plane's own, and one that callers use. */
function requireOwnResource(resource: string, origin: string): void {
  const url = URL.parse(resource);
  const isOwn =
    url !== null &&
    url.origin === origin &&
    url.username === "" &&
    url.password === "" &&
    !resource.includes("#") &&
    // People see it, and clients compare it: it has one spelling.
    [url.href, url.origin].includes(resource) &&
    !/%(?:2e|2f|5c|00)/i.test(url.pathname);
  if (!isOwn || isSignInPath(url.pathname)) throw new errors.InvalidTarget();
}

/** OAuth and OpenID Connect by `oidc-provider`, on the plane's store. */
export function createProvider(ports: SignInPorts, keys: SigningKeys): Provider {
  const { origin, settings, rows, egress } = ports;
  const accessSeconds = settings.accessMinutes * 60;
  const resourceServerOf: ResourceServerOf = (resource, { oidc }, { clientId }) => {
    requireOwnResource(resource, origin);
    const asItself = oidc.params?.grant_type === "client_credentials";
    return {
      scope: asItself
        ? (settings.clients[clientId]?.scopes ?? []).join(" ")
        : offeredScopes(ports).join(" "),
      audience: resource,
      accessTokenTTL: accessSeconds,
      accessTokenFormat: "jwt",
      jwt: { sign: { alg: signingAlgorithm as "ES256" } },
    };
  };
  const isHttps = origin.startsWith("https:");
  /** Hosts beside this one cannot set a cookie that is bound to it; one that is for a single path cannot be bound. */
  const cookieName = (cookie: string, prefix: "__Host-" | "__Secure-") =>
    `${isHttps ? prefix : ""}toolplane_${cookie}`;
  const configuration: Configuration = {
    adapter: createAdapter(rows, ports.revoked),
    jwks: { keys: keys.secret as never },
    clients: [
      ...configuredClients(settings),
      {
        client_id: pagesClient,
        client_name: "Toolplane",
        redirect_uris: [origin + pagesReturn],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none",
      },
    ] as never,
    clientDefaults: {
      id_token_signed_response_alg: signingAlgorithm,
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
    extraClientMetadata: {
      properties: [checkedProperty],
      validator: (_ctx, _key, _value, metadata) => {
        if (metadata.client_id !== pagesClient)
          checkClient(metadata as Record<string, unknown>, settings);
      },
    },
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    responseTypes: ["code"],
    scopes: ["openid", "offline_access"],
    pkce: { required: () => true },
    cookies: {
      names: {
        session: cookieName("session", "__Host-"),
        interaction: cookieName("interaction", "__Secure-"),
        resume: cookieName("resume", "__Secure-"),
      },
      keys: keys.cookies,
      long: { httpOnly: true, sameSite: "lax", signed: true, path: "/" },
      short: { httpOnly: true, sameSite: "lax", signed: true },
    },
    routes,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: {
        enabled: settings.registration,
        issueRegistrationAccessToken: false,
      } as never,
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      clientIdMetadataDocument: {
        enabled: settings.clientDocuments,
        ack: "draft-02",
        allowFetch: async ({ req }) =>
          (await rows.count(`document ${networkOf(req)}`, hour)).count <= documentsAnHour,
        allowClient: async () => true,
        cacheDuration: { min: 60, max: 24 * hour },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_ctx, _client, oneOf) => oneOf ?? `${origin}/mcp`,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (ctx, resource, client) =>
          resourceServerOf(resource, ctx, client),
      },
    } as Configuration["features"] & object,
    interactions: {
      policy: policyOf(ports),
      url: (_ctx, interaction) => `/sign-in/${interaction.uid}`,
    },
    // Also over the end of a session: what was allowed stays allowed until it is taken back.
    loadExistingGrant: (ctx) => existingGrant(ctx, ports),
    findAccount: async ({ oidc }, user, token) => {
      const person = await findPerson(rows, user);
      const { acr, kind } = (token ?? oidc.session ?? {}) as { acr?: string; kind?: string };
      // What was allowed stays where a person gets another password; what was begun does not.
      if (person === null) return undefined;
      const isTheirs =
        acr === stateOf(person) || (kind === "RefreshToken" && isSamePerson(acr, person));
      return isTheirs ? { accountId: user, claims: async () => ({ sub: user }) } : undefined;
    },
    extraTokenClaims: async (_ctx, token) => claimsOf(ports, token as never),
    formats: {
      customizers: {
        jwt: (_ctx, token, parts) => keepLimits(ports, token as never, parts) as never,
      },
    },
    discovery: {
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    },
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: () => true,
    clockTolerance: 15,
    allowOmittingSingleRegisteredRedirectUri: false,
    fetch: createClientFetch(egress.stranger) as never,
    fetchResponseBodyLimits: {
      "client_id metadata document": documentBytes,
      jwks_uri: 64 * 1024,
      sector_identifier_uri: 1_024,
    },
    enabledJWA: {
      clientAuthSigningAlgValues: ["RS256", "PS256", "ES256", "EdDSA"],
      idTokenSigningAlgValues: ["ES256"],
    },
    renderError: async (ctx, answer, error) => renderRefusal(ctx, { ...answer }, error),
    ttl: {
      AccessToken: accessSeconds,
      ClientCredentials: accessSeconds,
      AuthorizationCode: 60,
      Grant: 365 * 24 * hour,
      IdToken: accessSeconds,
      Interaction: hour,
      RefreshToken: settings.refreshDays * 24 * hour,
      Session: settings.sessionHours * hour,
    },
  } as Configuration;
  const provider = new Provider(origin, configuration);
  // What a request says about its host is set by us before it gets here.
  provider.proxy = true;
  if (settings.assertionIssuers.length > 0) addAssertionGrant(provider, ports, resourceServerOf);
  return provider;
}

/**
 * Limits to servers stay in every token, also where a client leaves them out of what it asks for. A program that asks for
 * nothing in particular gets what it may do as itself.
 */
async function keepLimits(
  { settings, rows }: SignInPorts,
  token: IssuedToken,
  { payload }: { payload: object },
) {
  const { kind, clientId = "", grantId } = token;
  const requestedScopes = (payload as { scope?: string }).scope
    ?.split(" ")
    .filter((scope) => scope !== "");
  const clientScopes =
    kind === "ClientCredentials" ? (settings.clients[clientId]?.scopes ?? []) : null;
  let limits = clientScopes === null ? null : limitsAmong(clientScopes);
  if (clientScopes === null && grantId !== undefined)
    limits = (await findGrantClient(rows, grantId))?.limits ?? null;
  Object.assign(payload, {
    scope: withLimits(requestedScopes ?? clientScopes ?? [], limits).join(" "),
  });
}

async function existingGrant(ctx: KoaContextWithOIDC, { rows }: SignInPorts) {
  const { client, session, provider, result } = ctx.oidc;
  const accountId = session?.accountId;
  if (client === undefined || session === undefined || accountId === undefined) return undefined;
  const grantId =
    (result?.consent as { grantId?: string } | undefined)?.grantId ??
    session.grantIdFor(client.clientId);
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (grant?.accountId === accountId) return grant;
  const grants = await rows.list<{ clientId?: string }>("Grant", { account: accountId });
  const lastGrant = grants.findLast(({ value }) => value.clientId === client.clientId);
  if (lastGrant !== undefined) return provider.Grant.find(lastGrant.id);
  if (client.clientId !== pagesClient) return undefined;
  const pagesGrant = new provider.Grant({ accountId, clientId: pagesClient });
  pagesGrant.addOIDCScope("openid");
  await pagesGrant.save();
  return pagesGrant;
}

type IssuedToken = {
  kind: string;
  accountId?: string;
  grantId?: string;
  clientId?: string;
  scope?: string;
};

/** Who the bearer is, as in the tokens of an identity provider. */
async function claimsOf(
  { rows, settings }: SignInPorts,
  { accountId, grantId, clientId, scope = "" }: IssuedToken,
) {
  if (accountId === undefined) return { groups: settings.clients[clientId ?? ""]?.groups ?? [] };
  const person = await findPerson(rows, accountId);
  if (person === null) throw new errors.InvalidGrant("the person is not known any more");
  const { refused } = grantable(person, scope.split(" "));
  if (refused.length > 0)
    throw new errors.InvalidGrant(`the person may not give ${refused.join(" and ")} any more`);
  const { groups, persona, workspace, compliance, toolGroups } = person;
  return withoutUndefined({
    groups,
    persona,
    workspace,
    compliance,
    tool_groups: toolGroups,
    grant: grantId,
  });
}
