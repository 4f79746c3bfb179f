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
import {
  colors,
  joinLines,
  print,
  printJson,
  printStatus,
  printWarning,
  show,
} from "../terminal/output.ts";
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
  let scope: "user" | "project" | undefined;
  if (options.project) scope = "project";
  if (options.global) scope = "user";
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
    json ? {} : { onDraft: printIntended, ...(isAsked && hooksOf(terminalPrompts)) },
  );
  const outcomes = [added, ...added.more];
  if (json) printJson(added);
  else for (const server of outcomes) printAdded(server, dryRun === true);
  return dryRun || outcomes.every(({ isWritten }) => isWritten) ? 0 : 1;
}

const placesByAnswer: Readonly<Record<string, SecretPlace>> = {
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
  const chosen = await prompts.choose(question, Object.keys(placesByAnswer), true);
  if (typeof chosen !== "string") return null;
  return placesByAnswer[chosen] ?? null;
}

/** What the server wants to know, field by field. */
export function askFor(prompts: Prompts): AskForm {
  return async (server, form) => {
    printStatus(`${colors.bold(server)} needs to know:`);
    const filledIn = await fillForm(form, prompts);
    if (filledIn === null) return null;
    return Object.fromEntries(
      Object.entries(filledIn).map(([key, value]) => [
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
  { name, kind, entry, file, isWritten, tools, ...addition }: AddedOne,
  isDryRun: boolean,
): void {
  const toolCount = tools === null ? "" : ` ${countOf(tools, "tool")}.`;
  const destination = `${file} (${forWhom(file)})`;
  if (isDryRun)
    print(
      `${name} (${kind}) ${JSON.stringify(entry, null, 2)}\nWould be added to ${destination}.${toolCount}`,
    );
  else if (!isWritten) printWarning(addition.problem ?? `'${name}' was not added.`);
  else
    print(
      `${colors.green("✔")} Added '${name}' to ${destination}.${toolCount} Look at them: toolplane tools list --server ${shellQuote(name)}`,
    );
  if (isWritten && addition.problem !== null && !addition.needsSignIn)
    printWarning(`It does not answer yet: ${addition.problem}`);
  if (addition.needsSignIn)
    print(`It needs a sign-in: toolplane servers login ${shellQuote(name)}`);
  const unset = addition.variables.filter(({ isSet }) => !isSet).map((variable) => variable.name);
  if (unset.length > 0)
    print(
      `The entry refers to ${unset.join(" and ")}, and no value is kept. Set it where toolplane is started, name a file with --env-file FILE, or add it again with --secrets file or --secrets keychain.`,
    );
  for (const { name: secret, where } of addition.kept ?? [])
    print(`${secret} is kept in ${where}.`);
  for (const note of addition.notes) print(note);
  const usableWays = addition.ways.filter(({ unusable }) => unusable === null);
  if (usableWays.length > 1)
    print(
      colors.dim(`Offered by ${usableWays.map(({ via }) => via).join(", ")}; choose with --via.`),
    );
}

function forWhom(file: string): string {
  const isHere = dirname(resolve(file)) === resolve(terminal.directory());
  return isHere ? "for all who work in this directory" : "for you, in every directory";
}

function pairs(
  option: string,
  options: readonly string[] = [],
): Record<string, string[]> | undefined {
  if (options.length === 0) return undefined;
  const valuesByName: Record<string, string[]> = {};
  const pattern = option === "header" ? /^([^=:]+)[=:]\s*(.*)$/s : /^([^=]+)=(.*)$/s;
  for (const pair of options) {
    const [, name, value] = pattern.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new PlaneError("USAGE", `Write it as --${option} NAME=value.`);
    valuesByName[name] = [...(valuesByName[name] ?? []), value];
  }
  return valuesByName;
}

/** Said once it is one value, said again it is a list. */
function answers(
  valuesByName: Record<string, string[]> | undefined,
): Record<string, string | string[]> | undefined {
  return (
    valuesByName &&
    Object.fromEntries(
      Object.entries(valuesByName).map(([key, values]) => [
        key,
        values.length > 1 ? values : values.join(),
      ]),
    )
  );
}

function single(
  valuesByName: Record<string, string[]> | undefined,
): Record<string, string> | undefined {
  return (
    valuesByName &&
    Object.fromEntries(
      Object.entries(valuesByName).map(([name, values]) => [name, values.at(-1) ?? ""]),
    )
  );
}

export async function searchServers(
  cli: Cli,
  query: string,
  options: GlobalOptions & { limit?: number },
): Promise<void> {
  const { limit, offline } = options;
  const search = await (await openSetup(cli, options)).searchServers(
    query,
    withoutUndefined({ limit, offline }),
  );
  // An empty list of a registry that was not reached says nothing about what there is.
  if (search.servers.length === 0 && search.problems.length > 0)
    throw new PlaneError(
      "SERVER_UNAVAILABLE",
      `Nothing could be searched: ${search.problems.join(" ")}`,
      {
        data: { problems: search.problems },
      },
    );
  if (!options.json) for (const problem of search.problems) printWarning(problem);
  show(options, search, () => {
    if (search.servers.length === 0) return `No server whose name has '${query}' is known.`;
    const rows = search.servers.map(({ name, version, description, packages, remotes }) => {
      const kinds = new Set<string>(packages.map(({ kind }) => kind));
      if (remotes.length > 0) kinds.add("remote");
      const kindText = colors.dim(`(${[...kinds].join(", ")})`);
      return `${colors.bold(name)} ${version} ${kindText}\n  ${description}`;
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
    return joinLines(
      updates.map(renderUpdate),
      isOpen && "Write them: toolplane servers update --yes",
    );
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
  const update = `${version} → ${latest}${isWritten ? ", written" : ""}`;
  return joinLines(
    `${colors.bold(name)} ${isNewer ? update : `${version} is the newest`}`,
    changes.map(({ key, from, to }) =>
      joinLines(
        `  ${key}`,
        from !== null && colors.red(`  - ${from}`),
        to !== null && colors.green(`  + ${to}`),
      ),
    ),
    needs.length > 0 && `  It needs ${needs.join(" and ")} now.`,
    notes.map((note) => `  ${note}`),
  );
}
