import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { createApp } from "./app.ts";

const sweepMs = 20;
const patienceMs = 5_000;

export type Serving = { url: string; close(): Promise<void> };

/** Listens, and takes no more connections once it is closed. */
export async function serve(plane: Plane, { host, port }: { host: string; port: number }): Promise<Serving> {
  const closing = new AbortController();
  const app = createApp(plane, { host, closing: closing.signal });
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenFailure(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${actualPort}`,
    close() {
      // Whoever only listens has nothing to finish.
      closing.abort();
      return drain(server as Server);
    },
  };
}

/** Lets running requests finish, but nobody keeps us by holding an idle connection. */
function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
    const force = setTimeout(() => server.closeAllConnections(), patienceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(force);
      resolve();
    });
  });
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): PlaneError {
  const reason =
    error.code === "EADDRINUSE"
      ? "another program listens there. Choose another with --port, or --port 0 for any free one"
      : error.message;
  return new PlaneError("USAGE", `Cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
}
