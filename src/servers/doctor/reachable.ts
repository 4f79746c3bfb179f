import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { abortable } from "../../lib/abortable.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { failed, passed } from "./check.ts";
import { type Step, unreachable } from "./unreachable.ts";

/** By name, by port, by encryption: each step fails for reasons of its own. */
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

/** Does a port that is configured as a plain one expect TLS? */
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
  return settled(
    connectTls({ socket, host, ...servername, rejectUnauthorized: verify }),
    "secureConnect",
    signal,
  );
}

function settled<T extends Socket>(socket: T, event: string, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(new Error("time limit"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    const done = () => signal.removeEventListener("abort", giveUp);
    socket.once(event, () => resolve(socket));
    socket.once("close", () => reject(new Error("the connection was closed")));
    // Stays for good: whatever happens to the socket later interests nobody.
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

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
