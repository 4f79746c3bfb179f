import type { ToolId } from "../../../model/catalogue/tool.ts";
import { toolKey } from "../../../model/catalogue/tool-name.ts";
import {
  isForModels,
  isPageAddress,
  pageIn,
  pageMimeType,
  pageOf,
} from "../../../model/catalogue/tool-page.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../../../model/json.ts";
import type { ShownTool } from "../../../model/plane-tools.ts";
import { extensionsIn, uiExtension } from "../../../protocol/extensions.ts";
import { RpcError } from "../../../protocol/message.ts";
import type { OfferList } from "../offer-list.ts";
import { objectParam, type RequestContext, textParam } from "../request.ts";
import { changeResult } from "../wire.ts";
import { isScoped, showLinks, showScoped } from "./addresses.ts";
import type { GivenPage } from "./given-pages.ts";

/** Does the client show pages of MCP Apps? */
export function isHost({ client }: Pick<RequestContext, "client">): boolean {
  const { capabilities } = client;
  return (
    capabilities.extensions !== undefined && Object.hasOwn(extensionsIn(capabilities), uiExtension)
  );
}

/** A host that knows which of its pages calls may say so. */
const pageKey = "toolplane/page";

export type PageCall = { tool: ToolId; page: GivenPage };

/**
 * The tool that a page calls by its name at the page's server, and that page. Null for a name that was shown to the
 * client: only models call by that.
 */
export async function findPageCall(
  name: string,
  params: UnknownObject,
  context: RequestContext,
): Promise<PageCall | null> {
  if (!isHost(context)) return null;
  const { tools } = context;
  const claimed = objectParam(params, "_meta")[pageKey];
  const { tools: shownTools, byKey } = await tools.lookUp();
  const callFrom = (page: GivenPage): PageCall | null => {
    const shownTool = byKey(toolKey({ server: page.server, tool: name }));
    if (!shownTool) return null;
    return { tool: shownTool.tool.id, page };
  };
  if (claimed !== undefined) {
    const page = typeof claimed === "string" ? tools.pages.find(claimed) : undefined;
    if (!page) throw new RpcError(-32602, `'${pageKey}' names no page that this client was given.`);
    return callFrom(page) ?? { tool: { server: page.server, tool: name }, page };
  }
  const namedTool = shownTools.find((shownTool) => shownTool.shown === name);
  // Where tools are shown by their own names, only those that models do not know are surely called by a page.
  if (namedTool && (namedTool.tool.id.tool !== name || isForModels(namedTool.tool))) return null;
  for (const page of tools.pages.recent()) {
    const pageCall = callFrom(page);
    if (pageCall) return pageCall;
  }
  return null;
}

/** The client will show the tool's page. */
export function noteCalled(tool: ShownTool | undefined, context: RequestContext): void {
  const page = tool && pageOf(tool);
  if (page && tool.id.server !== null && isHost(context))
    context.tools.pages.note(tool.id.server, page);
}

/**
 * A result with the address of its page as clients know it. One that came through another tool has the page of the tool
 * that was called.
 */
export function withPage(
  result: UnknownObject,
  tool: ShownTool | undefined,
  isWrapped: boolean,
): UnknownObject {
  const server = tool?.id.server ?? null;
  if (tool === undefined || server === null) return result;
  const meta = objectOrEmpty(result._meta);
  const page = isWrapped && pageIn(meta) === null ? pageOf(tool) : null;
  let linked = meta;
  if (page !== null) linked = { ...meta, ui: { ...objectParam(meta, "ui"), resourceUri: page } };
  const _meta = showLinks(linked, server);
  if (_meta === meta) return result;
  return changeResult(result, { ...result, _meta }, { _meta: () => JSON.stringify(_meta) });
}

type Offers = Pick<OfferList, "shownAs">;

/** Links in a result or prompt, under the addresses that clients know: two servers may have the same one. */
export async function withLinks<Result extends UnknownObject>(
  result: Result,
  server: string | null,
  offers: () => Offers,
): Promise<Result> {
  if (server === null || !hasLinks(result)) return result;
  const links = blocksIn(result).flatMap((block) => linkIn(block) ?? []);
  const shownAddresses = await offers().shownAs(server, links);
  const show = (block: unknown) => showLink(block, shownAddresses);
  const content = showEach(result.content, show);
  const messages = showEach(result.messages, (message) => {
    if (!isObject(message)) return message;
    const shown = show(message.content);
    if (shown === message.content) return message;
    return { ...message, content: shown };
  });
  const changed = { ...(content && { content }), ...(messages && { messages }) };
  if (content === undefined && messages === undefined) return result;
  const changes = Object.entries(changed).map(([key, value]) => [key, () => JSON.stringify(value)]);
  return changeResult(result, { ...result, ...changed }, Object.fromEntries(changes)) as Result;
}

function blocksIn({ content, messages }: UnknownObject): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? [...content] : [];
  if (Array.isArray(messages))
    for (const message of messages) blocks.push(isObject(message) ? message.content : null);
  return blocks;
}

/** Has it links to what may be at another server, too? */
export const hasLinks = (result: UnknownObject | undefined): boolean =>
  result !== undefined && blocksIn(result).some((block) => linkIn(block) !== null);

/** Also where the resource itself stands in the block. */
function linkIn(block: unknown): string | null {
  if (!isObject(block)) return null;
  const { type, resource } = block;
  if (type === "resource" && isObject(resource)) return textParam(resource, "uri");
  if (type !== "resource_link") return null;
  return textParam(block, "uri");
}

/** Undefined where all stay as they are. */
function showEach(list: unknown, show: (block: unknown) => unknown): unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const shown = list.map(show);
  return shown.some((block, index) => block !== list[index]) ? shown : undefined;
}

function showLink(block: unknown, shownAddresses: ReadonlyMap<string, string>): unknown {
  const address = linkIn(block);
  if (!isObject(block) || address === null) return block;
  const uri = shownAddresses.get(address);
  if (uri === undefined || uri === address) return block;
  if (block.type !== "resource") return { ...block, uri };
  return { ...block, resource: { ...(block.resource as object), uri } };
}

/** What was read, under the addresses that clients know. Says whether it is a page. */
export function showContents(
  result: UnknownObject,
  server: string,
): { result: UnknownObject; isPage: boolean } {
  const { contents } = result;
  if (!Array.isArray(contents)) return { result, isPage: false };
  const isPage = contents.some(
    (content) =>
      isObject(content) && (content.mimeType === pageMimeType || isPageAddress(content.uri)),
  );
  const isMoved = (content: unknown): content is UnknownObject & { uri: string } =>
    isObject(content) && typeof content.uri === "string" && isScoped(content.uri);
  if (!contents.some(isMoved)) return { result, isPage };
  const shown = contents.map((content) =>
    isMoved(content) ? { ...content, uri: showScoped(server, content.uri) } : content,
  );
  const changed = { ...result, contents: shown };
  return {
    result: changeResult(result, changed, { contents: () => JSON.stringify(shown) }),
    isPage,
  };
}
