import { hash, stableJson } from "../../lib/json/stable-json.ts";
import { looksSecret } from "../../lib/text/redact.ts";
import { shellQuote } from "../../lib/text/shell.ts";
import type { TrustLine } from "../../model/config/setup.ts";
import { isObject, objectOrEmpty, type Path, renderPath } from "../../model/json.ts";
import type { Merged } from "../merge-settings.ts";
import type { Setting } from "../shapes/reading.ts";

/** A person's decision about a line with this hash; undefined while there is none. */
export type TrustDecision = {
  (hash: string): boolean | undefined;
  /** Was another version of the line of this name trusted? */
  trustedBefore?(name: string): boolean;
};

export function settingsLine(
  name: string,
  launch: string,
  settings: readonly Setting[],
  answer: TrustDecision,
): TrustLine {
  const entries = settings.map(({ path, value }) => stableJson([path, value])).sort();
  return lineWith(name, launch, hash({ name, entries }), answer);
}

export function lineWith(
  name: string,
  launch: string,
  lineHash: string,
  answer: TrustDecision,
): TrustLine {
  const trusted = answer(lineHash) === true;
  const changed = !trusted && answer.trustedBefore?.(name) === true;
  return { name, launch: visible(launch), hash: lineHash, trusted, inForce: trusted, changed };
}

/** The command or the address as it is written, then everything else that the entry says. */
export function renderLaunch(
  name: string,
  { values }: Pick<Merged, "values">,
  settings: readonly Setting[],
): string {
  const entry = isObject(values.servers) ? values.servers[name] : null;
  const { command, args, ...fields } = objectOrEmpty(entry);
  const addressKey = ["url", "openapi", "skills"].find((key) => fields[key] !== undefined) ?? "url";
  const launchWords = (command === undefined ? [fields[addressKey] ?? ""] : [command, args ?? []])
    .flat()
    .map((argument) => shellQuote(String(argument)));
  const shownKeys = command === undefined ? [addressKey] : ["command", "args"];
  const otherSettings = settings.filter(({ path }) => !shownKeys.includes(String(path[2])));
  return [
    launchWords.join(" "),
    ...otherSettings.map((setting) => renderSetting({ ...setting, path: setting.path.slice(2) })),
  ].join("; ");
}

export function renderSetting({ path, value }: Setting): string {
  return `${renderPath(path)}=${isPlainSecret(path, value) ? '"***"' : (JSON.stringify(value) ?? "null")}`;
}

/** A token that stands in clear, and nothing but that: a value that could name a file or a command is always shown. */
function isPlainSecret(path: Path, value: unknown): boolean {
  const isHandedOver =
    ["env", "headers"].includes(String(path.at(-2))) && looksSecret(String(path.at(-1)));
  return (
    isHandedOver &&
    typeof value === "string" &&
    /^(?:(?:bearer|basic|token) )?[\w.~+=:-]{12,}$/i.test(value)
  );
}

/** Nothing in a launch line may hide another part of it. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
