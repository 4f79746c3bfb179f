import http, { type ClientRequestArgs } from "node:http";
import https from "node:https";
import net, { type Socket } from "node:net";
import tls from "node:tls";
import { type HttpProxy, hostOf, isEncrypted, ProxyFailed, portOf, proxyFor } from "./proxy.ts";

export type ProxyWay = {
  agent: http.Agent;
  /** What the proxy itself is given with each request. */
  headers: Readonly<Record<string, string>>;
  /** Of a request line. */
  pathOf(url: URL): string;
};

type WayOptions = {
  /** Judges the address here; the proxy resolves it. */
  proxied(): Promise<void>;
  keepAlive?: boolean;
};

/** For the time until the way through the proxy is open. */
const openingMs = 30_000;

/** Null where the address is reached directly. Throws `ProxyFailed`. */
export function wayThroughProxy(
  url: URL,
  { proxied, keepAlive = false }: WayOptions,
): ProxyWay | null {
  const proxy = proxyFor(url);
  if (proxy === null) return null;
  const isForwarded = url.protocol === "http:";
  const agent = new (isEncrypted(url) ? https : http).Agent({ keepAlive });
  const ended = new AbortController();
  const open = async (connectionOptions: ClientRequestArgs): Promise<Socket> => {
    await proxied();
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(openingMs)]);
    if (isForwarded) return reachProxy(proxy, signal);
    const tunnel = await openTunnel(proxy, url, signal);
    if (isEncrypted(url)) return encrypt(tunnel, url, connectionOptions, signal);
    return tunnel;
  };
  const destroy = agent.destroy.bind(agent);
  return {
    agent: Object.assign(agent, {
      createConnection(
        connectionOptions: ClientRequestArgs,
        done: (error: Error | null, socket: Socket) => void,
      ) {
        open(connectionOptions).then(
          (socket) => done(null, socket),
          (thrown) => done(thrown, undefined as never),
        );
      },
      destroy() {
        ended.abort();
        destroy();
      },
    }),
    headers: isForwarded ? credentialsOf(proxy) : {},
    pathOf: ({ protocol, host, pathname, search }) =>
      isForwarded ? `${protocol}//${host}${pathname}${search}` : `${pathname}${search}`,
  };
}

/** A connection to the proxy itself. */
export function reachProxy(proxy: HttpProxy, signal: AbortSignal): Promise<Socket> {
  const proxyAddress = { host: hostOf(proxy.url), port: Number(portOf(proxy.url)) };
  const isTls = isEncrypted(proxy.url);
  const socket = isTls
    ? tls.connect({ ...proxyAddress, ...serverName(proxy.url) })
    : net.connect(proxyAddress);
  return whenOpened(socket, signal, (resolve, reject) => {
    socket.once(isTls ? "secureConnect" : "connect", () => resolve(socket));
    // Stays, so that a late error is not unhandled.
    socket.on("error", (cause) => reject(proxyUnreachable(proxy, cause)));
  });
}

/** A connection to the address, of which the proxy only passes on the bytes. */
export function openTunnel(proxy: HttpProxy, url: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${portOf(url)}`;
  const request = (isEncrypted(proxy.url) ? https : http).request({
    host: hostOf(proxy.url),
    port: portOf(proxy.url),
    ...serverName(proxy.url),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...credentialsOf(proxy) },
    agent: false,
  });
  return whenOpened(request, signal, (resolve, reject) => {
    request.on("error", (cause) => reject(proxyUnreachable(proxy, cause)));
    request.on("connect", ({ statusCode = 0 }, stream, head) => {
      const socket = stream as Socket;
      socket.on("error", () => undefined);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(tunnelRefused(proxy, target, statusCode));
    });
    request.end();
  });
}

/** Rejects with what TLS says about the address. */
function encrypt(
  tunnel: Socket,
  url: URL,
  { servername }: NamedServer,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = tls.connect({
    socket: tunnel,
    host: hostOf(url),
    ...(servername ? { servername } : serverName(url)),
  });
  return whenOpened(socket, signal, (resolve, reject) => {
    socket.once("secureConnect", () => resolve(socket));
    socket.on("error", reject);
    socket.once("close", () =>
      reject(Object.assign(new Error("the connection was cut"), { code: "ECONNRESET" })),
    );
  });
}

type NamedServer = ClientRequestArgs & { servername?: string };
type Settle = (resolve: (socket: Socket) => void, reject: (thrown: Error) => void) => void;

/** The signal counts until then: what is open belongs to its agent. */
async function whenOpened(
  stream: { destroy(error: Error): unknown },
  signal: AbortSignal,
  settle: Settle,
): Promise<Socket> {
  const giveUp = () =>
    void stream.destroy(Object.assign(new Error("given up"), { code: "ETIMEDOUT" }));
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  settle(resolve, reject);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", giveUp));
}

function serverName(url: URL): { servername?: string } {
  if (net.isIP(hostOf(url)) === 0) return { servername: hostOf(url) };
  return {};
}

function credentialsOf({ url: { username, password } }: HttpProxy): Record<string, string> {
  if (username === "" && password === "") return {};
  const text = [username, password].map(decoded).join(":");
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

/** A percent sign that begins no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function proxyUnreachable({ url, variable }: HttpProxy, cause: NodeJS.ErrnoException): ProxyFailed {
  const detail = `the proxy at ${url.host} cannot be used (${cause.code ?? "it broke off"})`;
  return new ProxyFailed(detail, `correct ${variable}`, { cause });
}

function tunnelRefused({ url, variable }: HttpProxy, target: string, status: number): ProxyFailed {
  const remedy =
    status === 407 ? `write user and password into ${variable}` : "allow it there, or set NO_PROXY";
  return new ProxyFailed(
    `the proxy at ${url.host} refuses to connect to ${target} (HTTP ${status})`,
    remedy,
  );
}
