import { isIP } from "node:net";
import { classOf } from "./address-class.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `variable` is where a person corrects it. */
export type HttpProxy = { url: URL; variable: string };

/** The proxy is in the way: it cannot be used, cannot be reached, or refuses. Names its host and no credentials. */
export class ProxyFailed extends Error {
  override readonly name = "ProxyFailed";
  readonly code = "ERR_PROXY";
  readonly detail: string;
  readonly remedy: string;

  constructor(detail: string, remedy: string, options?: ErrorOptions) {
    super(`${detail}; ${remedy}`, options);
    this.detail = detail;
    this.remedy = remedy;
  }
}

let environment: Environment = {};

/** Read whenever a connection is opened, so that a later change counts. */
export function readProxiesFrom(variables: Environment): void {
  environment = variables;
}

/** Null where the address is reached directly. Throws `ProxyFailed` where the variable names no HTTP proxy. */
export function proxyFor(url: URL): HttpProxy | null {
  const name = isEncrypted(url) ? "https_proxy" : "http_proxy";
  const variable = environment[name] ? name : name.toUpperCase();
  const proxyText = environment[variable]?.trim() ?? "";
  if (proxyText === "" || isLoopback(url) || isExcepted(url)) return null;
  const address = proxyText.includes("://") ? proxyText : `http://${proxyText}`;
  const proxy = URL.parse(address);
  if (proxy !== null && /^https?:$/.test(proxy.protocol)) return { url: proxy, variable };
  throw new ProxyFailed(
    `${variable} is not the address of an HTTP proxy`,
    `write it as http://HOST:PORT`,
  );
}

export function isEncrypted({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "wss:";
}

export function portOf(url: URL): string {
  if (url.port !== "") return url.port;
  return isEncrypted(url) ? "443" : "80";
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  if (isIP(host) === 0) return /(?:^|\.)localhost\.?$/i.test(host);
  return classOf(host) === "loopback";
}

/** Hosts with all below them, each perhaps with a port; `*` is every host. */
function isExcepted(url: URL): boolean {
  const host = hostOf(url).toLowerCase().replace(/\.$/, "");
  const entries = (environment.no_proxy || environment.NO_PROXY || "")
    .toLowerCase()
    .split(/[\s,]+/);
  return entries.some((entry) => {
    const [, name = "", port] =
      /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
    if (name === "" || (port !== undefined && port !== portOf(url))) return false;
    const suffix = name.replace(/^\*?\./, "");
    return name === "*" || host === suffix || host.endsWith(`.${suffix}`);
  });
}
