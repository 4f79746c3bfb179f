import {
  isRawJSON,
  mayLoseNumbers,
  parseExactly,
  putExactNumbers,
} from "../../lib/json/exact-numbers.ts";
import { sourceTextOf } from "../../lib/json/json-text.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { createHider, looksSecret } from "../../lib/text/redact.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { ToolId } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import type { ErrorCode, ErrorData } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { KnownServer } from "../../model/servers/server.ts";
import { createTextRedactor } from "../results/redact-result.ts";

export const recordingVersion = 1;

/** Begins what one plane records; several may write into one file. */
export type HeadLine = {
  type: "recording";
  version: number;
  run: string;
  at: string;
  toolplane: string;
};

/** What a server offers, and what is set for it here, without how it is reached. The last line of a server counts. */
export type ServerLine = Pick<KnownServer, "era" | "listedAt" | "tools" | "offers"> & {
  type: "server";
  name: string;
  settings: JsonObject;
};

/** A hand-written tool, without its providers. */
export type ToolLine = { type: "tool"; manifest: JsonObject & { name: string } };

export type CallLine = Pick<ToolId, "server" | "tool" | "kind"> & {
  type: "call";
  run: string;
  at: string;
  durationMs: number;
  /** As the caller gave them and the checks left them: nothing that is injected. */
  arguments: JsonObject;
  /** Of tool and arguments, where masking changed these. */
  key?: string;
  /** Counts the calls of this key from 1. */
  occurrence: number;
  provider?: string;
  warnings?: string[];
  result?: ToolResult;
  error?: { code: ErrorCode; message: string; data: ErrorData };
};

export type RecordingLine = HeadLine | ServerLine | ToolLine | CallLine;

/** Equal for equal calls of any caller. */
export function callKey({ server, tool, kind = undefined }: ToolId, args: JsonObject): string {
  return hash([server, tool, kind ?? null, args]);
}

export function argumentsIn({ input }: Pick<Routed, "input">): JsonObject {
  return putExactNumbers(input.arguments, input.exact ?? []);
}

/** With its numbers as the server wrote them. */
export function exactResult(result: ToolResult): ToolResult {
  const text = sourceTextOf(result);
  if (text !== undefined && mayLoseNumbers(text)) return parseExactly(text) as ToolResult;
  return result;
}

export type MaskPorts = {
  /** Of the variables that the configuration uses. */
  secretValues(): readonly string[];
  config(): Config;
};

/** Hides secrets: those of the configuration, what looks like one, and what its own rules find. */
export function createMask({ secretValues, config }: MaskPorts) {
  let compiled: { rules: object; hide(text: string): string } | undefined;

  function redactor() {
    const { redact } = config().results;
    if (compiled?.rules !== redact)
      compiled = { rules: redact, hide: createTextRedactor({ ...redact, secrets: true }) };
    return compiled.hide;
  }

  function walk(
    value: unknown,
    hide: (text: string) => string,
    key = "",
    isBinary = false,
  ): unknown {
    if (typeof value === "string") {
      if (isBinary) return value;
      if (looksSecret(key)) return "[redacted]";
      return hide(value);
    }
    if (Array.isArray(value)) return value.map((inner) => walk(inner, hide, key));
    if (!isObject(value) || isRawJSON(value)) return value;
    const isFile = typeof value.mimeType === "string";
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      walk(inner, hide, name, name === "type" || (isFile && (name === "data" || name === "blob"))),
    ]);
    return Object.fromEntries(entries);
  }

  return {
    all<T>(value: T): T {
      const hideOurs = createHider(secretValues());
      const redact = redactor();
      return walk(value, (text) => redact(hideOurs(text))) as T;
    },
    /** Definitions stay as they are, but for the secrets of the configuration. */
    definition<T>(value: T): T {
      const hide = createHider(secretValues());
      return JSON.parse(JSON.stringify(value), (_, inner) =>
        typeof inner === "string" ? hide(inner) : inner,
      ) as T;
    },
  };
}
