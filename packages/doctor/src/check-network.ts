import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { abortable } from "@toolplane/core/lib/async/signals";
import { configured, EgressRefused } from "@toolplane/core/lib/net/egress";
import {
  type HttpProxy,
  hostOf,
  isEncrypted,
  ProxyFailed,
  proxyFor,
} from "@toolplane/core/lib/net/proxy";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { stringOrEmpty } from "@toolplane/core/model/json";
import { failed, passed } from "./check-configuration.ts";

export function checkUrl(text: string | undefined): { url: URL } | { check: DoctorCheck } {
  const url = URL.parse(text ?? "");
  if (url && /^(?:https?|wss?):$/.test(url.protocol) && url.hostname !== "") return { url };
  const detail =
    text === undefined ? "There is no 'url'." : "'url' is not an address that can be used.";
  return {
    check: failed("url", detail, "Write 'url' as https://HOST/PATH or http://HOST:PORT/PATH."),
  };
}

/** Name, port, encryption: each fails for its own reasons. `key`: where the address stands. */
export async function checkReachable(url: URL, limitMs: number, key = "url"): Promise<DoctorCheck> {
  const signal = AbortSignal.timeout(limitMs);
  let explain = unknownHost;
  let socket: Socket | undefined;
  try {
    const proxy = proxyFor(url);
    await abortable(judge(url, proxy), signal);
    if (proxy === null) await abortable(lookup(hostOf(url)), signal);
    explain = closedPort;
    socket = proxy === null ? await openSocket(url, signal) : await passProxy(proxy, url, signal);
    explain = brokenTls;
    if (isEncrypted(url)) await encrypt(url, socket, signal, true);
    const proxyText = proxy === null ? "" : ` through the proxy at ${proxy.url.host}`;
    return passed(
      "reachable",
      `${url.host} accepts ${isEncrypted(url) ? "TLS " : ""}connections${proxyText}.`,
    );
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (thrown instanceof EgressRefused)
      return failed("reachable", `${message}.`, `Correct '${key}'.`);
    if (thrown instanceof ProxyFailed)
      return failed("reachable", asSentence(thrown.detail), asSentence(thrown.remedy));
    const errorCode = stringOrEmpty(code);
    const timeLimitText = signal.aborted ? `within ${limitMs / 1000} s` : null;
    const [detail, fix] = explain(url, {
      code: errorCode,
      reason: errorCode || message,
      late: timeLimitText,
    });
    return failed("reachable", detail, fix.replace("'url'", `'${key}'`));
  } finally {
    socket?.destroy();
  }
}

async function judge(url: URL, proxy: HttpProxy | null): Promise<void> {
  if (proxy === null) return configured.check(url);
  return configured.connection(url).proxied();
}

/** A proxy forwards plain requests one by one, so that there is no connection to look at but its own. */
async function passProxy(proxy: HttpProxy, url: URL, signal: AbortSignal): Promise<Socket> {
  const { openTunnel, reachProxy } = await import("@toolplane/core/lib/net/proxy-agent");
  if (url.protocol === "http:") return reachProxy(proxy, signal);
  return openTunnel(proxy, url, signal);
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export async function isTlsPort(url: URL, limitMs: number): Promise<boolean> {
  if (isEncrypted(url) || proxyFor(url) !== null) return false;
  const signal = AbortSignal.timeout(limitMs);
  let socket: Socket | undefined;
  try {
    socket = await openSocket(url, signal);
    await encrypt(url, socket, signal, false);
    return true;
  } catch {
    return false;
  } finally {
    socket?.destroy();
  }
}

export function plainOnTlsPort({ host, protocol }: URL): DoctorCheck {
  const fix = `Change the beginning of 'url' to ${protocol === "ws:" ? "wss" : "https"}://.`;
  return failed("reachable", `${host} expects TLS, and 'url' begins with ${protocol}//.`, fix);
}

function openSocket(url: URL, signal: AbortSignal): Promise<Socket> {
  const port = Number(url.port) || (isEncrypted(url) ? 443 : 80);
  const socket = connect({ host: hostOf(url), port, ...configured.connection(url) });
  return settledSocket(socket, "connect", signal);
}

function encrypt(url: URL, socket: Socket, signal: AbortSignal, verify: boolean): Promise<Socket> {
  const host = hostOf(url);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return settledSocket(
    connectTls({ socket, host, ...servername, rejectUnauthorized: verify }),
    "secureConnect",
    signal,
  );
}

function settledSocket<T extends Socket>(
  socket: T,
  event: string,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(new Error("time limit"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    const done = () => signal.removeEventListener("abort", giveUp);
    socket.once(event, () => resolve(socket));
    socket.once("close", () => reject(new Error("the connection was closed")));
    // Stays, so that a late error is not unhandled.
    socket.on("error", reject).on("close", done).on(event, done);
  });
}

type Failure = { code: string; reason: string; late: string | null };

/** Only host and port: path, query and credentials may be secret. */
type Explain = (url: URL, failure: Failure) => [detail: string, fix: string];

const unknownHost: Explain = ({ hostname }, { code }) => {
  const fix = "Correct the host name in 'url', or connect this machine to a network that knows it.";
  if (code === "ENOTFOUND") return [`There is no host '${hostname}'.`, fix];
  const reason = code || "no answer";
  return [`The host name '${hostname}' could not be looked up (${reason}).`, fix];
};

const closedPort: Explain = ({ host }, { code, reason, late }) => {
  if (code === "ECONNREFUSED" && late === null)
    return [`Nothing listens at ${host}.`, "Start the server, or correct the port in 'url'."];
  const why = late === null ? `cannot be reached: ${reason}` : `did not answer ${late}`;
  return [`${host} ${why}.`, `Let this machine reach ${host} through its network and firewall.`];
};

const certificateProblems: readonly [
  codes: readonly string[],
  what: string,
  fix: (host: string) => string,
][] = [
  [
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    ],
    "is signed by no authority that this machine trusts",
    () =>
      "Start toolplane with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the certificate of its issuer.",
  ],
  [["CERT_HAS_EXPIRED"], "has expired", (host) => `Renew the certificate of ${host}.`],
  [
    ["ERR_TLS_CERT_ALTNAME_INVALID"],
    "is made for another name",
    () => "Change the host in 'url' to a name that the certificate is made for.",
  ],
];

const brokenTls: Explain = ({ host }, { code, reason, late }) => {
  const [, what, fix] =
    certificateProblems.find(([codes]) => late === null && codes.includes(code)) ?? [];
  if (fix) return [`The certificate of ${host} ${what}.`, fix(host)];
  const reasonText = code.startsWith("ERR_SSL_")
    ? code.slice("ERR_SSL_".length).replaceAll("_", " ").toLowerCase()
    : reason;
  return [
    `${host} accepts connections but does not speak TLS (${late === null ? reasonText : `no answer ${late}`}).`,
    "Change the beginning of 'url' to http:// if the port is a plain one, or correct the port.",
  ];
};
