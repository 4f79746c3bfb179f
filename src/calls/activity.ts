import { once } from "../lib/async/once.ts";
import { briefJson } from "../lib/json/render-json.ts";
import { plainText } from "../lib/text/plain-text.ts";
import { looksSecret, redact } from "../lib/text/redact.ts";
import { type Executed, type Outcome, originOf, type Requested } from "../model/calls/call.ts";
import { activityLimits } from "../model/calls/call-history.ts";
import type { ActivityEntry } from "../model/calls/call-schema.ts";
import { resultText, type ToolResult } from "../model/calls/result.ts";
import type { JsonObject } from "../model/json.ts";
import { isOwner, mayDo, type Principal } from "../model/principal.ts";
import { createInjectedHider } from "./hide-injected.ts";

const placeholder = "«injected»";
/** Bounds the cost of a summary. */
const window = 16 * activityLimits.characters;
/** Shorter texts are held uncut: cutting costs more than the memory. Longer ones would be moved by each collection. */
const shortText = 1_024;

type Call = Requested & Partial<Executed>;

export type Activity = ReturnType<typeof createActivity>;

/** The last calls in short. Nothing of it is stored. `onNoted` gets each whole. */
export function createActivity(onNoted?: (call: Call, outcome: Outcome) => void) {
  type Noted = { principal: Principal; entry(): ActivityEntry };
  // A ring: moving all of them for each call costs more than the note.
  const ring: Noted[] = [];
  let oldest = 0;
  return {
    note(call: Call, outcome: Outcome): void {
      const noted: Noted = { principal: call.principal, entry: summarizer(call, outcome) };
      if (ring.length < activityLimits.calls) ring.push(noted);
      else {
        ring[oldest] = noted;
        oldest = (oldest + 1) % activityLimits.calls;
      }
      onNoted?.(call, outcome);
    },
    entries(principal: Principal): ActivityEntry[] {
      const seesAll = mayDo(principal, "admin");
      const last = [...ring.slice(oldest), ...ring.slice(0, oldest)];
      const shown = last.filter((one) => seesAll || isOwner(principal, one.principal));
      return shown.map(({ entry }) => entry()).reverse();
    },
  };
}

/** Few are ever looked at. Of large texts only the beginning is held. */
function summarizer(call: Call, outcome: Outcome): () => ActivityEntry {
  const values = call.injected?.values ?? {};
  const facts = factsOf(call, outcome);
  const given: GivenArguments = { input: call.input, asked: call.asked, injected: call.injected };
  if (isShort(call, outcome)) return later(facts, given, outcome.result, values);
  const said = outcome.result ? beginning(textOfResult(outcome.result)) : null;
  return cut(facts, beginning(textOfArguments(given)), said, values);
}

type GivenArguments = {
  input: Call["input"] | undefined;
  asked: Call["asked"];
  injected: Call["injected"] | undefined;
};

/** A function of its own: beside the whole call, all that its client sent would be kept and moved by each collection. */
function later(
  facts: Facts,
  given: GivenArguments,
  result: ToolResult | undefined,
  values: JsonObject,
): () => ActivityEntry {
  return once(() => summarize(facts, textOfArguments(given), result ? textOfResult(result) : null, values));
}

/** A function of its own: a closure beside one with the whole result would keep it in memory. */
function cut(...given: Parameters<typeof summarize>): () => ActivityEntry {
  return once(() => summarize(...given));
}

type Facts = Omit<ActivityEntry, "arguments" | "result">;

function factsOf({ at, face, principal: { user } }: Call, { call, error }: Outcome): Facts {
  const { id, tool, status, durationMs } = call;
  return {
    id,
    at,
    tool: plainText(tool),
    user,
    face,
    status,
    durationMs,
    ...originOf(call),
    code: error?.code ?? null,
  };
}

function summarize({ code, ...facts }: Facts, args: string, said: string | null, values: JsonObject): ActivityEntry {
  const result = said === null ? null : shorten(said, values);
  return { ...facts, arguments: shorten(args, values), result, code };
}

/** A copy: a slice keeps the whole text in memory. */
function beginning(text: string): string {
  return text.length > window ? Buffer.from(text.slice(0, window + 1), "utf16le").toString("utf16le") : text;
}

function isShort({ input, asked }: Call, { result }: Outcome): boolean {
  if (!isFlat(input?.arguments ?? asked.arguments)) return false;
  if (result === undefined) return true;
  const { content, structuredContent } = result;
  return structuredContent === undefined && content.length <= 4 && content.every(isFlat);
}

function isFlat(value: unknown): boolean {
  if (typeof value === "string") return value.length <= shortText;
  if (typeof value !== "object" || value === null) return true;
  let left = 16;
  for (const key in value) {
    const inner: unknown = Reflect.get(value, key);
    if (left-- === 0 || typeof inner === "object" || !isFlat(inner)) return false;
  }
  return true;
}

function textOfArguments({ input, asked, injected }: GivenArguments): string {
  const given = input?.arguments ?? asked.arguments ?? {};
  if (typeof given === "string") return given;
  // A file is shown by the caller's name for it.
  const names = Object.keys(injected?.values ?? {}).filter((name) => !Object.hasOwn(given, name));
  if (names.length === 0 || typeof given !== "object") return briefJson(given, window, hide);
  return briefJson({ ...given, ...Object.fromEntries(names.map((name) => [name, placeholder])) }, window, hide);
}

function textOfResult(result: ToolResult): string {
  const text = resultText(result);
  return text === "" ? briefJson(result.structuredContent ?? result.content, window, hide) : text;
}

const hide = (key: string) => (looksSecret(key) ? "[redacted]" : undefined);

/** Secrets are hidden before it is cut, and after invisible characters are gone: neither would be recognised. */
function shorten(text: string, values: JsonObject): string {
  const seen = text.length > window ? text.slice(0, window).replace(/\S{1,256}$/, "") : text;
  const shown = redact(plainText(createInjectedHider(values).text(seen))).replaceAll(/\s+/g, " ");
  const { characters } = activityLimits;
  return shown.length > characters ? `${shown.slice(0, characters - 1)}…` : shown;
}
