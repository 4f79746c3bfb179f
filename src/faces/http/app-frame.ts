import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { isObject } from "../../model/json.ts";
import { frameDocument } from "./app-frame-document.ts";

/** Of one list; what a page needs beyond it is not reached. */
const maxSources = 64;
const maxSearch = 16_000;

/** A scheme, a host and perhaps a port: nothing that could end a directive or begin another. */
const source =
  /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?(?::\d{1,5})?\/?$/i;

const kinds = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;
type Declared = Record<(typeof kinds)[number], string[]>;

/**
 * The document that a page of MCP Apps replaces, and the headers that hold for whatever replaces it. It belongs to no
 * origin, has nothing of users in it, and takes its content only from the page that frames it.
 */
export function renderAppFrame(
  search: string,
  host: string,
): { headers: Record<string, string>; body: string } {
  const declared = readDeclared(search, host);
  const network = [
    ...declared.connectDomains,
    ...declared.resourceDomains,
    ...declared.frameDomains,
  ];
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(declared),
      // No policy of content covers WebRTC; browsers that know this header hold it back, too.
      "connection-allowlist": `(${[...new Set(network)].map((one) => `"${one}"`).join(" ")})`,
      "x-dns-prefetch-control": "off",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
    body: frameDocument,
  };
}

/** Nothing of the plane is a source, so a page cannot even load a picture from it. */
function policyOf({
  connectDomains,
  resourceDomains,
  frameDomains,
  baseUriDomains,
}: Declared): string {
  const from = (...sources: string[]) => (sources.length === 0 ? "'none'" : sources.join(" "));
  return [
    "sandbox allow-scripts allow-forms",
    "default-src 'none'",
    `script-src ${from("'unsafe-inline'", "'unsafe-eval'", "blob:", "data:", ...resourceDomains)}`,
    `style-src ${from("'unsafe-inline'", "blob:", "data:", ...resourceDomains)}`,
    `img-src ${from("blob:", "data:", ...resourceDomains)}`,
    `font-src ${from("blob:", "data:", ...resourceDomains)}`,
    `media-src ${from("blob:", "data:", ...resourceDomains)}`,
    `connect-src ${from("blob:", "data:", ...connectDomains)}`,
    `worker-src ${from("blob:", ...resourceDomains)}`,
    `frame-src ${from(...frameDomains)}`,
    `base-uri ${from(...baseUriDomains)}`,
    "form-action 'none'",
    "object-src 'none'",
    "frame-ancestors 'self'",
    // A frame inside of the page is no way to what the page does not have.
    "require-trusted-types-for 'script'",
    "trusted-types default",
  ].join("; ");
}

/** What the page's server declared. What is no plain source, or is this plane itself, is left out. */
function readDeclared(search: string, host: string): Declared {
  const given =
    search.length > maxSearch ? null : parse(new URLSearchParams(search).get("csp") ?? "{}");
  const listed = isObject(given) ? given : {};
  const of = (kind: (typeof kinds)[number]) => {
    const list = listed[kind];
    const texts = Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
    return texts
      .filter((one) => source.test(one) && !reaches(one, host))
      .slice(0, maxSources)
      .map((one) => one.replace(/\/$/, "").toLowerCase());
  };
  return {
    connectDomains: of("connectDomains"),
    resourceDomains: of("resourceDomains"),
    frameDomains: of("frameDomains"),
    baseUriDomains: of("baseUriDomains"),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Would it let a page send requests to the plane that shows it? Any name may lead to this machine, so a port that is the
 * plane's own is taken from none. Behind the usual ports stands the whole web: there, its own names are left out.
 */
function reaches(declared: string, host: string): boolean {
  const own = URL.parse(`http://${host}`);
  const target = URL.parse(declared.replace("://*.", "://"));
  if (own === null || target === null) return true;
  const usual = (port: string) => (port === "80" || port === "443" ? "" : port);
  if (usual(own.port) !== usual(target.port)) return false;
  if (usual(own.port) !== "") return true;
  const name = withoutTrailingDots(target.hostname);
  const isCovered = declared.includes("://*.") && own.hostname.endsWith(`.${name}`);
  return own.hostname === name || isCovered || isThisMachine(name);
}

function withoutTrailingDots(name: string): string {
  let end = name.length;
  while (name[end - 1] === ".") end -= 1;
  return name.slice(0, end);
}

function isThisMachine(name: string): boolean {
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (isIP(name) !== 4) return false;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return /^(?:0|127)\./.test(name) || addresses.some(({ address }) => address === name);
}
