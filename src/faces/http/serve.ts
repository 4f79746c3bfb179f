import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import { isWithin, pause } from "../../lib/async/pause.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { createTrustedProxies, noteClientAddress } from "../../lib/net/client-address.ts";
import { inUrl, isAddressMissing, listenAt } from "../../lib/net/listen-at.ts";
import { isLoopback } from "../../model/config/settings.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { AppOptions } from "./app.ts";
import {
  type AllowedOrigins,
  createAllowedOrigins,
  requireCredential,
} from "./callers/allowed-origins.ts";
import { credentialFrom, withoutProof } from "./callers/identity.ts";
import { createLocalPass, type LocalPass } from "./callers/local-pass.ts";
import {
  challengeOf,
  createResourceFront,
  createSignInFront,
  createSignInPlaces,
  scopeChallenge,
} from "./callers/protected-resource.ts";
import { type SilentConnections, watchDescriptors } from "./descriptors.ts";
import { createMetrics, type SharedMetrics } from "./metrics/metrics.ts";
import { createOriginCheck, createPublicAddress, type PublicAddress } from "./origin.ts";
import { sendProblem } from "./render.ts";
import { followCertificate, readCertificate, type TlsFiles } from "./tls.ts";
import { createWorkbenchFront } from "./workbench-front.ts";

const path = "/mcp";

/** Answers at the MCP endpoint; who asks is known by then. */
type McpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
  /** `WWW-Authenticate` for a caller who needs these scopes; null where clients cannot ask for scopes. */
  needs: ((scopes: readonly string[]) => string) | null,
) => void;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** The MCP endpoint without a framework in between; everything else goes on to `next`. */
function createMcpFront(
  plane: Plane,
  host: string,
  handle: McpHandler,
  next: Listener,
  {
    allowHosts,
    pass,
    address,
    origins,
  }: {
    allowHosts: readonly string[];
    pass: LocalPass | null;
    address: PublicAddress;
    origins: AllowedOrigins;
  },
): Listener {
  const refuseOrigin = createOriginCheck(host, allowHosts);
  const places = createSignInPlaces(plane, address);

  async function identify(
    request: IncomingMessage,
    response: ServerResponse,
    isForeignPage: boolean,
  ): Promise<void> {
    const { url = path } = request;
    const signIn = places(request.headers.host, url);
    const needs = signIn && ((scopes: readonly string[]) => scopeChallenge(signIn, scopes));
    try {
      const { authorization, "x-api-key": key } = request.headers;
      const credential = credentialFrom(authorization, typeof key === "string" ? key : undefined);
      if (isForeignPage) {
        const requestUrl = `${address(request.headers.host)}${url}`;
        const caller = await plane.identity.identify(requireCredential(credential), {
          at: requestUrl,
        });
        return handle(request, response, caller, needs);
      }
      // Most clients of this machine have none, and need none.
      const anonymous = credential === null ? plane.identity.anonymous() : null;
      if (anonymous !== null) return handle(request, response, withoutProof(anonymous), null);
      const provenCredential = pass?.isIt(credential) ? null : credential;
      const principal = await plane.identity.identify(provenCredential, {
        at: `${address(request.headers.host)}${url}`,
      });
      handle(request, response, credential === null ? withoutProof(principal) : principal, needs);
    } catch (thrown) {
      refuse(response, thrown, challengeOf(thrown, signIn));
    }
  }

  return (request, response) => {
    if (!isMcp(request.url ?? "")) return next(request, response);
    const isForeignPage = origins.admits(request, response);
    const { headers } = request;
    const refusal = refuseOrigin(isForeignPage ? { host: headers.host } : headers);
    if (refusal) return refuse(response, refusal);
    if (isForeignPage && origins.answersPreflight(request, response)) return;
    void identify(request, response, isForeignPage);
  };
}

function isMcp(url: string): boolean {
  return url === path || url.startsWith(`${path}?`);
}

/** In the same words as everywhere else over HTTP. */
function refuse(response: ServerResponse, thrown: unknown, challenge?: string): void {
  sendProblem(response, thrown, challenge);
  // What was sent with it is not read, and yet taken, so that the answer is.
  response.req.resume();
}

const sweepMs = 20;
/** How long the program that has our port may take to say what it is. */
const probeMs = 1_000;
/** The time that running work has to end; while the plane drains, longer. */
const drainWaitMs = 5_000;
/** Then calls are ended; this long their answers may take to be written. */
const answerWaitMs = 2_000;

/** A whole request has to have arrived by then; looked at every few seconds, which adds up to 30. */
const arrival = {
  requestTimeout: 25_000,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 2_000,
};

/** Browsers come back with TLS only, for a year. */
const strictTransport = ["strict-transport-security", "max-age=31536000"] as const;

/** Longer than balancers keep an idle connection: the balancer has to close it first. */
const keepAliveTimeout = 65_000;

export type ServeOptions = {
  host: string;
  port: number;
  /** Names that the plane is reached by, where it stands behind something else. */
  allowHosts?: readonly string[];
  mcp?: Mcp;
  /** The directory of the built workbench; without it there is none. */
  workbench?: string;
  /** For the person who runs it. */
  warn?(text: string): void;
  /** Where several processes share the port. */
  shared?: SharedMetrics & { pass: string };
  /** Without it the plane speaks plain HTTP. */
  tls?: TlsFiles | undefined;
  /** Proxies whose word about their clients counts. */
  trustProxy?: readonly string[];
} & Pick<AppOptions, "setup">;
/** What answers at the MCP endpoint. */
export type Mcp = { handle: McpHandler; drain(): void; close(): Promise<void> };
export type HttpServer = {
  url: string;
  /** Where the person goes who started it; what is behind the # is for that person only. Null where there is no workbench. */
  workbench: string | null;
  /** What is behind the #; null where callers need a credential. */
  pass: string | null;
  /** With `drainMs`, everything is still answered for this grace period, so that balancers can find out. */
  close(options?: { drainMs?: number }): Promise<void>;
};

/** Listens, and takes no more connections once it is closed. */
export async function serveHttp(plane: Plane, options: ServeOptions): Promise<HttpServer> {
  const {
    host,
    port,
    allowHosts = [],
    setup,
    mcp,
    workbench,
    shared,
    warn = () => undefined,
    tls,
    trustProxy = [],
  } = options;
  const closing = new AbortController();
  const certificate = tls && (await readCertificate(tls));
  const isTrusted = createTrustedProxies(trustProxy);
  // Beyond loopback every caller shows a credential.
  // An unreachable store must not keep the plane from starting. If there are keys in it, the pass is none.
  const needsCredentials = await plane.identity.needsCredentials().catch(() => false);
  const hostNames = [...allowHosts, ...publicHost(plane.config().auth.publicUrl)];
  const isOwn = isLoopback(host) && allowHosts.length === 0 && !needsCredentials;
  const pass = isOwn ? createLocalPass(shared?.pass) : undefined;
  const portOf = () => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  };
  const address = createPublicAddress(() => plane.config().auth.publicUrl, tls !== undefined);
  const appFront = createAppFront(plane, {
    host,
    allowHosts: hostNames,
    address,
    port: portOf,
    closing: closing.signal,
    metrics: createMetrics(plane, { refusedConnections: () => descriptors.refused(), shared }),
    ...withoutUndefined({ setup, pass }),
  });
  const pages =
    workbench === undefined ? appFront : createWorkbenchFront(workbench, host, appFront, hostNames);
  const checkHost = createOriginCheck(host, hostNames);
  const origins = createAllowedOrigins(plane);
  const resourceFront = createResourceFront(
    plane,
    checkHost,
    address,
    createSignInFront(plane, checkHost, { address, origins }, pages),
  );
  const front = { allowHosts: hostNames, pass: pass ?? null, address, origins };
  const listener = mcp
    ? createMcpFront(plane, host, mcp.handle, resourceFront, front)
    : resourceFront;
  const answer: Listener = (request, response) => {
    if (trustProxy.length > 0) noteClientAddress(request, isTrusted);
    if (address(request.headers.host).startsWith("https:")) response.setHeader(...strictTransport);
    // Clients with a kept connection go elsewhere with the next request.
    if (closing.signal.aborted) response.shouldKeepAlive = false;
    if (!descriptors.refuses(request, response)) listener(request, response);
  };
  const serverOptions = { ...arrival, keepAliveTimeout };
  const secure = certificate && createSecureServer({ ...serverOptions, ...certificate }, answer);
  const server: Server = secure ?? createServer(serverOptions, answer);
  const unfollow = secure && tls && followCertificate(secure, tls, certificate, { warn });
  const silent = watchSilent(server);
  const descriptors = watchDescriptors(server, silent, { warn });
  const listening = await listenAt(server, port, host).catch(async (thrown) => {
    throw await listenFailure(thrown as NodeJS.ErrnoException, host, port);
  });
  const url = `${secure ? "https" : "http"}://${inUrl(listening)}:${portOf()}`;
  const fragment = pass ? `#pass=${pass.word}` : "";
  return {
    url,
    workbench: workbench === undefined ? null : `${url}/workbench/${fragment}`,
    pass: pass?.word ?? null,
    async close({ drainMs = 0 } = {}) {
      // Listeners have nothing to finish, and a call that waits for a person can wait on another plane.
      closing.abort();
      unfollow?.();
      mcp?.drain();
      plane.drain();
      if (drainMs > 0) await pause(drainMs);
      const closed = closeWhenIdle(server, silent);
      if (!(await isWithin(closed, Math.max(drainWaitMs, drainMs)))) {
        // Every call is answered, also one whose outcome is not known; then there is nothing left to wait for.
        await isWithin(plane.endCalls(), answerWaitMs);
        if (!(await isWithin(closed, answerWaitMs))) server.closeAllConnections();
        await closed;
      }
      await mcp?.close();
    },
  };
}

/** The name in the public address is one that clients use. */
function publicHost(url: string | undefined): string[] {
  return url === undefined ? [] : [new URL(url).hostname];
}

/** Connections that have not asked for anything yet, and since when; clients open some ahead of need. */
function watchSilent(server: Server): SilentConnections {
  const silent = new Map<Socket, number>();
  server.on("connection", (socket) => {
    silent.set(socket, performance.now());
    socket.once("close", () => silent.delete(socket));
  });
  server.on("request", ({ socket }) => silent.delete(socket));
  return silent;
}

/** Lets running requests finish, but no idle connection keeps the process. */
function closeWhenIdle(server: Server, silent: SilentConnections): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of silent.keys()) socket.destroy();
    }, sweepMs);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}

async function listenFailure(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
): Promise<PlaneError> {
  const options = { cause: error, data: { host, port } };
  if (error.code !== "EADDRINUSE") {
    let message = `Cannot listen on ${host}:${port}: ${error.message}.`;
    if (isAddressMissing(error))
      message += " This machine has no such address: choose one of its own with --host.";
    return new PlaneError("USAGE", message, options);
  }
  const url = `http://${isLoopback(host) ? inUrl(host) : "127.0.0.1"}:${port}`;
  const holder = (await isToolplane(url))
    ? `another Toolplane, at ${url}. Use that one, stop it,`
    : "another program. Stop it,";
  return new PlaneError(
    "USAGE",
    `Port ${port} of ${host} is in use by ${holder} or choose another port with --port, 0 for any free one.`,
    options,
  );
}

/** Its first page tells, without a credential. */
async function isToolplane(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(probeMs) });
    await answer.body?.cancel();
    return answer.headers.get("location") === "/workbench/";
  } catch {
    return false;
  }
}

/**
 * The HTTP API, loaded with the first request for it. A plane that only MCP clients speak with needs neither the
 * framework nor Node's own fetch: they are a fifth of its memory and half of its start.
 */
function createAppFront(plane: Plane, options: AppOptions): Listener {
  let loading: Promise<Listener> | undefined;
  const load = async (): Promise<Listener> => {
    const [{ createApp }, { getRequestListener }, added] = await Promise.all([
      import("./app.ts"),
      import("@hono/node-server"),
      plane.extensions.operations(),
    ]);
    return getRequestListener(createApp(plane, { ...options, added }).fetch);
  };
  return (request, response) => {
    // An answer is for its caller and is neither page nor program. Routes may say otherwise.
    response.setHeader("cache-control", "no-store").setHeader("x-content-type-options", "nosniff");
    loading ??= load();
    loading.then(
      (listener) => listener(request, response),
      (thrown) => {
        // Files may be readable again in a moment.
        loading = undefined;
        sendProblem(response, thrown);
      },
    );
  };
}
