import type { ClientAuth } from "oauth4webapi";
import { type Egress, type Gate, isLoopbackHost } from "../../lib/net/egress.ts";
import { createEndpoints } from "../../lib/net/endpoints.ts";
import { exchange } from "../../lib/net/exchange.ts";
import type { SignInProvider } from "../../model/access/auth-settings.ts";
import type { ClaimPaths } from "../../model/access/jwt-issuer.ts";
import type { PersonRights, SignInUpstream } from "../../model/access/sign-in.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import { readClaims } from "./verify-token.ts";

const timeoutMs = 10_000;
const maxBodyBytes = 512 * 1024;
/** What the provider says of itself is asked again after this time. */
const metadataMs = 600_000;

/** Loaded with the first person who signs in at a provider. */
function loadLibrary() {
  return import("oauth4webapi");
}

/** People sign in at a provider of OpenID Connect; the library checks what comes back. */
export function createUpstream(settings: SignInProvider, egress: Egress): SignInUpstream {
  const { issuer, clientId, clientSecret, scopes, claims } = settings;
  let discovered: { askedAt: number; server: Promise<Server> } | undefined;

  async function find() {
    const oauth = await loadLibrary();
    const gate = await egress.namedBy(issuer);
    const options = optionsFor(oauth, egress.configured, new URL(issuer));
    const response = await oauth.discoveryRequest(new URL(issuer), options);
    const metadata = await oauth.processDiscoveryResponse(new URL(issuer), response);
    if (metadata.authorization_endpoint === undefined)
      throw new Error("its metadata names no authorization_endpoint");
    await gate.check(new URL(metadata.authorization_endpoint));
    return { oauth, metadata, gate, options: optionsFor(oauth, gate, new URL(issuer)) };
  }

  /** One that is down is not asked with every visit of the page. */
  const endpoints = createEndpoints({
    firstMs: 1_000,
    maxMs: 30_000,
    failureOf: () => ({}),
    refuse: (failure) => failure,
  });

  function discover() {
    if (discovered === undefined || Date.now() - discovered.askedAt > metadataMs)
      discovered = { askedAt: Date.now(), server: endpoints.ask(issuer, find) };
    const { server } = discovered;
    server.catch(() => {
      if (discovered?.server === server) discovered = undefined;
    });
    return server;
  }

  const client = { client_id: clientId };

  return {
    name: new URL(issuer).host,
    async begin(redirectUri) {
      const { oauth, metadata } = await discover().catch(unreachable);
      const signInState = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      };
      const url = new URL(metadata.authorization_endpoint ?? "");
      const values = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(" "),
        state: signInState.state,
        nonce: signInState.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(signInState.verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
      return { url: url.href, kept: signInState };
    },
    async finish(answer, signInState, redirectUri) {
      const { oauth, metadata, options } = await discover().catch(unreachable);
      try {
        const checked = oauth.validateAuthResponse(
          metadata,
          client,
          answer,
          String(signInState.state),
        );
        const auth: ClientAuth =
          clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
        const request = [
          metadata,
          client,
          auth,
          checked,
          redirectUri,
          String(signInState.verifier),
        ] as const;
        const response = await oauth.authorizationCodeGrantRequest(...request, options);
        const rules = { expectedNonce: String(signInState.nonce), requireIdToken: true };
        const tokens = await oauth.processAuthorizationCodeResponse(
          metadata,
          client,
          response,
          rules,
        );
        await oauth.validateApplicationLevelSignature(metadata, response, options);
        const { ...idClaims } = oauth.getValidatedIdTokenClaims(tokens);
        return rightsOf(readClaims(idClaims, claims), claims);
      } catch (thrown) {
        if (thrown instanceof PlaneError) throw thrown;
        throw new PlaneError(
          "UNAUTHENTICATED",
          `The provider's answer does not count: ${(thrown as Error).message}.`,
        );
      }
    },
  };
}

type Library = Awaited<ReturnType<typeof loadLibrary>>;
type Server = {
  oauth: Library;
  metadata: Awaited<ReturnType<Library["processDiscoveryResponse"]>>;
  gate: Gate;
  options: ReturnType<typeof optionsFor>;
};

type LibraryRequest = { method: string; headers: Record<string, string>; body?: unknown };

/** Every request of the library passes the gate. */
function optionsFor(oauth: Library, gate: Gate, issuer: URL) {
  return {
    [oauth.customFetch]: async (url: string, { method, headers, body }: LibraryRequest) => {
      const answer = await exchange(new URL(url), {
        gate,
        method,
        headers,
        body: body === undefined || body === null ? undefined : String(body),
        signal: AbortSignal.timeout(timeoutMs),
        maxBytes: maxBodyBytes,
      });
      const type = answer.headers["content-type"];
      return new Response(new Uint8Array(answer.body), {
        status: answer.status,
        headers: type === undefined ? {} : { "content-type": type },
      });
    },
    [oauth.allowInsecureRequests]: issuer.protocol === "http:" && isLoopbackHost(issuer),
  };
}

/** What a person may give away is the word of a claim that the configuration names, and of no other. */
export function rightsOf(principal: Principal, claims: ClaimPaths): PersonRights {
  const { user, groups, persona, workspace, compliance, toolGroups } = principal;
  const scopes = claims.scopes === undefined ? ["call"] : principal.scopes;
  const rights = { user: user ?? "", groups, persona, workspace, compliance, scopes };
  if (toolGroups === undefined) return rights;
  return { ...rights, toolGroups };
}

function unreachable(thrown: unknown): never {
  const { message } = thrown as Error;
  throw new PlaneError(
    "SERVER_UNAVAILABLE",
    `The sign-in provider cannot be used at the moment: ${message}.`,
  );
}
