import { once } from "../lib/async/once.ts";
import { briefJson } from "../lib/json/render-json.ts";
import { looksSecret, redact } from "../lib/text/redact.ts";
import type { Executed, Outcome, Requested } from "../model/calls/call.ts";
import { type ActivityEntry, activityLimits } from "../model/calls/call-history.ts";
import { resultText, type ToolResult } from "../model/calls/result.ts";
import type { JsonObject } from "../model/json.ts";
import { mayDo, type Principal } from "../model/principal.ts";
import { createInjectedHider } from "./hide-injected.ts";

const placeholder = "«injected»";
const hidden = "[redacted]";
/** Bounds the cost of a summary. */
const window = 16 * activityLimits.characters;
/** Shorter texts are held uncut: cutting costs more than the memory. */
const shortText = 4 * window;

export type Activity = {
  note(call: Requested & Partial<Executed>, outcome: Outcome): void;
  entries(principal: Principal): ActivityEntry[];
};

/** The last calls in short. Nothing of it is stored. */
export function createActivity(): Activity {
  const last: { user: string | null; entry(): ActivityEntry }[] = [];
  return {
    note(call, outcome) {
      last.push({ user: call.principal.user, entry: summarizer(call, outcome) });
      if (last.length > activityLimits.calls) last.shift();
    },
    entries(principal) {
      const seesAll = mayDo(principal, "admin");
      return last
        .filter(({ user }) => seesAll || user === principal.user)
        .map(({ entry }) => entry())
        .reverse();
    },
  };
}

/** Few are ever looked at. Of large texts only the beginning is held. */
function summarizer(call: Requested & Partial<Executed>, outcome: Outcome): () => ActivityEntry {
  if (isShort(call, outcome))
    return once(() => summarize(call, outcome, textOfArguments(call), textOfOutcome(outcome)));
  const said = textOfOutcome(outcome);
  const argumentsText = beginning(textOfArguments(call));
  return cut(summarize(call, outcome, "", null), argumentsText, said && beginning(said), valuesOf(call));
}

/** A function of its own: a closure beside one with the whole result would keep it in memory. */
function cut(entry: ActivityEntry, args: string, said: string | null, values: JsonObject) {
  return once(() => ({
    ...entry,
    arguments: shorten(args, values),
    result: said === null ? null : shorten(said, values),
  }));
}

function summarize(
  call: Requested & Partial<Executed>,
  outcome: Outcome,
  args: string,
  said: string | null,
): ActivityEntry {
  const { id, tool, status, durationMs } = outcome.call;
  const { at, face, principal } = call;
  const values = valuesOf(call);
  return {
    ...{ id, at, tool, user: principal.user, face, status, durationMs },
    arguments: shorten(args, values),
    result: said === null ? null : shorten(said, values),
    code: outcome.error?.code ?? null,
  };
}

function valuesOf({ injected }: Requested & Partial<Executed>): JsonObject {
  return injected?.values ?? {};
}

/** A copy: a slice keeps the whole text in memory. */
function beginning(text: string): string {
  return text.length > window ? Buffer.from(text.slice(0, window + 1), "utf16le").toString("utf16le") : text;
}

function isShort({ input, asked }: Requested & Partial<Executed>, { result }: Outcome): boolean {
  return isFlat(input?.arguments ?? asked.arguments) && (result === undefined || isShortResult(result));
}

function isShortResult({ content, structuredContent }: ToolResult): boolean {
  return structuredContent === undefined && content.length <= 4 && content.every(isFlat);
}

function isFlat(value: unknown): boolean {
  if (typeof value === "string") return value.length <= shortText;
  if (typeof value !== "object" || value === null) return true;
  const inner = Object.values(value);
  return inner.length <= 16 && inner.every((one) => typeof one !== "object" && isFlat(one));
}

function textOfArguments(call: Requested & Partial<Executed>): string {
  const { input, asked } = call;
  const values = valuesOf(call);
  const given = input?.arguments ?? asked.arguments ?? {};
  // A file is shown by the caller's name for it.
  const names = Object.keys(values).filter((name) => !Object.hasOwn(given, name));
  const places = Object.fromEntries(names.map((name) => [name, placeholder]));
  const shown = typeof given === "object" ? { ...given, ...places } : given;
  return typeof shown === "string" ? shown : briefJson(shown, window, hide);
}

function textOfOutcome({ result }: Outcome): string | null {
  return result ? textOfResult(result) : null;
}

function textOfResult(result: ToolResult): string {
  const text = resultText(result);
  return text === "" ? briefJson(result.structuredContent ?? result.content, window, hide) : text;
}

function hide(key: string): string | undefined {
  return looksSecret(key) ? hidden : undefined;
}

/** Hidden before it is cut: half a secret would not be recognised. */
function shorten(text: string, values: JsonObject): string {
  const seen = text.length > window ? text.slice(0, window).replace(/\S{1,256}$/, "") : text;
  const shown = redact(createInjectedHider(values).text(seen)).replaceAll(/\s+/g, " ");
  const { characters } = activityLimits;
  return shown.length > characters ? `${shown.slice(0, characters - 1)}…` : shown;
}
