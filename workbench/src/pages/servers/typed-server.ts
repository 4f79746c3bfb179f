import { type JsonObject, listOrEmpty, stringOrEmpty } from "../../../../src/model/json.ts";
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
export type FormServers = Pasted & { problem: string | null };
export const noServers: Pasted = { servers: [], leftOut: [] };

/** The server described by the form, once it is complete. */
export function fromForm({ name, kind, command, args, env, url, headers }: Form): FormServers {
  const isCommand = kind === "command";
  const problem = isCommand
    ? problemInPairs("Environment", env)
    : problemInPairs("Headers", headers);
  if (problem !== null) return { ...noServers, problem: problem };
  if (!isCommand && url.trim() !== "" && !/^(https?|wss?):\/\/./i.test(url.trim()))
    return { ...noServers, problem: "URL: must start with https://, http://, wss:// or ws://." };
  if (name.trim() === "" || (isCommand ? command : url).trim() === "")
    return { ...noServers, problem: null };
  const lines = args.split("\n").filter((line) => line !== "");
  const definition = isCommand
    ? {
        command: command.trim(),
        ...(lines.length > 0 && { args: lines }),
        ...readPairs("env", env),
      }
    : { url: url.trim(), ...readPairs("headers", headers) };
  return { servers: [{ name: name.trim(), definition }], leftOut: [], problem: null };
}

const pairPattern = /^\s*([^=\s]+)\s*=(.*)$/;

function problemInPairs(label: string, text: string): string | null {
  const wrongLine = text.split("\n").find((line) => line.trim() !== "" && !pairPattern.test(line));
  return wrongLine === undefined ? null : `${label}: '${wrongLine.trim()}' is not NAME=value.`;
}

function readPairs(key: string, text: string): Record<string, Record<string, string>> {
  const pairList = text.split("\n").flatMap((line) => {
    const [, name, value = ""] = pairPattern.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
  return pairList.length === 0 ? {} : { [key]: Object.fromEntries(pairList) };
}

/** What the form shows of an entry that is there already. */
export function formFrom({ command, args, env, url, headers }: JsonObject): Form {
  const linesOf = (value: unknown) => listOrEmpty(value).map(String).join("\n");
  const pairsOf = (value: unknown) => {
    if (typeof value !== "object" || value === null) return "";
    return Object.entries(value)
      .map(([key, inner]) => `${key}=${String(inner)}`)
      .join("\n");
  };
  return {
    name: "entry",
    kind: url === undefined ? "command" : "url",
    command: stringOrEmpty(command),
    args: linesOf(args),
    env: pairsOf(env),
    url: stringOrEmpty(url),
    headers: pairsOf(headers),
  };
}

/** The entry with what the form says; keys that it does not know stay. */
export function entryFrom(form: Form, entry: JsonObject): JsonObject {
  const { command: _c, args: _a, env: _e, url: _u, headers: _h, ...otherKeys } = entry;
  const [typedServer] = fromForm(form).servers;
  return typedServer === undefined
    ? entry
    : { ...(typedServer.definition as JsonObject), ...otherKeys };
}
