import {
  type Environment,
  findReferences,
  isKeyLike,
  splitReferences,
} from "../../../../src/config/editing.ts";
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

/**
 * Puts references in the place of secrets that stand in clear; none to a variable of `environment` that holds something else.
 * What a client has worked with: a placeholder in it stays, and what has the look of a key is one whatever its name.
 */
export function concealSecrets(
  server: string,
  definition: JsonObject,
  environment: Environment,
  source: "pasted" | "client" = "pasted",
): Concealed {
  const isPasted = source === "pasted";
  const values: Record<string, string> = {};
  const isBlank = (value: string) =>
    value === "" || (isPasted && findPlaceholder(value) !== undefined);
  const hide = (base: string, value: string) => {
    if (isBlank(value)) return `\${${base}}`;
    const plain = splitReferences(value).join("");
    // Two that are different under one name must not become one. A name that was pasted may be meant to be that of the variable.
    const isFree = (name: string) =>
      [undefined, plain].includes(values[name]) &&
      (isPasted || [undefined, "", plain].includes(environment[name]));
    let variable = base;
    for (let count = 2; !isFree(variable); count += 1) variable = `${base}_${count}`;
    values[variable] = plain;
    return `\${${variable}}`;
  };
  const isSecret: IsSecret = (name, value) => {
    if (findReferences(value).length > 0 || isCount(name, value)) return false;
    const isPlaceholder = findPlaceholder(value) !== undefined;
    if (!isPasted && (value === "" || isPlaceholder)) return false;
    return looksSecret(name) || isPlaceholder || redact(value) !== value;
  };
  // A name that a server chose need not say what it is for.
  const isServerSecret: IsSecret = (name, value) =>
    isSecret(name, value) || (!isPasted && isMadeUp(value));
  const freeVariable = (name: string, value: string) => {
    const base = variableName(`${server}_${name}`);
    const isFree = (variable: string) => [undefined, "", value].includes(environment[variable]);
    let variable = base;
    for (let count = 2; !isFree(variable); count += 1) variable = `${base}_${count}`;
    return variable;
  };
  const entry = structuredClone(definition);
  const concealMap = (key: string, conceal: (name: string, value: string) => string) => {
    const map = entry[key];
    if (!isObject(map)) return;
    entry[key] = Object.fromEntries(
      Object.entries(map).map(([name, value]) => [
        name,
        typeof value === "string" ? conceal(name, value) : value,
      ]),
    ) as JsonObject;
  };
  concealMap("env", (name, value) =>
    isServerSecret(name, value) ? hide(variableName(name), value) : value,
  );
  concealMap("headers", (name, value) => {
    const [, scheme = "", token = value] = /^((?:bearer|basic|token)\s+)(.+)$/is.exec(value) ?? [];
    const variable = freeVariable(scheme === "" ? name : "token", token);
    return isServerSecret(name, token) ? scheme + hide(variable, token) : value;
  });
  if (!isPasted)
    concealMap("auth", (name, value) =>
      isSecret(name, value) ? hide(freeVariable(name, value), value) : value,
    );
  if (Array.isArray(entry.args))
    entry.args = concealArguments(entry.args.map(spell), isSecret, hide, !isPasted);
  if (typeof entry.url === "string") {
    entry.url = concealUrl(entry.url, (name, value) => hide(freeVariable(name, value), value));
    if (!isPasted)
      entry.url = concealPath(entry.url, (value) => hide(freeVariable("url key", value), value));
  }
  return { entry, values };
}

type IsSecret = (name: string, value: string) => boolean;

const isMadeUp = (value: string) => value.length >= 16 && isKeyLike(value);

/** MAX_TOKENS says how many, while a PASSWORD may be a number. */
const isCount = (name: string, value: string) =>
  /^(?:true|false|\d{1,9})$/i.test(value) &&
  !/(?:token|key|secret|passw(?:or)?d|passphrase|pass|pwd)$/i.test(name);

type Hide = (variable: string, value: string) => string;

/** `--token=x` and `--token x`; also a word of another flag that has the shape of a secret, and with `isFromClient` any such word. */
function concealArguments(
  args: readonly string[],
  isSecret: IsSecret,
  hide: Hide,
  isFromClient: boolean,
): string[] {
  const flagOf = (argument: string) => /^--?([\w-]+)$/.exec(argument)?.[1];
  return args.map((argument, index) => {
    const [, flag, value] = /^(--?[\w-]+=)(.+)$/s.exec(argument) ?? [];
    if (flag !== undefined && value !== undefined) {
      const name = flag.replaceAll(/^-+|=$/g, "");
      return isSecret(name, value) ? flag + hide(variableName(name), value) : argument;
    }
    const flagName =
      flagOf(args[index - 1] ?? "") ??
      (isFromClient && redact(argument) !== argument ? "argument" : undefined);
    if (flagName === undefined || argument.startsWith("-") || !isSecret(flagName, argument))
      return argument;
    return hide(variableName(flagName), argument);
  });
}

/** A key in the query; a URL with a user and password is refused elsewhere. */
function concealUrl(text: string, hide: Hide): string {
  return text.replaceAll(
    /([?&])([^=&#?]+)=([^&#]+)/g,
    (parameter, mark: string, name: string, value: string) =>
      looksSecret(name) && findReferences(value).length === 0
        ? `${mark}${name}=${hide(name, value)}`
        : parameter,
  );
}

/** A part of the path that is a key, as some services hand them out. */
function concealPath(text: string, hide: (value: string) => string): string {
  const [, origin = "", path = "", suffix = ""] =
    /^(\w+:\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? [];
  if (origin === "") return text;
  const parts = path.split("/").map((part) => (isMadeUp(part) ? hide(part) : part));
  return origin + parts.join("/") + suffix;
}
