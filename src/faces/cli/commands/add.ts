import { dirname, resolve } from "node:path";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { shellQuote } from "../../../lib/text/shell.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type {
  AddedOne,
  AddHooks,
  AskForm,
  SecretPlace,
  ServerUpdate,
} from "../../../model/config/adding.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { colors, print, printJson, printStatus, printWarning, show } from "../terminal/output.ts";
import { canBeAsked, fillForm, type Prompts, terminalPrompts } from "../terminal/questions.ts";
import { terminal } from "../terminal/terminal.ts";
import { openSetup } from "./config.ts";

type AddOptions = TextOptions<"name" | "via"> & {
  secrets?: SecretPlace;
  global?: boolean;
  project?: boolean;
  dryRun?: boolean;
  force?: boolean;
  env?: string[];
  header?: string[];
  set?: string[];
};

/** Exit code 1 where one of several was not added. */
export async function add(cli: Cli, what: string[], options: AddOptions): Promise<number> {
  const { name, via, dryRun, force, offline, secrets, json } = options;
  if (options.global && options.project)
    throw new PlaneError("USAGE", "Give either --user or --project.");
  const scope = options.global ? "user" : options.project ? "project" : undefined;
  const setup = await openSetup(cli, options);
  const isAsked = !json && canBeAsked();
  const added = await setup.addServers(
    what,
    withoutUndefined({
      name,
      via,
      dryRun,
      force,
      offline,
      scope,
      secrets: secrets ?? (isAsked ? undefined : "file"),
      env: single(pairs("env", options.env)),
      headers: single(pairs("header", options.header)),
      values: answers(pairs("set", options.set)),
    }),
    json ? {} : { onDraft: printIntended, ...(isAsked ? hooksOf(terminalPrompts) : {}) },
  );
  const all = [added, ...added.more];
  if (json) printJson(added);
  else for (const one of all) printAdded(one, dryRun === true);
  return dryRun || all.every(({ isWritten }) => isWritten) ? 0 : 1;
}

const secretPlaces: Readonly<Record<string, SecretPlace>> = {
  "in a file that only I can read": "file",
  "in the keychain": "keychain",
  "nowhere: I set the variable myself": "env",
};

export function hooksOf(prompts: Prompts): Pick<AddHooks, "ask" | "confirm" | "keep"> {
  return {
    ask: askFor(prompts),
    keep: async (server, names) =>
      (await askPlace(prompts, `Where is ${names.join(" and ")} of ${plainText(server)} kept?`)) ??
      "env",
    confirm: async (question) => (await prompts.confirm(plainText(question), false)) === true,
  };
}

/** Null where the person would rather not say. */
export async function askPlace(prompts: Prompts, question: string): Promise<SecretPlace | null> {
  const chosen = await prompts.choose(question, Object.keys(secretPlaces), true);
  return typeof chosen === "string" ? (secretPlaces[chosen] ?? null) : null;
}

/** What the server wants to know, field by field. */
export function askFor(prompts: Prompts): AskForm {
  return async (server, form) => {
    printStatus(`${colors.bold(server)} needs to know:`);
    const given = await fillForm(form, prompts);
    if (given === null) return null;
    return Object.fromEntries(
      Object.entries(given).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.map(String) : String(value),
      ]),
    );
  };
}

function printIntended({ name, kind, entry }: AddedOne): void {
  printStatus(`${colors.bold(name)} (${kind}) ${JSON.stringify(entry, null, 2)}`);
  printStatus(colors.dim(`Trying ${name} …`));
}

function printAdded(
  { name, kind, entry, file, isWritten, tools, ...rest }: AddedOne,
  isDryRun: boolean,
): void {
  const counted = tools === null ? "" : ` ${countOf(tools, "tool")}.`;
  const place = `${file} (${forWhom(file)})`;
  if (isDryRun)
    print(
      `${name} (${kind}) ${JSON.stringify(entry, null, 2)}\nWould be added to ${place}.${counted}`,
    );
  else if (!isWritten) printWarning(rest.problem ?? `'${name}' was not added.`);
  else
    print(
      `${colors.green("✔")} Added '${name}' to ${place}.${counted} Look at them: toolplane tools list --server ${shellQuote(name)}`,
    );
  if (isWritten && rest.problem !== null && !rest.needsSignIn)
    printWarning(`It does not answer yet: ${rest.problem}`);
  if (rest.needsSignIn) print(`It needs a sign-in: toolplane servers login ${shellQuote(name)}`);
  const unset = rest.variables.filter(({ isSet }) => !isSet).map((one) => one.name);
  if (unset.length > 0)
    print(
      `The entry refers to ${unset.join(" and ")}, and no value is kept. Set it where toolplane is started, name a file with --env-file FILE, or add it again with --secrets file or --secrets keychain.`,
    );
  for (const { name: secret, where } of rest.kept ?? []) print(`${secret} is kept in ${where}.`);
  for (const note of rest.notes) print(note);
  const others = rest.ways.filter(({ unusable }) => unusable === null);
  if (others.length > 1)
    print(colors.dim(`Offered by ${others.map(({ via }) => via).join(", ")}; choose with --via.`));
}

function forWhom(file: string): string {
  const isHere = dirname(resolve(file)) === resolve(terminal.directory());
  return isHere ? "for all who work in this directory" : "for you, in every directory";
}

function pairs(
  option: string,
  given: readonly string[] = [],
): Record<string, string[]> | undefined {
  if (given.length === 0) return undefined;
  const found: Record<string, string[]> = {};
  for (const pair of given) {
    const [, name, value] =
      (option === "header" ? /^([^=:]+)[=:]\s*(.*)$/s : /^([^=]+)=(.*)$/s).exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new PlaneError("USAGE", `Write it as --${option} NAME=value.`);
    found[name] = [...(found[name] ?? []), value];
  }
  return found;
}

/** Said once it is one value, said again it is a list. */
function answers(
  found: Record<string, string[]> | undefined,
): Record<string, string | string[]> | undefined {
  return (
    found &&
    Object.fromEntries(
      Object.entries(found).map(([key, all]) => [key, all.length > 1 ? all : all.join()]),
    )
  );
}

function single(found: Record<string, string[]> | undefined): Record<string, string> | undefined {
  return (
    found &&
    Object.fromEntries(Object.entries(found).map(([name, all]) => [name, all.at(-1) ?? ""]))
  );
}

export async function searchServers(
  cli: Cli,
  query: string,
  options: GlobalOptions & { limit?: number },
): Promise<void> {
  const { limit, offline } = options;
  const found = await (await openSetup(cli, options)).searchServers(
    query,
    withoutUndefined({ limit, offline }),
  );
  // An empty list of a registry that was not reached says nothing about what there is.
  if (found.servers.length === 0 && found.problems.length > 0)
    throw new PlaneError(
      "SERVER_UNAVAILABLE",
      `Nothing could be searched: ${found.problems.join(" ")}`,
      {
        data: { problems: found.problems },
      },
    );
  if (!options.json) for (const problem of found.problems) printWarning(problem);
  show(options, found, () => {
    if (found.servers.length === 0) return `No server whose name has '${query}' is known.`;
    const rows = found.servers.map(({ name, version, description, packages, remotes }) => {
      const kinds = [
        ...new Set([
          ...packages.map(({ kind }) => kind),
          ...(remotes.length > 0 ? ["remote"] : []),
        ]),
      ].join(", ");
      return `${colors.bold(name)} ${version} ${colors.dim(`(${kinds})`)}\n  ${description}`;
    });
    return [...rows, "", "Add one: toolplane add NAME"].join("\n");
  });
}

export async function updateServers(
  cli: Cli,
  name: string | undefined,
  options: GlobalOptions & { yes?: boolean },
): Promise<void> {
  const { yes: apply = false, offline } = options;
  const updates = await (await openSetup(cli, options)).updateServers(name, {
    apply,
    ...withoutUndefined({ offline }),
  });
  show(options, { updates }, () => {
    if (updates.length === 0) return "No server was added from a registry.";
    const isOpen = updates.some(
      ({ isNewer, isWritten, changes }) => isNewer && !isWritten && changes.length > 0,
    );
    return [
      ...updates.map(renderUpdate),
      ...(isOpen ? ["Write them: toolplane servers update --yes"] : []),
    ].join("\n");
  });
}

function renderUpdate({
  name,
  version,
  latest,
  isNewer,
  isWritten,
  changes,
  needs,
  notes,
}: ServerUpdate): string {
  const state = !isNewer
    ? `${version} is the newest`
    : isWritten
      ? `${version} → ${latest}, written`
      : `${version} → ${latest}`;
  return [
    `${colors.bold(name)} ${state}`,
    ...changes.flatMap(({ key, from, to }) => [
      `  ${key}`,
      ...(from === null ? [] : [colors.red(`  - ${from}`)]),
      ...(to === null ? [] : [colors.green(`  + ${to}`)]),
    ]),
    ...(needs.length > 0 ? [`  It needs ${needs.join(" and ")} now.`] : []),
    ...notes.map((note) => `  ${note}`),
  ].join("\n");
}
