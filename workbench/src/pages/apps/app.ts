import { pageIn } from "../../../../src/model/catalogue/tool-page.ts";
import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../../../src/model/json.ts";
import { callOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";

/** A call whose result a page of MCP Apps shows. */
export type App = {
  server: string;
  /** The page's address at its server. */
  uri: string;
  tool: ToolAnswer;
  callId: string;
  args: UnknownObject;
  outcome: { result: UnknownObject } | { cancelled: string };
};

/** What a server may declare for its page. */
type Csp = {
  connectDomains?: string[];
  resourceDomains?: string[];
  frameDomains?: string[];
  baseUriDomains?: string[];
};

export type PageContent = {
  html: string;
  csp: Csp;
  /** What it would like to use of the device. */
  permissions: readonly Permission[];
  hasBorder: boolean;
};

/** What the page does is found under this name: its calls, what it reads and what it asks. */
export const conversationOf = (callId: string) => `app-${callId}`;

/** The page of a tool, or of this result; null where there is none. */
export function pageFor(tool: ToolAnswer, result: unknown): { server: string; uri: string } | null {
  const { server } = tool.id;
  const uri = pageIn(isObject(result) ? result._meta : undefined) ?? pageIn(tool.listed?._meta);
  return server === null || uri === null ? null : { server, uri };
}

/** By the name of the declaration: what the browser calls it, and how people do. */
export const permissionNames = {
  camera: { feature: "camera", text: "the camera" },
  microphone: { feature: "microphone", text: "the microphone" },
  geolocation: { feature: "geolocation", text: "your location" },
  clipboardWrite: { feature: "clipboard-write", text: "the clipboard" },
} as const;
export type Permission = keyof typeof permissionNames;

/** Reads the page; the plane records that, and holds back one that has changed. */
export async function readPage(
  { server, uri }: Pick<App, "server" | "uri">,
  callId: string,
): Promise<PageContent> {
  const conversation = conversationOf(callId);
  const { contents } = await callOperation("resources.read", {
    name: server,
    uri,
    page: uri,
    conversation,
  });
  const pages = listOrEmpty(contents).filter(isObject);
  const content = pages.find(({ uri: pageUri }) => pageUri === uri) ?? pages[0];
  if (content === undefined || !String(content.mimeType ?? "").startsWith("text/html"))
    throw new Error(`'${uri}' of server '${server}' is no page: it has no text/html.`);
  const { csp, permissions, prefersBorder } = objectIn(objectIn(content, "_meta"), "ui");
  const wantedPermissions = objectOrEmpty(permissions);
  return {
    html:
      typeof content.text === "string" ? content.text : decodeBase64(String(content.blob ?? "")),
    csp: objectOrEmpty(csp) as Csp,
    permissions: Object.keys(permissionNames).filter((name) =>
      isObject(wantedPermissions[name]),
    ) as Permission[],
    hasBorder: prefersBorder !== false,
  };
}

/** The hosts that the page may reach, as its server declares them. */
export function reachedHosts({ csp }: PageContent): string[] {
  const domains = [csp.connectDomains, csp.resourceDomains, csp.frameDomains].flatMap((list) =>
    listOrEmpty(list),
  );
  const hosts = domains
    .filter((domain) => typeof domain === "string")
    .map((domain) => domain.replace(/^\w+:\/\//, ""));
  return [...new Set(hosts)];
}

function objectIn(value: UnknownObject, key: string): UnknownObject {
  const member = value[key];
  return objectOrEmpty(member);
}

function decodeBase64(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}
