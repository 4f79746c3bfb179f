import { readJson } from "../../lib/json/measure-json.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";

/** `items[0].title` or `/items/0/title`; undefined when there is nothing. */
export function valueAtPointer(path: string, value: Json): Json | undefined {
  const parts = path.startsWith("/")
    ? path.slice(1).split("/").map(unescapePointer)
    : path.split(/[.[\]]+/).filter((part) => part !== "");
  return parts.reduce<Json | undefined>((inner, part) => {
    if (typeof inner !== "object" || inner === null || !Object.keys(inner).includes(part))
      return undefined;
    return (inner as { [key: string]: Json })[part];
  }, value);
}

export function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function resultOf(value: Json): ToolResult {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { content: [{ type: "text", text }], structuredContent: value };
}

/** The part that a manifest selects. Without such a part the whole result passes with a note. */
export function pickResult(resultPath: unknown, result: unknown): unknown {
  if (typeof resultPath !== "string" || !isObject(result) || result.isError === true) return result;
  const data = dataOf(result);
  const picked = data === undefined ? undefined : valueAtPointer(resultPath, data);
  if (picked !== undefined) return { ...result, ...resultOf(picked) };
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    ...result,
    _meta: { ...meta, "toolplane/resultPath": `nothing stands at '${resultPath}'` },
  };
}

function dataOf({ structuredContent, content }: Record<string, unknown>): Json | undefined {
  if (structuredContent !== undefined) return structuredContent as Json;
  const [block, ...moreBlocks] = Array.isArray(content) ? content : [];
  if (moreBlocks.length > 0 || !isObject(block) || typeof block.text !== "string") return undefined;
  return readJson(block.text) as Json | undefined;
}

/** Nothing was sent, and another try would not help. */
export function neverSent(
  code: "NO_PROVIDER" | "CONFIG_INVALID",
  message: string,
  cause?: unknown,
): PlaneError {
  return new PlaneError(code, message, {
    data: { sent: false, retryAt: null, permanent: true },
    cause,
  });
}

export type Reveal = (spec: ProviderSpec) => Promise<JsonObject>;

/** Problems are reported before anything is sent. */
export async function readConfig<T>(
  spec: ProviderSpec,
  reveal: Reveal,
  parse: (read: JsonObject) => T,
): Promise<T> {
  try {
    return parse(await reveal(spec));
  } catch (thrown) {
    const why =
      thrown instanceof PlaneError
        ? thrown.message
        : "its configuration is not valid once it is read";
    throw neverSent("CONFIG_INVALID", `The provider '${spec.name}' cannot be used: ${why}`, thrown);
  }
}
