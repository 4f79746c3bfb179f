import type { Path } from "../../model/json.ts";
import { mapTexts } from "./map-texts.ts";
import { escapeSecrets, type Reference, splitReferences } from "./references.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Puts the environment into every text of a value, once: what a variable holds is never expanded again. Secrets
 * stay references until they are used, so what only looks like one now is escaped for `resolveSecrets`.
 */
export function expandEnvironment(
  value: unknown,
  environment: Environment,
  onUnset: (name: string, path: Path) => void,
): unknown {
  return mapTexts(value, (text, path) => expandText(text, environment, (name) => onUnset(name, path)));
}

function expandText(text: string, environment: Environment, onUnset: (name: string) => void): string {
  let done = "";
  let plain = "";
  for (const part of splitReferences(text)) {
    if (typeof part === "string") plain += part;
    else if (part.kind === "env") plain += lookUp(part, environment, onUnset);
    else {
      done += escapeSecrets(plain, true) + part.text;
      plain = "";
    }
  }
  return done + escapeSecrets(plain, false);
}

function lookUp(
  { name, fallback, text }: Reference,
  environment: Environment,
  onUnset: (name: string) => void,
): string {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (value !== undefined && (value !== "" || fallback === null)) return value;
  if (fallback !== null) return fallback;
  onUnset(name);
  return text;
}
