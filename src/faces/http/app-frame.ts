import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { objectOrEmpty } from "../../model/json.ts";
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
      "connection-allowlist": `(${[...new Set(network)].map((domain) => `"${domain}"`).join(" ")})`,
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
  const sourcesOf = (...sources: string[]) => (sources.length === 0 ? "'none'" : sources.join(" "));
  return [
    "sandbox allow-scripts allow-forms",
    "default-src 'none'",
    `script-src ${sourcesOf("'unsafe-inline'", "'unsafe-eval'", "blob:", "data:", ...resourceDomains)}`,
    `style-src ${sourcesOf("'unsafe-inline'", "blob:", "data:", ...resourceDomains)}`,
    `img-src ${sourcesOf("blob:", "data:", ...resourceDomains)}`,
    `font-src ${sourcesOf("blob:", "data:", ...resourceDomains)}`,
    `media-src ${sourcesOf("blob:", "data:", ...resourceDomains)}`,
    `connect-src ${sourcesOf("blob:", "data:", ...connectDomains)}`,
    `worker-src ${sourcesOf("blob:", ...resourceDomains)}`,
    `frame-src ${sourcesOf(...frameDomains)}`,
    `base-uri ${sourcesOf(...baseUriDomains)}`,
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
  const csp = search.length > maxSearch ? "{}" : new URLSearchParams(search).get("csp");
  const parsed = parse(csp ?? "{}");
  const listed = objectOrEmpty(parsed);
  const domainsOf = (kind: (typeof kinds)[number]) => {
    const list = listed[kind];
    if (!Array.isArray(list)) return [];
    return list
      .filter((domain) => typeof domain === "string")
      .filter((domain) => source.test(domain) && !reaches(domain, host))
      .slice(0, maxSources)
      .map((domain) => domain.replace(/\/$/, "").toLowerCase());
  };
  return {
    connectDomains: domainsOf("connectDomains"),
    resourceDomains: domainsOf("resourceDomains"),
    frameDomains: domainsOf("frameDomains"),
    baseUriDomains: domainsOf("baseUriDomains"),
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
  const ownAddress = URL.parse(`http://${host}`);
  const target = URL.parse(declared.replace("://*.", "://"));
  if (ownAddress === null || target === null) return true;
  const portOf = (port: string) => (port === "80" || port === "443" ? "" : port);
  if (portOf(ownAddress.port) !== portOf(target.port)) return false;
  if (portOf(ownAddress.port) !== "") return true;
  const name = withoutTrailingDots(target.hostname);
  const isCovered = declared.includes("://*.") && ownAddress.hostname.endsWith(`.${name}`);
  return ownAddress.hostname === name || isCovered || isThisMachine(name);
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
