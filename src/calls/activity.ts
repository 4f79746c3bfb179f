import { briefJson } from "../lib/json/render-json.ts";
import { withoutLastWord } from "../lib/text/cut-text.ts";
import { plainText } from "../lib/text/plain-text.ts";
import { looksSecret, redact } from "../lib/text/redact.ts";
import { type Executed, type Outcome, originOf, type Requested } from "../model/calls/call.ts";
import { activityLimits } from "../model/calls/call-history.ts";
import type { ActivityEntry, CallRecord } from "../model/calls/call-schema.ts";
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
  // A ring: moving all of them for each call costs more than the note.
  const ring: Note[] = [];
  let oldest = 0;
  return {
    note(call: Call, outcome: Outcome): void {
      const note = new Note(call, outcome);
      if (ring.length < activityLimits.calls) ring.push(note);
      else {
        ring[oldest] = note;
        oldest = (oldest + 1) % activityLimits.calls;
      }
      onNoted?.(call, outcome);
    },
    entries(principal: Principal): ActivityEntry[] {
      const seesAll = mayDo(principal, "admin");
      const last = [...ring.slice(oldest), ...ring.slice(0, oldest)];
      const visibleNotes = last.filter((note) => seesAll || isOwner(principal, note.principal));
      return visibleNotes.map((note) => note.entry()).reverse();
    },
  };
}

/** A call that waited is listed once, as its record says by now: another plane may have run it. */
export async function withEnds(
  entries: readonly ActivityEntry[],
  findCall: (id: string) => Promise<CallRecord | null>,
): Promise<ActivityEntry[]> {
  const listed = new Set<string>();
  const newest = entries.filter(({ id }) => !listed.has(id) && listed.add(id));
  return Promise.all(
    newest.map(async (entry) => {
      if (entry.status !== "waiting") return entry;
      const record = await findCall(entry.id);
      if (record === null || record.status === "waiting") return entry;
      const { status, durationMs, error } = record;
      return { ...entry, status, durationMs, code: error?.code ?? null };
    }),
  );
}

type ArgumentParts = {
  input: Call["input"] | undefined;
  asked: Call["asked"];
  injected: Call["injected"] | undefined;
};

/**
 * Few are ever looked at, so it is summarized then. Of large texts only the beginning is held. The call itself is not: all
 * that its client sent would be kept with it.
 */
class Note {
  readonly principal: Principal;
  readonly #at: string;
  readonly #face: Call["face"];
  readonly #record: Outcome["call"];
  readonly #code: ActivityEntry["code"];
  readonly #values: JsonObject;
  readonly #arguments: ArgumentParts | string;
  readonly #result: ToolResult | string | null;
  #entry: ActivityEntry | undefined;

  constructor(call: Call, outcome: Outcome) {
    const { input, asked, injected } = call;
    const { result = null } = outcome;
    const parts = { input, asked, injected };
    const isWhole = isShort(call, outcome);
    this.principal = call.principal;
    this.#at = call.at;
    this.#face = call.face;
    this.#record = outcome.call;
    this.#code = outcome.error?.code ?? null;
    this.#values = injected?.values ?? {};
    this.#arguments = isWhole ? parts : beginning(textOfArguments(parts));
    this.#result = isWhole ? result : beginningOf(result);
  }

  entry(): ActivityEntry {
    this.#entry ??= this.#summarize();
    return this.#entry;
  }

  #summarize(): ActivityEntry {
    const { id, tool, status, durationMs } = this.#record;
    const result = textOfResult(this.#result);
    return {
      id,
      at: this.#at,
      tool: plainText(tool),
      user: this.principal.user,
      face: this.#face,
      status,
      durationMs,
      ...originOf(this.#record),
      arguments: shorten(textOfArguments(this.#arguments), this.#values),
      result: result === null ? null : shorten(result, this.#values),
      code: this.#code,
    };
  }
}

/** A copy: a slice keeps the whole text in memory. */
function beginning(text: string): string {
  if (text.length <= window) return text;
  return Buffer.from(text.slice(0, window + 1), "utf16le").toString("utf16le");
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
  let membersLeft = 16;
  for (const key in value) {
    const inner: unknown = Reflect.get(value, key);
    if (membersLeft-- === 0 || typeof inner === "object" || !isFlat(inner)) return false;
  }
  return true;
}

function beginningOf(result: ToolResult | null): string | null {
  const text = textOfResult(result);
  return text === null ? null : beginning(text);
}

function textOfArguments(source: ArgumentParts | string): string {
  if (typeof source === "string") return source;
  const { input, asked, injected } = source;
  const args = input?.arguments ?? asked.arguments ?? {};
  if (typeof args === "string") return args;
  // A file is shown by the caller's name for it.
  const names = Object.keys(injected?.values ?? {}).filter((name) => !Object.hasOwn(args, name));
  if (names.length === 0 || typeof args !== "object") return briefJson(args, window, hide);
  return briefJson(
    { ...args, ...Object.fromEntries(names.map((name) => [name, placeholder])) },
    window,
    hide,
  );
}

function textOfResult(result: ToolResult | string | null): string | null {
  if (typeof result === "string" || result === null) return result;
  const text = resultText(result);
  if (text !== "") return text;
  return briefJson(result.structuredContent ?? result.content, window, hide);
}

function hide(key: string) {
  return looksSecret(key) ? "[redacted]" : undefined;
}

/** Secrets are hidden before it is cut, and after invisible characters are gone: neither would be recognised. */
function shorten(text: string, values: JsonObject): string {
  const windowed = text.length > window ? withoutLastWord(text.slice(0, window)) : text;
  const safeText = redact(plainText(createInjectedHider(values).text(windowed))).replaceAll(
    /\s+/g,
    " ",
  );
  const { characters } = activityLimits;
  if (safeText.length > characters) return `${safeText.slice(0, characters - 1)}…`;
  return safeText;
}
