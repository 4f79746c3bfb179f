import { type Environment, findReferences, splitReferences } from "../../../../src/config/editing.ts";
import { findPlaceholder } from "../../../../src/lib/text/placeholder.ts";
import { looksSecret, redact } from "../../../../src/lib/text/redact.ts";
import { spell } from "../../../../src/lib/text/spell.ts";
import { variableName } from "../../../../src/lib/text/variable-name.ts";
import { isObject, type JsonObject } from "../../../../src/model/json.ts";

export type Concealed = {
  entry: JsonObject;
  /** What stood in its place: for the trial, never to be written. */
  values: Record<string, string>;
};

/** Puts references in the place of secrets that were pasted in clear; none to a variable of `environment` that holds something else. */
export function concealSecrets(server: string, given: JsonObject, environment: Environment): Concealed {
  const values: Record<string, string> = {};
  const hide = (variable: string, value: string) => {
    if (value !== "" && findPlaceholder(value) === undefined) values[variable] = splitReferences(value).join("");
    return `\${${variable}}`;
  };
  const isSecret = (name: string, value: string) =>
    findReferences(value).length === 0 &&
    (looksSecret(name) || findPlaceholder(value) !== undefined || redact(value) !== value);
  const own = (name: string, value: string) => {
    const base = variableName(`${server}_${name}`);
    const isFree = (variable: string) => [undefined, "", value].includes(environment[variable]);
    let variable = base;
    for (let count = 2; !isFree(variable); count += 1) variable = `${base}_${count}`;
    return variable;
  };
  const entry = structuredClone(given);
  const change = (key: string, each: (name: string, value: string) => string) => {
    const map = entry[key];
    if (!isObject(map)) return;
    entry[key] = Object.fromEntries(
      Object.entries(map).map(([name, value]) => [name, typeof value === "string" ? each(name, value) : value]),
    ) as JsonObject;
  };
  change("env", (name, value) => (isSecret(name, value) ? hide(variableName(name), value) : value));
  change("headers", (name, value) => {
    const [, scheme = "", token = value] = /^((?:bearer|basic|token)\s+)(.+)$/is.exec(value) ?? [];
    const variable = own(scheme === "" ? name : "token", token);
    return isSecret(name, token) ? scheme + hide(variable, token) : value;
  });
  if (Array.isArray(entry.args)) entry.args = concealArguments(entry.args.map(spell), isSecret, hide);
  if (typeof entry.url === "string") entry.url = concealUrl(entry.url, (name, value) => hide(own(name, value), value));
  return { entry, values };
}

type Hide = (variable: string, value: string) => string;

/** `--token=x` and `--token x`; also a word of another flag that has the shape of a secret. */
function concealArguments(
  args: readonly string[],
  isSecret: (name: string, value: string) => boolean,
  hide: Hide,
): string[] {
  const flagOf = (word: string) => /^--?([\w-]+)$/.exec(word)?.[1];
  return args.map((word, at) => {
    const [, flag, value] = /^(--?[\w-]+=)(.+)$/s.exec(word) ?? [];
    if (flag !== undefined && value !== undefined) {
      const name = flag.replaceAll(/^-+|=$/g, "");
      return isSecret(name, value) ? flag + hide(variableName(name), value) : word;
    }
    const before = flagOf(args[at - 1] ?? "");
    if (before === undefined || word.startsWith("-") || !isSecret(before, word)) return word;
    return hide(variableName(before), word);
  });
}

/** A key in the query; a URL with a user and password is refused elsewhere. */
function concealUrl(text: string, hide: Hide): string {
  return text.replaceAll(/([?&])([^=&#]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) =>
    looksSecret(name) && findReferences(value).length === 0 ? `${mark}${name}=${hide(name, value)}` : whole,
  );
}
