import type { JsonObject } from "../../../../src/model/json.ts";
import type { Pasted } from "./pasted-servers.ts";

export const emptyForm = {
  name: "",
  kind: "command",
  command: "",
  args: "",
  env: "",
  url: "",
  headers: "",
};
export type Form = typeof emptyForm;
export type Found = Pasted & { problem: string | null };
export const nothing: Pasted = { servers: [], left: [] };

/** The server described by the form, once it is complete. */
export function fromForm({ name, kind, command, args, env, url, headers }: Form): Found {
  const isCommand = kind === "command";
  const wrong = isCommand ? notPairs("Environment", env) : notPairs("Headers", headers);
  if (wrong !== null) return { ...nothing, problem: wrong };
  if (!isCommand && url.trim() !== "" && !/^(https?|wss?):\/\/./i.test(url.trim()))
    return { ...nothing, problem: "URL: must start with https://, http://, wss:// or ws://." };
  if (name.trim() === "" || (isCommand ? command : url).trim() === "")
    return { ...nothing, problem: null };
  const lines = args.split("\n").filter((line) => line !== "");
  const definition = isCommand
    ? {
        command: command.trim(),
        ...(lines.length > 0 ? { args: lines } : {}),
        ...pairs("env", env),
      }
    : { url: url.trim(), ...pairs("headers", headers) };
  return { servers: [{ name: name.trim(), definition }], left: [], problem: null };
}

const pair = /^\s*([^=\s]+)\s*=(.*)$/;

function notPairs(label: string, text: string): string | null {
  const wrong = text.split("\n").find((line) => line.trim() !== "" && !pair.test(line));
  return wrong === undefined ? null : `${label}: '${wrong.trim()}' is not NAME=value.`;
}

function pairs(key: string, text: string): Record<string, Record<string, string>> {
  const found = text.split("\n").flatMap((line) => {
    const [, name, value = ""] = pair.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
  return found.length === 0 ? {} : { [key]: Object.fromEntries(found) };
}

/** What the form shows of an entry that is there already. */
export function formFrom({ command, args, env, url, headers }: JsonObject): Form {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const lines = (value: unknown) => (Array.isArray(value) ? value.map(String).join("\n") : "");
  const paired = (value: unknown) =>
    typeof value === "object" && value !== null
      ? Object.entries(value)
          .map(([key, inner]) => `${key}=${String(inner)}`)
          .join("\n")
      : "";
  return {
    name: "entry",
    kind: url === undefined ? "command" : "url",
    command: text(command),
    args: lines(args),
    env: paired(env),
    url: text(url),
    headers: paired(headers),
  };
}

/** The entry with what the form says; keys that it does not know stay. */
export function entryFrom(form: Form, entry: JsonObject): JsonObject {
  const { command: _c, args: _a, env: _e, url: _u, headers: _h, ...rest } = entry;
  const [typed] = fromForm(form).servers;
  return typed === undefined ? entry : { ...(typed.definition as JsonObject), ...rest };
}
