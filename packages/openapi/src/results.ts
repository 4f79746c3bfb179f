import { readJson } from "@toolplane/core/lib/json/measure-json";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { Exchanged } from "@toolplane/core/lib/net/exchange";
import type { ContentBlock, ToolResult } from "@toolplane/core/model/calls/result";
import { type Json, type JsonObject, stringOrEmpty } from "@toolplane/core/model/json";
import type { ApiOperation } from "./operations.ts";
import { isJson, isTextType } from "./schemas.ts";

type Answer = { block: ContentBlock | null; json?: Json };

/** Refusals of the API are results too, with status and body. `hide` takes our credentials out of what they repeat. */
export function readResult(
  operation: ApiOperation,
  url: URL,
  response: Exchanged,
  hide: (text: string) => string,
): ToolResult {
  const { status, statusText, headers } = response;
  const title = `HTTP ${status} ${statusText}`.trim();
  if (operation.method === "HEAD" && status < 400) return headResult(title, status, headers);
  const { block, json } = readBody(url, response);
  if (status >= 400) return refusal(title, status, block, hide);
  const next = nextPage(operation, url, headers.link);
  const content = [block ?? { type: "text", text: title }];
  if (next !== null)
    content.push({ type: "text", text: `There is a next page: ${JSON.stringify(next)}` });
  return {
    content,
    ...withoutUndefined({
      structuredContent: json,
      _meta: next === null ? undefined : { "toolplane/nextPage": next },
    }),
  };
}

function headResult(title: string, status: number, headers: Exchanged["headers"]): ToolResult {
  const { "set-cookie": _, ...otherHeaders } = headers;
  return {
    content: [{ type: "text", text: title }],
    structuredContent: { status, headers: otherHeaders as JsonObject },
  };
}

function refusal(
  title: string,
  status: number,
  block: ContentBlock | null,
  hide: (text: string) => string,
): ToolResult {
  const text = hide(stringOrEmpty(block?.text));
  const body = text === "" ? null : ((readJson(text) as Json | undefined) ?? text);
  return {
    content: [{ type: "text", text: text === "" ? title : `${title}: ${text}` }],
    structuredContent: { status, body },
    isError: true,
  };
}

function readBody(url: URL, { headers, body }: Exchanged): Answer {
  const type = mediaType(headers["content-type"]);
  if (body.length === 0) return { block: null };
  const [kind] = /^(image|audio)(?=\/)/.exec(type) ?? [];
  if (kind && type !== "image/svg+xml")
    return { block: { type: kind, mimeType: type, data: body.toString("base64") } };
  const isText = isJson(type) || isTextType(type) || (type === "" && isReadable(body));
  if (!isText) {
    const uri = `${url.origin}${url.pathname}`;
    const mimeType = type === "" ? "application/octet-stream" : type;
    return {
      block: { type: "resource", resource: { uri, mimeType, blob: body.toString("base64") } },
    };
  }
  const text = new TextDecoder().decode(body);
  const block = { type: "text", text };
  // Says JSON, sends something else: it is still the answer.
  const json = isJson(type) ? (readJson(text) as Json | undefined) : undefined;
  return json === undefined ? { block } : { block, json };
}

function mediaType(header: string | undefined): string {
  return (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function isReadable(body: Buffer): boolean {
  return !body.subarray(0, 1_000).includes(0);
}

/** The arguments of the next page, where a `Link` header names it. */
function nextPage(
  { parameters }: ApiOperation,
  url: URL,
  link: string | string[] | undefined,
): JsonObject | null {
  const links = [link ?? ""].flat().join(", ").slice(0, 10_000);
  const nextLink = links.split(/,\s*(?=<)/).find((text) => /;\s*rel="?[^";]*\bnext\b/i.test(text));
  const [, address = ""] = /^\s*<([^>]*)>/.exec(nextLink ?? "") ?? [];
  if (address === "" || !URL.canParse(address, url.href)) return null;
  const changed = [...new URL(address, url).searchParams].flatMap(([name, value]) => {
    const parameter = parameters.find(
      ({ location, name: parameterName }) => location === "query" && parameterName === name,
    );
    if (parameter === undefined || url.searchParams.get(name) === value) return [];
    return [[parameter.argument, argumentOf(value)]];
  });
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

function argumentOf(text: string): Json {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
