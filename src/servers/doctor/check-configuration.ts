import { looksSecret } from "../../lib/text/redact.ts";
import { sentence } from "../../lib/text/wording.ts";
import type { DoctorCheck } from "../../model/config/setup.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";

export function passed(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail, fix: null };
}

export type Trouble = { detail: string; fix: string };

export function failed(name: string, { detail, fix }: Trouble): DoctorCheck {
  return { name, ok: false, detail, fix };
}

/** Why an entry could not be used. */
export function checkBroken(server: string, reason: string): DoctorCheck {
  return failed("configuration", { detail: sentence(reason), fix: fixOf(server, reason) });
}

function fixOf(server: string, reason: string): string {
  const [, field] = /^([\w.[\]-]+): /.exec(reason) ?? [];
  const key = field === undefined || field === server ? `server '${server}'` : `'${field}' of '${server}'`;
  const [, variable] = /environment variable (\w+) is not set/.exec(reason) ?? [];
  if (variable !== undefined) return `Set ${variable}, or write \${${variable}:-default} in ${key}.`;
  if (reason.includes("neither 'command' nor 'url'")) {
    return `Add 'command' for a local server or 'url' for a remote one to ${key}.`;
  }
  if (reason.includes("needs a 'command'")) return `Add 'command' to ${key}.`;
  return `Correct ${key} in the configuration file.`;
}

type Field = { key: string; name: string; value: string };

/** An unresolved reference. */
const unexpanded = /\$\{[^}]*\}/;
/** Placeholders of other programs; an argument may be a script with its own. */
const placeholder = /\$\{(?:env|input|config|command|workspaceFolder|userHome)\b[^}]*\}/;

/** Is every value filled in? */
export function checkEnvironment(definition: ServerDefinition): DoctorCheck {
  const given = fieldsOf(definition);
  const troubles = [
    ...given.flatMap((field) => troubleOf(field)),
    ...definition.args.flatMap((value, at) => placeholderTrouble(`args[${at}]`, placeholder.exec(value)?.[0])),
  ];
  const [first] = troubles;
  if (!first) return passed("environment", summary(definition));
  const detail = troubles.map((trouble) => trouble.detail).join(" ");
  return failed("environment", { detail, fix: first.fix });
}

function fieldsOf({ env, headers, auth }: ServerDefinition): Field[] {
  const list = (group: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => ({ key: `${group}.${name}`, name, value }));
  const { token, clientSecret } = auth ?? {};
  const secrets = Object.entries({ token, clientSecret }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ key: `auth.${name}`, name, value }],
  );
  return [...list("env", env), ...list("headers", headers), ...secrets];
}

function troubleOf({ key, name, value }: Field): Trouble[] {
  const isEmpty = /^\s*(?:(?:bearer|basic)\s*)?$/i.test(value);
  if (isEmpty && looksSecret(name)) {
    return [{ detail: `${key} is empty.`, fix: `Give ${key} a value, or remove it.` }];
  }
  return placeholderTrouble(key, unexpanded.exec(value)?.[0]);
}

function placeholderTrouble(key: string, text: string | undefined): Trouble[] {
  if (text === undefined) return [];
  const [, variable = "NAME"] = /^\$\{(?:env:)?([A-Za-z_]\w*)\}$/.exec(text) ?? [];
  const fix = `Replace ${text} in ${key} by its value, or by \${${variable}} and set that variable.`;
  return [{ detail: `${key} still contains ${text}, which nothing has filled in.`, fix }];
}

function summary({ transport, env, headers }: ServerDefinition): string {
  const [what, names] = transport === "stdio" ? ["'env'", Object.keys(env)] : ["'headers'", Object.keys(headers)];
  return names.length === 0 ? `${what} sets nothing.` : `${what} sets ${names.join(", ")}.`;
}
