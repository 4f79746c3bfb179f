import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { pause } from "../../lib/pause.ts";
import { PlaneError } from "../../model/errors.ts";
import { isLoopback } from "../../model/loopback.ts";
import type { Plane } from "../../model/plane.ts";
import type { AppOptions } from "./app.ts";
import { createAppFront } from "./app-front.ts";
import { createLocalPass } from "./local-pass.ts";
import { createMcpFront, type McpHandler } from "./mcp-front.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { createWorkbenchFront } from "./workbench-front.ts";

const sweepMs = 20;
/** How long the program that has our port may take to say what it is. */
const probeMs = 1_000;
/** What runs has so long to end, or as long as the plane drains. */
const drainWaitMs = 5_000;

/** A whole request has to have arrived by then; looked at every few seconds, which adds up to 30. */
const arrival = { requestTimeout: 25_000, headersTimeout: 20_000, connectionsCheckingInterval: 2_000 };

/** Longer than balancers keep a connection that nobody uses: whoever closes it first must not be us. */
const keepAliveTimeout = 65_000;

export type ServeOptions = {
  host: string;
  port: number;
  /** Names that the plane is reached by, where it stands behind something else. */
  allowHosts?: readonly string[];
  mcp?: Mcp;
  /** The directory of the built workbench; without it there is none. */
  workbench?: string;
} & Pick<AppOptions, "setup">;
/** What answers at the MCP endpoint. */
export type Mcp = { handle: McpHandler; drain(): void; close(): Promise<void> };
export type Serving = {
  url: string;
  /** Where the person goes who started it; what is behind the # is for nobody else. Null where there is no workbench. */
  workbench: string | null;
  /** With `drainMs`, everything is still answered for so long, so that whoever sends requests here can find out. */
  close(options?: { drainMs?: number }): Promise<void>;
};

/** Listens, and takes no more connections once it is closed. */
export async function serve(
  plane: Plane,
  { host, port, allowHosts = [], setup, mcp, workbench }: ServeOptions,
): Promise<Serving> {
  const closing = new AbortController();
  // Where others can come, everybody shows a credential, whoever started it.
  // A store that is away may have keys in it, and must not keep the plane from starting.
  const needsCredentials = await plane.needsCredentials().catch(() => true);
  const isOwn = isLoopback(host) && allowHosts.length === 0 && !needsCredentials;
  const pass = isOwn ? createLocalPass() : undefined;
  const others = createAppFront(plane, {
    ...{ host, allowHosts, closing: closing.signal, metrics: createMetrics(plane) },
    ...(setup ? { setup } : {}),
    ...(pass ? { pass } : {}),
  });
  const rest = workbench === undefined ? others : createWorkbenchFront(workbench, host, others, allowHosts);
  const listener = mcp ? createMcpFront(plane, host, mcp.handle, rest, allowHosts) : rest;
  const server = createServer({ ...arrival, keepAliveTimeout }, (request, response) => {
    // Whoever keeps a connection goes elsewhere with the next request.
    if (closing.signal.aborted) response.shouldKeepAlive = false;
    listener(request, response);
  });
  const silent = watchSilent(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      listenFailure(error, host, port).then(reject, reject),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  const url = `http://${shownHost}:${actualPort}`;
  const mark = pass && setup ? `#pass=${pass.word}` : "";
  return {
    url,
    workbench: workbench === undefined ? null : `${url}/workbench/${mark}`,
    async close({ drainMs = 0 } = {}) {
      // Whoever only listens has nothing to finish, and who waits for a person can wait elsewhere.
      closing.abort();
      mcp?.drain();
      plane.drain();
      if (drainMs > 0) await pause(drainMs);
      await drain(server, silent, Math.max(drainWaitMs, drainMs));
      await mcp?.close();
    },
  };
}

/** Connections that have not asked for anything yet; clients open some ahead of need. */
function watchSilent(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.on("request", ({ socket }) => silent.delete(socket));
  return silent;
}

/** Lets running requests finish, but nobody keeps us by holding an idle connection. */
function drain(server: Server, silent: ReadonlySet<Socket>, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of silent) socket.destroy();
    }, sweepMs);
    const force = setTimeout(() => server.closeAllConnections(), waitMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(force);
      resolve();
    });
  });
}

async function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Promise<PlaneError> {
  const options = { cause: error, data: { host, port } };
  if (error.code !== "EADDRINUSE")
    return new PlaneError("USAGE", `Cannot listen on ${host}:${port}: ${error.message}.`, options);
  const url = `http://${isLoopback(host) && host.includes(":") ? `[${host}]` : "127.0.0.1"}:${port}`;
  const [holder, remedy] = (await isToolplane(url))
    ? [`another Toolplane, at ${url}`, "Use that one, stop it,"]
    : ["another program", "Stop it,"];
  return new PlaneError(
    "USAGE",
    `Port ${port} of ${host} is in use by ${holder}. ${remedy} or choose another port with --port, 0 for any free one.`,
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
