import { type IncomingMessage, ServerResponse } from "node:http";
import { steadyNow } from "@toolplane/core/lib/async/steady-time";
import { clientAddress } from "@toolplane/core/lib/net/client-address";
import { pageHeader } from "@toolplane/core/model/access/page-proof";
import type { PersonRights, SignInPorts, SignInServer } from "@toolplane/core/model/access/sign-in";
import type { Provider } from "oidc-provider";
import { endpointOf, refusedByLimit } from "./endpoints.ts";
import { createFlows } from "./flows.ts";
import { isPageOf } from "./page-proof.ts";
import { pageScript } from "./page-script.ts";
import { icon, styleSheet } from "./page-style.ts";
import { messagePage } from "./pages.ts";
import { type Person, personOf } from "./people.ts";
import { createProvider } from "./provider.ts";
import { holdBack } from "./refusal.ts";
import { readSigningKeys, type SigningKeys } from "./signing-keys.ts";
import { BadVisit, closeAfterLarge, headersFor, sendJson, sendPage, type Visit } from "./visit.ts";

export { openDesk } from "./people.ts";

/** How often it is looked whether another replica has a new key. */
const keysRefreshMs = 60_000;
/** How often the use of a session is noted. */
const useNotedMs = 60_000;
const unexpectedFailure = "The plane could not do this. Try again in a moment.";
const files: Readonly<Record<string, { type: string; body: string }>> = {
  "/sign-in/style.css": { type: "text/css; charset=utf-8", body: styleSheet },
  "/sign-in/page.js": { type: "text/javascript; charset=utf-8", body: pageScript },
  "/sign-in/icon.svg": { type: "image/svg+xml", body: icon },
};

type LoadedProvider = { keys: SigningKeys; provider: Provider; readAt: number };

/** The authorization server at one address. */
export async function openSignIn(ports: SignInPorts): Promise<SignInServer> {
  const { origin, rows, record } = ports;
  const flows = createFlows(ports);
  let loaded: LoadedProvider | undefined;
  let loading: Promise<LoadedProvider> | undefined;

  const load = async (): Promise<LoadedProvider> => {
    const keys = await readSigningKeys(rows);
    const isSame =
      loaded !== undefined &&
      JSON.stringify(loaded.keys.published) === JSON.stringify(keys.published);
    const previousProvider = isSame ? loaded?.provider : undefined;
    const provider = previousProvider ?? recordingProvider(createProvider(ports, keys), ports);
    loaded = { keys, provider, readAt: Date.now() };
    return loaded;
  };
  const reload = () => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const loadedProvider = async (): Promise<LoadedProvider> => {
    if (loaded === undefined) return reload();
    if (Date.now() - loaded.readAt > keysRefreshMs) void reload().catch(() => undefined);
    return loaded;
  };
  await loadedProvider();

  const notedAt = new Map<string, number>();
  /** Beside the request. */
  function noteUse(session: string): void {
    const now = steadyNow();
    if (now - (notedAt.get(session) ?? Number.NEGATIVE_INFINITY) < useNotedMs) return;
    if (notedAt.size > 10_000) notedAt.clear();
    notedAt.set(session, now);
    void rows.touch("Session", session).catch(() => undefined);
  }

  async function answer(visit: Visit): Promise<void> {
    const { request, response } = visit;
    const [path = ""] = (request.url ?? "").split("?", 1);
    const file = files[path];
    if (file !== undefined && request.method === "GET")
      return void response
        .writeHead(200, {
          ...headersFor(),
          "content-type": file.type,
          "cache-control": "public, max-age=300",
        })
        .end(file.body);
    closeAfterLarge(visit);
    const { provider } = await loadedProvider();
    setOwnHost(request, origin);
    if (path === "/sign-in" || path.startsWith("/sign-in/")) return flows(visit, provider);
    const endpoint = endpointOf(path);
    if (endpoint === null) throw new BadVisit(404, "There is no such page.");
    if (await refusedByLimit(ports, visit, endpoint)) return;
    if (endpoint === "authorization") setDefaultScopes(request, ports.defaultScopes);
    response.setHeader("x-frame-options", "DENY");
    // The library adds its page that posts a form to the client, by a hash, to the scripts that may run.
    response.setHeader(
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    response.setHeader("referrer-policy", "no-referrer");
    await provider.callback()(request, response);
  }

  return {
    // Fresh from the store: it is asked for a key that is not known.
    keys: async () => ({ keys: (await reload()).keys.published }),
    async person(request) {
      const { provider } = await loadedProvider();
      const session = await sessionOf(provider, request as IncomingMessage);
      const { headers } = request as IncomingMessage;
      const isProven = isPageOf(session, headers[pageHeader]);
      const person = isProven ? await personOf(rows, session) : null;
      if (person === null) return null;
      noteUse(session.jti);
      return rightsOf(person);
    },
    async end(request) {
      const { provider } = await loadedProvider();
      const session = await sessionOf(provider, request as IncomingMessage);
      if (session.accountId === undefined) return;
      await session.destroy();
      await record({
        operation: "signIn.logout",
        target: session.accountId,
        user: session.accountId,
      });
    },
    handle(rawRequest, rawResponse) {
      const [request, response] = [rawRequest as IncomingMessage, rawResponse as ServerResponse];
      const visit = { request, response, address: clientAddress(request) ?? "" };
      void answer(visit).catch((thrown: unknown) => {
        if (response.headersSent) return void response.end();
        const { status, message } =
          thrown instanceof BadVisit ? thrown : new BadVisit(500, unexpectedFailure);
        if (request.headers.accept?.includes("text/html") || request.method === "GET")
          return sendPage(visit, messagePage("This did not work", message, "bad"), status);
        sendJson(visit, status, {
          error: status < 500 ? "invalid_request" : "server_error",
          error_description: message,
        });
      });
    },
  };
}

/** Of the cookies of a request; nothing is answered with it. */
const sessionOf = (provider: Provider, request: IncomingMessage) =>
  provider.Session.get(provider.createContext(request, new ServerResponse(request)) as never);

function rightsOf({
  user,
  groups,
  persona,
  workspace,
  compliance,
  scopes,
  toolGroups,
}: Person): PersonRights {
  const rights = { user, groups, persona, workspace, compliance, scopes };
  return toolGroups === undefined ? rights : { ...rights, toolGroups };
}

/** Links and cookies are made of what a request says about its host: only the configured address counts. */
function setOwnHost({ headers }: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin);
  headers.host = host;
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-for"];
}

/** A client that asks for nothing in particular gets what the plane offers by default. */
function setDefaultScopes(request: IncomingMessage, scopes: readonly string[]): void {
  const url = new URL(request.url ?? "", "http://localhost");
  if (url.searchParams.get("scope") || scopes.length === 0) return;
  url.searchParams.set("scope", scopes.join(" "));
  request.url = url.pathname + url.search;
}

/** What is refused leaves a line in the record, as does what is issued. */
function recordingProvider(
  provider: Provider,
  { record, revoked, settings }: SignInPorts,
): Provider {
  const addressOf = (ctx: { req?: IncomingMessage }) => ctx.req && clientAddress(ctx.req);
  type RefusalError = { message: string; error_description?: string };
  const refusals = {
    "authorization.error": "signIn.authorize",
    "grant.error": "signIn.token",
    "registration_create.error": "clients.register",
    "revocation.error": "signIn.revoke",
    server_error: "signIn.fault",
  } as const;
  for (const [event, operation] of Object.entries(refusals))
    provider.on(event as "grant.error", (ctx, error) => {
      const { message, error_description: why } = error as RefusalError;
      const client = ctx.oidc?.client?.clientId ?? String(ctx.oidc?.params?.client_id ?? "");
      const input = { client: client.slice(0, 300), why };
      void record({ operation, address: addressOf(ctx), input, error: message });
    });
  for (const event of ["authorization.error", "server_error"])
    provider.on(event as "grant.error", (ctx, error) => holdBack(ctx, error, settings));
  provider.on("grant.revoked", (ctx, id) => {
    void revoked(id);
    void record({ operation: "grants.revoke", target: id, address: addressOf(ctx) });
  });
  provider.on("registration_create.success", (ctx, client) => {
    const input = { name: client.clientName, redirectUris: client.redirectUris };
    void record({
      operation: "clients.register",
      target: client.clientId,
      address: addressOf(ctx),
      input,
    });
  });
  provider.on("grant.success", (ctx) => {
    const { client, account, params } = ctx.oidc;
    const input = { client: client?.clientId, grantType: params?.grant_type };
    void record({
      operation: "signIn.token",
      user: account?.accountId ?? null,
      address: addressOf(ctx),
      input,
    });
  });
  return provider;
}
