import { looksSecret, redact } from "../../lib/text/redact.ts";
import { isObject, type Json, type Path, type UnknownObject } from "../../model/json.ts";
import { findReferences, type Reference } from "./references.ts";

type Context = { isSecret: boolean; key: string | null; isHandedOver?: boolean };

/** Their keys are names, not fields: a server may be called 'tokens'. */
const namedThings = new Set("servers mcpServers tools overlays toolsets models users properties".split(" "));
/** What stands beside a secret and is none. */
const describing = new Set(["type", "description", "title", "format"]);
/** Lists of variables by name: who reads them has to know which. */
const variableNames = new Set(["auth_env", "inheritEnv"]);
/** What is handed over to servers under names that they chose, which need not say what it is. */
const handedOver = new Set(["env", "headers"]);
/** Long, of letters and digits, and neither a sentence, a path nor an address. */
const looksMadeUp = /^(?=.*[A-Za-z])(?=.*\d)[\w+=-]{16,}$/;
/** Numbers are secrets under fewer keys: `token_limit` and `thresholdTokens` count something. */
const numberIsSecret = /(?:token|key|secret|passw(?:or)?d|passphrase|pass|pwd)$/i;

/** A configuration for display: secrets become `***` and their last four characters. `path` is its place. */
export function maskSecrets(value: unknown, path: Path = []): Json {
  return maskValue(value, path.reduce<Context>(enter, { isSecret: false, key: null }));
}

function enter(context: Context, part: string | number): Context {
  if (typeof part === "number") return { ...context, key: null };
  if (context.key !== null && namedThings.has(context.key)) return { ...context, key: null };
  if (variableNames.has(part)) return { isSecret: false, key: part };
  return {
    isSecret: looksSecret(part) || (context.isSecret && !describing.has(part)),
    key: part,
    isHandedOver: context.key !== null && handedOver.has(context.key),
  };
}

function maskValue(value: unknown, context: Context): Json {
  if (typeof value === "string")
    return maskText(value, context.isSecret || (context.isHandedOver === true && looksMadeUp.test(value)));
  if (typeof value === "number") return maskNumber(value, context);
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return maskList(value, context);
  return isObject(value) ? maskObject(value, context) : null;
}

function maskNumber(value: number, { isSecret, key }: Context): Json {
  return isSecret && (key === null || numberIsSecret.test(key)) ? mask(String(value)) : value;
}

function maskList(items: readonly unknown[], context: Context): Json {
  return items.map((item, at) => {
    if (typeof item !== "string" || context.isSecret) return maskValue(item, enter(context, at));
    const isAnnounced = announcesSecret(items[at - 1]) && !item.startsWith("--");
    return isAnnounced ? maskText(item, true) : maskArgument(item);
  });
}

function maskObject(value: UnknownObject, context: Context): Json {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => {
        if (!isForServersOnly(key, value)) return [key, maskValue(inner, enter(context, key))];
        return [key, typeof inner === "string" ? maskText(inner, true) : "***"];
      }),
  );
}

function isForServersOnly(key: string, { name, parameter, from }: UnknownObject): boolean {
  return key === "fixed" ? typeof name === "string" : key === "value" && from === "constant" && parameter !== undefined;
}

/** Passwords and long user names in URLs, and query parameters with their names. */
const urlSecrets = /(?<=:\/\/[^\s/:@]*:)[^\s/]+(?=@)|(?<=:\/\/)[^\s/:@]{16,}(?=@)|(?<=[?&]([^\s=&#?]+)=)[^&#\s]+/g;
const scheme = /^\s*(?:(?:bearer|basic|token)\s+)?$/i;
const assignment = /^([\w.-]+)(=|:(?!\/\/)\s*)([\s\S]+)$/;

export function mask(secret: string): string {
  return secret.length > 8 ? `***${secret.slice(-4)}` : "***";
}

/** A text for display. References stay: they are not the secret, though their fallback may be one. */
export function maskText(text: string, isSecret: boolean): string {
  const hide = isSecret ? (part: string) => (scheme.test(part) ? part : mask(part)) : hideKnown;
  let shown = "";
  let from = 0;
  for (const reference of findReferences(text)) {
    shown += hide(text.slice(from, reference.start)) + showReference(reference, hide);
    from = reference.start + reference.text.length;
  }
  return shown + hide(text.slice(from));
}

function showReference({ kind, name, fallback, text }: Reference, hide: (text: string) => string): string {
  if (kind === "command") return `\${command:${name.trim().split(/\s/)[0]} …}`;
  return fallback === null ? text : `\${${name}:-${hide(fallback)}}`;
}

/** An argument of a program, which may name what it gives: `--token=…`, `API_KEY=…`, `X-API-Key: …`. */
export function maskArgument(text: string, level = 0): string {
  const [, name = "", sign = "", value = ""] = assignment.exec(text) ?? [];
  if (name === "" || level > 2) return maskText(text, false);
  return name + sign + (looksSecret(name) ? maskText(value, true) : maskArgument(value, level + 1));
}

/** Does this argument announce that the next one is a secret? */
export function announcesSecret(argument: unknown): boolean {
  return typeof argument === "string" && /^--?[A-Za-z][\w.-]*$/.test(argument) && looksSecret(argument);
}

function hideKnown(text: string): string {
  let shown = "";
  let from = 0;
  for (const { index, 0: secret, 1: parameter } of text.matchAll(urlSecrets)) {
    if (parameter !== undefined && !looksSecret(parameter)) continue;
    shown += hideShapes(text.slice(from, index)) + mask(secret);
    from = index + secret.length;
  }
  return shown + hideShapes(text.slice(from));
}

function hideShapes(text: string): string {
  const redacted = redact(text);
  return redacted === "[redacted]" ? mask(text) : redacted.replaceAll("[redacted]", "***");
}
