import { looksSecret, redact } from "../../lib/text/redact.ts";
import { isObject, type Json, type Path, type UnknownObject } from "../../model/json.ts";
import { findReferences, type Reference } from "./references.ts";

type Context = { isSecret: boolean; key: string | null; isHandedOver?: boolean };

/** Their keys are names, not fields: a server may be called 'tokens'. */
const mapsByName = new Set(
  "servers mcpServers tools overlays toolsets models users properties".split(" "),
);
/** What stands beside a secret and is none. */
const describingKeys = new Set(["type", "description", "title", "format"]);
/** Lists of variables by name: who reads them has to know which. */
const variableNames = new Set(["auth_env", "inheritEnv"]);
/** What is handed over to servers under names that they chose, which need not say what it is. */
const handedOverMaps = new Set(["env", "headers", "schemes"]);
/** Numbers are secrets under fewer keys: `token_limit` and `thresholdTokens` count something. */
const numberIsSecret = /(?:token|key|secret|passw(?:or)?d|passphrase|pass|pwd)$/i;

/** A configuration for display: secrets become `***`. `path` is its place. */
export function maskSecrets(value: unknown, path: Path = []): Json {
  return maskValue(value, path.reduce<Context>(enter, { isSecret: false, key: null }));
}

function enter(context: Context, key: string | number): Context {
  if (typeof key === "number") return { ...context, key: null };
  if (context.key !== null && mapsByName.has(context.key)) return { ...context, key: null };
  if (variableNames.has(key)) return { isSecret: false, key: key };
  // A name in `env` or `headers` need not say that its value is a secret.
  const isHandedOver =
    context.isHandedOver === true || (context.key !== null && handedOverMaps.has(context.key));
  return {
    isSecret: isHandedOver || looksSecret(key) || (context.isSecret && !describingKeys.has(key)),
    key: key,
    isHandedOver,
  };
}

function maskValue(value: unknown, context: Context): Json {
  if (typeof value === "string")
    return context.isSecret ? maskText(value, true) : maskText(hideInUrls(value), false);
  if (typeof value === "number") return maskNumber(value, context);
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return maskList(value, context);
  return isObject(value) ? maskObject(value, context) : null;
}

function maskNumber(value: number, { isSecret, key, isHandedOver }: Context): Json {
  if (!isSecret) return value;
  if (isHandedOver || key === null || numberIsSecret.test(key)) return hidden;
  return value;
}

function maskList(items: readonly unknown[], context: Context): Json {
  return items.map((item, index) => {
    if (typeof item !== "string" || context.isSecret) return maskValue(item, enter(context, index));
    const isAnnounced = announcesSecret(items[index - 1]) && !item.startsWith("--");
    if (isAnnounced) return maskText(item, true);
    return maskArgument(hideInUrls(item));
  });
}

function maskObject(value: UnknownObject, context: Context): Json {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => {
        if (!isForServersOnly(key, value)) return [key, maskValue(field, enter(context, key))];
        return [key, typeof field === "string" ? maskText(field, true) : hidden];
      }),
  );
}

function isForServersOnly(key: string, { name, parameter, from }: UnknownObject): boolean {
  if (key === "fixed") return typeof name === "string";
  return key === "value" && from === "constant" && parameter !== undefined;
}

/** Passwords and long user names in URLs, and query parameters with their names. */
const urlSecrets =
  /(?<=:\/\/[^\s/:@]*:)[^\s/]+(?=@)|(?<=:\/\/)[^\s/:@]{16,}(?=@)|(?<=[?&]([^\s=&#?]+)=)[^&#\s]+/g;
/** What may stay before a reference in a header: `Bearer ${TOKEN}`. */
const schemeOrEmpty = /^\s*(?:(?:bearer|basic|token)\s+)?$/i;
const assignment = /^([\w.-]+)(=|:(?!\/\/)\s*)([\s\S]+)$/;

/** Stands for a secret, and tells neither its characters nor its length. */
const hidden = "***";

/** A text for display. References stay: they are not the secret, though their fallback may be one. */
export function maskText(text: string, isSecret: boolean): string {
  const hide = isSecret ? (part: string) => (schemeOrEmpty.test(part) ? part : hidden) : hideKnown;
  let masked = "";
  let from = 0;
  for (const reference of findReferences(text)) {
    masked += hide(text.slice(from, reference.start)) + showReference(reference, hide);
    from = reference.start + reference.text.length;
  }
  return masked + hide(text.slice(from));
}

function showReference(
  { kind, name, fallback, text }: Reference,
  hide: (text: string) => string,
): string {
  if (kind === "command") return `\${command:${name.trim().split(/\s/)[0]} …}`;
  if (fallback === null) return text;
  return `\${${name}:-${hide(fallback)}}`;
}

/** An argument of a program, which may name what it gives: `--token=…`, `API_KEY=…`, `X-API-Key: …`. */
export function maskArgument(text: string, level = 0): string {
  const [, name = "", sign = "", value = ""] = assignment.exec(text) ?? [];
  if (name === "" || level > 2) return maskText(text, false);
  return name + sign + (looksSecret(name) ? maskText(value, true) : maskArgument(value, level + 1));
}

/** Does this argument announce that the next one is a secret? */
export function announcesSecret(argument: unknown): boolean {
  return (
    typeof argument === "string" && /^--?[A-Za-z][\w.-]*$/.test(argument) && looksSecret(argument)
  );
}

function hideKnown(text: string): string {
  let masked = "";
  let from = 0;
  for (const { index, 0: secret, 1: parameter } of text.matchAll(urlSecrets)) {
    if (parameter !== undefined && !looksSecret(parameter)) continue;
    masked += hideShapes(text.slice(from, index)) + hidden;
    from = index + secret.length;
  }
  return masked + hideShapes(text.slice(from));
}

function hideShapes(text: string): string {
  return redact(text).replaceAll("[redacted]", hidden);
}

const webAddress = /\b((?:https?|wss?):\/\/[^\s/?#"'<>]*)([/?#][^\s"'<>]*)/gi;
const secretParameter =
  /^(?:code|auth|pw|pin|otp|sid|session|jwt|hmac|cred|access|nonce|state|ticket|hook)$/i;
/** Of letters and digits, or of letters in no order that words have. */
const looksMadeUp = /^(?=.*[A-Za-z])(?=.*\d)[\w+=:~%-]{10,}$|^(?:[a-z_-]*[A-Z]){5}[\w-]*$/;

/** Parts of a path or a query that are keys rather than names; `{name}` and `${NAME}` are none. */
function hideInUrls(text: string): string {
  if (!text.includes("://")) return text;
  return text.replaceAll(webAddress, (_, origin: string, pathAndQuery: string) => {
    const maskedPath = pathAndQuery.replaceAll(
      /([/?&#])([^/?&#=]*)(=?)([^/?&#]*)/g,
      (_part, sign, name, equals, value) => {
        if (equals === "") return sign + (isKeyLike(name) ? hidden : name);
        const isHidden =
          !/[{}$]/.test(value) && value !== "" && (secretParameter.test(name) || isKeyLike(value));
        return `${sign}${name}=${isHidden ? hidden : value}`;
      },
    );
    return origin + maskedPath;
  });
}

/** Does it look like a key rather than like words? */
export function isKeyLike(part: string): boolean {
  return part.length > 512 || (part.length >= 10 && looksMadeUp.test(part));
}
