import { looksSecret } from "../../lib/looks-secret.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { failed, passed, type Trouble } from "./check.ts";

type Field = { key: string; name: string; value: string };

/** What stands for a value and was not replaced by one. */
const unexpanded = /\$\{[^}]*\}/;
/** An argument may be a script of its own; these are the placeholders of other programs' configurations. */
const placeholder = /\$\{(?:env|input|config|command|workspaceFolder|userHome)\b[^}]*\}/;

/** Is everything that the server is given filled in? */
export function checkEnvironment(definition: ServerDefinition): DoctorCheck {
  const given = fieldsOf(definition);
  const troubles = [
    ...given.flatMap((field) => troubleOf(field)),
    ...definition.args.flatMap((value, at) =>
      placeholderTrouble(`args[${at}]`, placeholder.exec(value)?.[0]),
    ),
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
  const [what, names] =
    transport === "stdio" ? ["'env'", Object.keys(env)] : ["'headers'", Object.keys(headers)];
  return names.length === 0 ? `${what} sets nothing.` : `${what} sets ${names.join(", ")}.`;
}
