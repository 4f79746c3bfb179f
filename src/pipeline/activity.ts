import { briefJson } from "../lib/brief-json.ts";
import { looksSecret } from "../lib/looks-secret.ts";
import { redact } from "../lib/redact.ts";
import { type ActivityEntry, activityLimits } from "../model/activity.ts";
import type { Executed, Outcome, Requested } from "../model/call.ts";
import type { JsonObject } from "../model/json.ts";
import { mayDo, type Principal } from "../model/principal.ts";
import { resultText, type ToolResult } from "../model/result.ts";
import { createInjectedHider } from "./inject-hide.ts";

const injected = "«injected»";
const hidden = "[redacted]";
/** So much is looked at, so that a summary costs the same whatever it is of. */
const window = 16 * activityLimits.characters;

export type Activity = {
  note(call: Requested & Partial<Executed>, outcome: Outcome): void;
  /** Newest first. */
  entries(principal: Principal): ActivityEntry[];
};

/** The last calls in short, for people who look at what happens right now. Nothing of it is stored. */
export function createActivity(): Activity {
  const last: ActivityEntry[] = [];
  return {
    note(call, outcome) {
      const { id, tool, status, durationMs } = outcome.call;
      const values = call.injected?.values ?? {};
      last.push({
        id,
        at: call.at,
        tool,
        user: call.principal.user,
        face: call.face,
        status,
        durationMs,
        arguments: summarizeArguments(call, values),
        result: outcome.result ? summarizeResult(outcome.result, values) : null,
        code: outcome.error?.code ?? null,
      });
      if (last.length > activityLimits.calls) last.shift();
    },
    entries(principal) {
      const seesAll = mayDo(principal, "admin");
      return last.filter(({ user }) => seesAll || user === principal.user).reverse();
    },
  };
}

function summarizeArguments({ input, asked }: Requested & Partial<Executed>, values: JsonObject): string {
  const given = input?.arguments ?? asked.arguments ?? {};
  // A file is shown by the name that the caller gave it, not by what it was replaced with.
  const names = Object.keys(values).filter((name) => !Object.hasOwn(given, name));
  const places = Object.fromEntries(names.map((name) => [name, injected]));
  const shown = typeof given === "object" ? { ...given, ...places } : given;
  return shorten(typeof shown === "string" ? shown : briefJson(shown, window, hide), values);
}

function summarizeResult(result: ToolResult, values: JsonObject): string {
  const text = resultText(result);
  return shorten(
    text === "" ? briefJson(result.structuredContent ?? result.content, window, hide) : text,
    values,
  );
}

function hide(key: string): string | undefined {
  return looksSecret(key) ? hidden : undefined;
}

/** Hidden before it is cut: half a secret would not be known as one. */
function shorten(text: string, values: JsonObject): string {
  const seen = text.length > window ? text.slice(0, window).replace(/\S{1,256}$/, "") : text;
  const shown = redact(createInjectedHider(values).text(seen)).replaceAll(/\s+/g, " ");
  const { characters } = activityLimits;
  return shown.length > characters ? `${shown.slice(0, characters - 1)}…` : shown;
}
