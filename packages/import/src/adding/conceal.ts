import {
  type Environment,
  findReferences,
  isKeyLike,
  splitReferences,
} from "@toolplane/core/config/editing";
import { findPlaceholder } from "@toolplane/core/lib/text/placeholder";
import { looksSecret, redact } from "@toolplane/core/lib/text/redact";
import { spell } from "@toolplane/core/lib/text/spell";
import { variableName } from "@toolplane/core/lib/text/variable-name";
import { isObject, type JsonObject } from "@toolplane/core/model/json";

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
  const isBlank = (content: string) =>
    content === "" || (isPasted && findPlaceholder(content) !== undefined);
  const hide = (base: string, content: string) => {
    if (isBlank(content)) return `\${${base}}`;
    const plain = splitReferences(content).join("");
    // Two that are different under one name must not become one. A name that was pasted may be meant to be that of the variable.
    const isFree = (name: string) =>
      [undefined, plain].includes(values[name]) &&
      (isPasted || [undefined, "", plain].includes(environment[name]));
    let variable = base;
    for (let count = 2; !isFree(variable); count += 1) variable = `${base}_${count}`;
    values[variable] = plain;
    return `\${${variable}}`;
  };
  const isSecret: IsSecret = (name, content) => {
    if (findReferences(content).length > 0 || isCount(name, content)) return false;
    const isPlaceholder = findPlaceholder(content) !== undefined;
    if (!isPasted && (content === "" || isPlaceholder)) return false;
    return looksSecret(name) || isPlaceholder || redact(content) !== content;
  };
  // A name that a server chose need not say what it is for.
  const isServerSecret: IsSecret = (name, content) =>
    isSecret(name, content) || (!isPasted && isMadeUp(content));
  const freeVariable = (name: string, content: string) => {
    const base = variableName(`${server}_${name}`);
    const isFree = (variable: string) => [undefined, "", content].includes(environment[variable]);
    let variable = base;
    for (let count = 2; !isFree(variable); count += 1) variable = `${base}_${count}`;
    return variable;
  };
  const entry = structuredClone(definition);
  const concealMap = (key: string, conceal: (name: string, content: string) => string) => {
    const map = entry[key];
    if (!isObject(map)) return;
    for (const [name, content] of Object.entries(map))
      if (typeof content === "string") map[name] = conceal(name, content);
  };
  concealMap("env", (name, content) =>
    isServerSecret(name, content) ? hide(variableName(name), content) : content,
  );
  concealMap("headers", (name, content) => {
    const [, scheme = "", token = content] =
      /^((?:bearer|basic|token)\s+)(.+)$/is.exec(content) ?? [];
    const variable = freeVariable(scheme === "" ? name : "token", token);
    if (!isServerSecret(name, token)) return content;
    return scheme + hide(variable, token);
  });
  if (!isPasted)
    concealMap("auth", (name, content) =>
      isSecret(name, content) ? hide(freeVariable(name, content), content) : content,
    );
  if (Array.isArray(entry.args))
    entry.args = concealArguments(entry.args.map(spell), isSecret, hide, !isPasted);
  if (typeof entry.url === "string") {
    entry.url = concealUrl(entry.url, (name, content) =>
      hide(freeVariable(name, content), content),
    );
    if (!isPasted)
      entry.url = concealPath(entry.url, (content) =>
        hide(freeVariable("url key", content), content),
      );
  }
  return { entry, values };
}

type IsSecret = (name: string, content: string) => boolean;

const isMadeUp = (content: string) => content.length >= 16 && isKeyLike(content);

/** MAX_TOKENS says how many, while a PASSWORD may be a number. */
const isCount = (name: string, content: string) =>
  /^(?:true|false|\d{1,9})$/i.test(content) &&
  !/(?:token|key|secret|passw(?:or)?d|passphrase|pass|pwd)$/i.test(name);

type Hide = (variable: string, content: string) => string;

/** `--token=x` and `--token x`; also a word of another flag that has the shape of a secret, and with `isFromClient` any such word. */
function concealArguments(
  args: readonly string[],
  isSecret: IsSecret,
  hide: Hide,
  isFromClient: boolean,
): string[] {
  const flagOf = (argument: string) => /^--?([\w-]+)$/.exec(argument)?.[1];
  return args.map((argument, index) => {
    const [, flag, content] = /^(--?[\w-]+=)(.+)$/s.exec(argument) ?? [];
    if (flag !== undefined && content !== undefined) {
      const name = flag.replaceAll(/^-+|=$/g, "");
      if (!isSecret(name, content)) return argument;
      return flag + hide(variableName(name), content);
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
    (parameter, mark: string, name: string, content: string) => {
      if (!looksSecret(name) || findReferences(content).length > 0) return parameter;
      return `${mark}${name}=${hide(name, content)}`;
    },
  );
}

/** A part of the path that is a key, as some services hand them out. */
function concealPath(text: string, hide: (content: string) => string): string {
  const [, origin = "", path = "", suffix = ""] =
    /^(\w+:\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? [];
  if (origin === "") return text;
  const parts = path.split("/").map((part) => (isMadeUp(part) ? hide(part) : part));
  return origin + parts.join("/") + suffix;
}
