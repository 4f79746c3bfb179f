import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { findPlaceholder } from "@toolplane/core/lib/text/placeholder";
import { looksSecret } from "@toolplane/core/lib/text/redact";
import { sentence } from "@toolplane/core/lib/text/wording";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";

export function passed(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail, fix: null };
}

export function failed(name: string, detail: string, fix: string): DoctorCheck {
  return { name, ok: false, detail, fix };
}

export function checkBroken(server: string, reason: string): DoctorCheck {
  return failed("configuration", sentence(reason), fixOf(server, reason));
}

export function checkTrusted({ what, remedy }: { what: string; remedy: string }): DoctorCheck {
  return failed("trust", sentence(`It is ${what}`), sentence(remedy));
}

function fixOf(server: string, reason: string): string {
  const [, field] = /^([\w.[\]-]+): /.exec(reason) ?? [];
  const key =
    field === undefined || field === server ? `server '${server}'` : `'${field}' of '${server}'`;
  const [, variable] = /environment variable (\w+) is not set/.exec(reason) ?? [];
  if (variable !== undefined)
    return `Set ${variable}, or write \${${variable}:-default} in ${key}.`;
  if (reason.includes("neither 'command' nor 'url'"))
    return `Add 'command' for a local server or 'url' for a remote one, 'openapi' for an API, or 'skills' for a folder of skills, to ${key}.`;
  if (reason.includes("needs a 'command'")) return `Add 'command' to ${key}.`;
  return `Correct ${key} in the configuration file.`;
}

const unexpanded = /\$\{(?:[^$}]|\$(?!\{))*\}/;
/** Placeholders of other programs; an argument may be a script with its own. */
const placeholder =
  /\$\{(?:env|input|config|command|workspaceFolder|userHome)\b(?:[^$}]|\$(?!\{))*\}/;

export function checkEnvironment(definition: ServerDefinition): DoctorCheck {
  const { args, env, headers, auth, transport } = definition;
  const { token, clientSecret } = auth ?? {};
  const groups = Object.entries({ env, headers, auth: withoutUndefined({ token, clientSecret }) });
  const troubles = [
    ...groups.flatMap(([group, values]) =>
      Object.entries(values).flatMap(([name, value]) => troubleOf(`${group}.${name}`, name, value)),
    ),
    ...args.flatMap((value, index) =>
      placeholderTrouble(`args[${index}]`, placeholder.exec(value)?.[0]),
    ),
  ];
  const [first] = troubles;
  if (first)
    return failed("environment", troubles.map(({ detail }) => detail).join(" "), first.fix);
  const [what, variables] = transport === "stdio" ? ["'env'", env] : ["'headers'", headers];
  return passed("environment", `${what} sets ${Object.keys(variables).join(", ") || "nothing"}.`);
}

type Trouble = { detail: string; fix: string };

function troubleOf(key: string, name: string, value: string): Trouble[] {
  const isEmpty = /^\s*(?:(?:bearer|basic)\s*)?$/i.test(value);
  if (!isEmpty || !looksSecret(name)) {
    const isName = value === name && looksSecret(name);
    const text = unexpanded.exec(value)?.[0] ?? (isName ? value : findPlaceholder(value));
    return placeholderTrouble(key, text, /^[A-Z_][A-Z0-9_]*$/.test(name) ? name : "NAME");
  }
  return [{ detail: `${key} is empty.`, fix: `Give ${key} a value, or remove it.` }];
}

function placeholderTrouble(
  key: string,
  text: string | undefined,
  variableName = "NAME",
): Trouble[] {
  if (text === undefined) return [];
  const [, variable = variableName] = /^\$\{(?:env:)?([A-Za-z_]\w*)\}$/.exec(text) ?? [];
  const fix = `Replace ${text} in ${key} with its value, or with \${${variable}} and set that variable.`;
  return [{ detail: `${key} still contains ${text}, which nothing has filled in.`, fix }];
}
