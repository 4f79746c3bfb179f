import { looksSecret, redact } from "../../lib/text/redact.ts";
import { findReferences, type Reference } from "./references.ts";

/** Passwords and long user names in URLs, and query parameters with their names. */
const urlSecrets = /(?<=:\/\/[^\s/:@]*:)[^\s/]+(?=@)|(?<=:\/\/)[^\s/:@]{16,}(?=@)|(?<=[?&]([^\s=&#?]+)=)[^&#\s]+/g;
const scheme = /^\s*(?:(?:bearer|basic|token)\s+)?$/i;
const assignment = /^([\w.-]+)(=|:(?!\/\/)\s*)([\s\S]+)$/;

/** A secret that can still be told from another. */
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
