import { exactText, isTooDeep, noteExactNumbers } from "../../lib/json/exact-numbers.ts";
import { isObject } from "../../model/json.ts";

/** Less than this cannot be nested too deeply. */
const shallowLength = 1_000;

/** What a client sent, or what is wrong with it. */
export type Parsed = { message: unknown } | { wrong: "no JSON" | "too deep" };

/** Reads what a client sent. Numbers that become others are remembered as they were written, ids are kept exactly. */
export function parseMessage(text: string): Parsed {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { wrong: "no JSON" };
  }
  if (text.length > shallowLength && isTooDeep(message)) return { wrong: "too deep" };
  noteExactNumbers(message, text);
  for (const one of Array.isArray(message) ? message : [message]) if (isObject(one)) keepIds(one);
  return { message };
}

/** Whoever sent an id knows its answer by it. */
function keepIds(message: Record<string, unknown>): void {
  keepId(message, "id");
  if (message.method === "notifications/cancelled" && isObject(message.params)) keepId(message.params, "requestId");
}

function keepId(holder: Record<string, unknown>, key: string): void {
  const text = exactText(holder, key);
  if (text !== undefined && /^-?[1-9]\d*$/.test(text)) holder[key] = BigInt(text);
}
