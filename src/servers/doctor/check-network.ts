import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { abortable } from "../../lib/async/signals.ts";
import type { DoctorCheck } from "../../model/config/setup.ts";
import { failed, passed, type Trouble } from "./check-configuration.ts";

export function checkUrl(text: string | undefined): { url: URL } | { check: DoctorCheck } {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url && /^(?:https?|wss?):$/.test(url.protocol) && url.hostname !== "") return { url };
  const detail = text === undefined ? "There is no 'url'." : "'url' is not an address that can be used.";
  const fix = "Write 'url' as https://HOST/PATH or http://HOST:PORT/PATH.";
  return { check: failed("url", { detail, fix }) };
}

/** Name, port, encryption: each fails for its own reasons. */
export async function checkReachable(url: URL, limitMs: number): Promise<DoctorCheck> {
  const signal = AbortSignal.timeout(limitMs);
  let step: Step = "lookup";
  let socket: Socket | undefined;
  try {
    await abortable(lookup(hostOf(url)), signal);
    step = "connect";
    socket = await openSocket(url, signal);
    step = "encrypt";
    if (isEncrypted(url)) await encrypt(url, socket, signal, true);
    return passed("reachable", `${url.host} accepts ${isEncrypted(url) ? "TLS " : ""}connections.`);
  } catch (thrown) {
    const code = signal.aborted ? "LIMIT" : codeOf(thrown);
    return failed("reachable", unreachable(step, code, url, thrown, limitMs));
  } finally {
    socket?.destroy();
  }
}

/** Does a plain port expect TLS? */
export async function isTlsPort(url: URL, limitMs: number): Promise<boolean> {
  if (isEncrypted(url)) return false;
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

export function plainOnTlsPort(url: URL): DoctorCheck {
  const scheme = url.protocol === "ws:" ? "wss" : "https";
  return failed("reachable", {
    detail: `${url.host} expects TLS, and 'url' begins with ${url.protocol}//.`,
    fix: `Change the beginning of 'url' to ${scheme}://.`,
  });
}

function openSocket(url: URL, signal: AbortSignal): Promise<Socket> {
  const port = Number(url.port) || (isEncrypted(url) ? 443 : 80);
  const socket = connect({ host: hostOf(url), port });
  return settled(socket, "connect", signal);
}

function encrypt(url: URL, socket: Socket, signal: AbortSignal, verify: boolean): Promise<Socket> {
  const host = hostOf(url);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return settled(connectTls({ socket, host, ...servername, rejectUnauthorized: verify }), "secureConnect", signal);
}

function settled<T extends Socket>(socket: T, event: string, signal: AbortSignal): Promise<T> {
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

function codeOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : "";
}

function isEncrypted({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "wss:";
}

/** Without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

export type Step = "lookup" | "connect" | "encrypt";

/** Only host and port: path, query and credentials may be secret. */
export function unreachable(step: Step, code: string, url: URL, thrown: unknown, limitMs: number): Trouble {
  if (step === "lookup") return unknownHost(code, url);
  return step === "connect" ? closedPort(code, url, thrown, limitMs) : brokenTls(code, url, thrown, limitMs);
}

function unknownHost(code: string, { hostname }: URL): Trouble {
  const detail =
    code === "ENOTFOUND"
      ? `There is no host '${hostname}'.`
      : `The host name '${hostname}' could not be looked up (${code || "no answer"}).`;
  return {
    detail,
    fix: "Correct the host name in 'url', or connect this machine to a network that knows it.",
  };
}

function closedPort(code: string, { host }: URL, thrown: unknown, limitMs: number): Trouble {
  if (code === "ECONNREFUSED") {
    return { detail: `Nothing listens at ${host}.`, fix: "Start the server, or correct the port in 'url'." };
  }
  const why = code === "LIMIT" ? `did not answer within ${limitMs / 1000} s` : `cannot be reached: ${text(thrown)}`;
  return {
    detail: `${host} ${why}.`,
    fix: `Let this machine reach ${host} through its network and firewall.`,
  };
}

const expired = "CERT_HAS_EXPIRED";
const otherName = "ERR_TLS_CERT_ALTNAME_INVALID";
const unknownIssuer = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];

function brokenTls(code: string, { host }: URL, thrown: unknown, limitMs: number): Trouble {
  if (unknownIssuer.includes(code)) {
    const fix = "Start toolplane with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the certificate of its issuer.";
    return { detail: `The certificate of ${host} is signed by no authority that this machine trusts.`, fix };
  }
  if (code === expired) {
    return { detail: `The certificate of ${host} has expired.`, fix: `Renew the certificate of ${host}.` };
  }
  if (code === otherName) {
    const fix = "Change the host in 'url' to a name that the certificate is made for.";
    return { detail: `The certificate of ${host} is made for another name.`, fix };
  }
  const why = code === "LIMIT" ? `no answer within ${limitMs / 1000} s` : reasonOf(code, thrown);
  const fix = "Change the beginning of 'url' to http:// if the port is a plain one, or correct the port.";
  return { detail: `${host} accepts connections but does not speak TLS (${why}).`, fix };
}

function reasonOf(code: string, thrown: unknown): string {
  if (code.startsWith("ERR_SSL_")) return code.slice("ERR_SSL_".length).replaceAll("_", " ").toLowerCase();
  return text(thrown);
}

function text(thrown: unknown): string {
  const { code, message } = thrown as { code?: string; message?: string };
  return code ?? message ?? "unknown";
}
