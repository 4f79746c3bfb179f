import { isTooDeep } from "../../lib/json/exact-numbers.ts";
import { type HookDecision, hookDecisions } from "../../model/access/hook.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { CommandEnd } from "./run-command.ts";

/** What a hook said, or why that counts for nothing. `detail` is for whoever manages the plane. */
export type Said =
  | { decision: HookDecision; reason: string; payload: JsonObject | null }
  | { failed: string; detail?: string };

/** 0 goes on or says more on standard output, 2 blocks, everything else is a failure. */
export function readEnd(end: CommandEnd): Said {
  if ("failed" in end) return end;
  const { code, stdout, stderr } = end;
  if (code === 2) return { decision: "deny", reason: stderr, payload: null };
  if (code !== 0) return { failed: `it ended with exit code ${code}`, detail: stderr };
  if (stdout.trim() === "") return readAnswer(undefined);
  try {
    return readAnswer(JSON.parse(stdout));
  } catch {
    return { failed: "what it printed is no JSON" };
  }
}

export function readAnswer(answer: unknown): Said {
  if (answer === undefined) return { decision: "continue", reason: "", payload: null };
  if (!isObject(answer)) return { failed: "its answer is no object" };
  const { decision = "continue", reason = "", payload = null } = answer;
  const known = hookDecisions.find((one) => one === decision);
  if (known === undefined) return { failed: `its 'decision' is none of ${hookDecisions.join(", ")}` };
  if (payload !== null && !isObject(payload)) return { failed: "its 'payload' is no object" };
  if (isTooDeep(payload)) return { failed: "its 'payload' is nested too deeply" };
  return {
    decision: known,
    reason: typeof reason === "string" ? reason : "",
    payload: payload as JsonObject | null,
  };
}
