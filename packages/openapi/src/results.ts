import { readJson } from "@toolplane/core/lib/json/measure-json";
import type { Exchanged } from "@toolplane/core/lib/net/exchange";
import type { ContentBlock, ToolResult } from "@toolplane/core/model/calls/result";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { ApiOperation } from "./operations.ts";
import { isJson, isTextType } from "./schemas.ts";

type Answer = { block: ContentBlock | null; json?: Json };

/** Refusals of the API are results too, with status and body. `hide` takes our credentials out of what they repeat. */
export function readResult(
  operation: ApiOperation,
  url: URL,
  answer: Exchanged,
  hide: (text: string) => string,
): ToolResult {
  const { status, statusText, headers } = answer;
  const title = `HTTP ${status} ${statusText}`.trim();
  if (operation.method === "HEAD" && status < 400) return headResult(title, status, headers);
  const { block, json } = readBody(url, answer);
  if (status >= 400) return refusal(title, status, block, hide);
  const next = nextPage(operation, url, headers.link);
  return {
    content: [
      block ?? { type: "text", text: title },
      ...(next === null
        ? []
        : [{ type: "text", text: `There is a next page: ${JSON.stringify(next)}` }]),
    ],
    ...(json !== undefined && { structuredContent: json }),
    ...(next !== null && { _meta: { "toolplane/nextPage": next } }),
  };
}

function headResult(title: string, status: number, headers: Exchanged["headers"]): ToolResult {
  const { "set-cookie": _, ...shown } = headers;
  return {
    content: [{ type: "text", text: title }],
    structuredContent: { status, headers: shown as JsonObject },
  };
}

function refusal(
  title: string,
  status: number,
  block: ContentBlock | null,
  hide: (text: string) => string,
): ToolResult {
  const said = typeof block?.text === "string" ? hide(block.text) : "";
  const body = said === "" ? null : ((readJson(said) as Json | undefined) ?? said);
  return {
    content: [{ type: "text", text: said === "" ? title : `${title}: ${said}` }],
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
  const found = links.split(/,\s*(?=<)/).find((one) => /;\s*rel="?[^";]*\bnext\b/i.test(one));
  const [, address = ""] = /^\s*<([^>]*)>/.exec(found ?? "") ?? [];
  if (address === "" || !URL.canParse(address, url.href)) return null;
  const next = new URL(address, url);
  const changed = [...next.searchParams].flatMap(([name, value]) => {
    const parameter = parameters.find((one) => one.place === "query" && one.name === name);
    return parameter && url.searchParams.get(name) !== value
      ? [[parameter.argument, typed(value)]]
      : [];
  });
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

function typed(value: string): Json {
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}
