import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { openSetup } from "./config.ts";
import { print, printJson } from "./output.ts";

export type AddOptions = GlobalOptions & {
  command?: string;
  url?: string;
  env?: string[];
  header?: string[];
  to?: string;
};

export async function addServer(cli: Cli, name: string, args: string[], options: AddOptions): Promise<void> {
  const [command, ...rest] = args;
  if (name.trim() === "") throw usage("A server needs a name.");
  if ((command === undefined) === (options.url === undefined)) {
    throw usage("Give either --url URL, or a command after --, as in: servers add files -- npx -y some-server");
  }
  requireUrl(options.url);
  if (command !== undefined && looksLikeUrl.test(command)) {
    requireUrl(command);
    throw usage(`'${command}' is a URL, not a command: servers add ${name} --url ${command}`);
  }
  const definition: JsonObject = {
    ...(options.url === undefined ? {} : { url: options.url }),
    ...(command === undefined ? {} : { command, ...(rest.length > 0 ? { args: rest } : {}) }),
    ...pairs("env", options.env),
    ...pairs("headers", options.header),
  };
  const done = await (await openSetup(cli, options)).addServer(name, definition, options.to);
  if (options.json) printJson(done);
  else print(`Added '${name}' to ${done.path}. Try it: toolplane doctor ${name}`);
}

export async function removeServer(cli: Cli, name: string, options: GlobalOptions & { to?: string }): Promise<void> {
  const done = await (await openSetup(cli, options)).removeServer(name, options.to);
  if (options.json) printJson(done);
  else print(`Removed '${name}' from ${done.path}.`);
}

/** A scheme of two letters or more; one letter is a drive of Windows. */
const looksLikeUrl = /^[a-z][a-z0-9+.-]+:\//i;

function requireUrl(url: string | undefined): void {
  if (url === undefined || (/^(https?|wss?):\/\/./i.test(url) && URL.canParse(url))) return;
  throw usage(`'${url}' is not a URL; start it with http:// or https://`);
}

function pairs(key: string, given: readonly string[] = []): JsonObject {
  if (given.length === 0) return {};
  const wrong = given.find((pair) => !/^[^=]+=/.test(pair));
  if (wrong !== undefined) throw usage(`'${wrong}' is not NAME=value.`);
  return {
    [key]: Object.fromEntries(given.map((pair) => [pair.split("=")[0] ?? "", pair.slice(pair.indexOf("=") + 1)])),
  };
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", message);
}
