import { isObject, type UnknownObject } from "../json.ts";
import type { Tool } from "./tool.ts";

/** Pages of MCP Apps have addresses of their own kind. */
const pageScheme = "ui://";

type PageAddress = `${typeof pageScheme}${string}`;

export function isPageAddress(address: unknown): address is PageAddress {
  return typeof address === "string" && address.startsWith(pageScheme);
}

/** The kind of resource that is a page. */
export const pageMimeType = "text/html;profile=mcp-app";

/** The document of the workbench that a page is written into. */
export const appFramePath = "/workbench/app-frame";

/** Where tools and results name their page; the last two are of earlier drafts and of another host. */
const flatKeys = ["ui/resourceUri", "openai/outputTemplate"] as const;

const nothing: UnknownObject = {};

function uiIn(meta: unknown): UnknownObject {
  return isObject(meta) && isObject(meta.ui) ? meta.ui : nothing;
}

/** The page that `_meta` names, at its server. */
export function pageIn(meta: unknown): string | null {
  if (!isObject(meta)) return null;
  const named = [uiIn(meta).resourceUri, ...flatKeys.map((key) => meta[key])];
  return named.find(isPageAddress) ?? null;
}

/** The page that shows the results of a tool, at its server. */
export function pageOf({ listed }: Pick<Tool, "listed">): string | null {
  return pageIn(listed?._meta);
}

/** With other addresses of pages. The same object where it names none. */
export function withPages(meta: UnknownObject, show: (address: string) => string): UnknownObject {
  if (pageIn(meta) === null) return meta;
  const changed: Record<string, unknown> = { ...meta };
  for (const key of flatKeys) if (isPageAddress(meta[key])) changed[key] = show(meta[key]);
  const { resourceUri } = uiIn(meta);
  if (isPageAddress(resourceUri)) changed.ui = { ...uiIn(meta), resourceUri: show(resourceUri) };
  return changed;
}

/** Both, unless the server says otherwise. */
function isVisibleTo({ listed }: Pick<Tool, "listed">, who: "model" | "app"): boolean {
  if (listed?._meta === undefined) return true;
  const { visibility } = uiIn(listed._meta);
  return !Array.isArray(visibility) || visibility.includes(who);
}

/** May a model know of it? Some are for their page alone. */
export function isForModels(tool: Pick<Tool, "listed">): boolean {
  return isVisibleTo(tool, "model");
}

/** May a page of its server call it? */
export function isForPages(tool: Pick<Tool, "listed">): boolean {
  return isVisibleTo(tool, "app");
}
