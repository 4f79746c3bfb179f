import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { shellQuote } from "../../../lib/text/shell.ts";
import type { SecretPlace } from "../../../model/config/adding.ts";
import type {
  ClientConnection,
  ClientDisconnection,
  ClientScope,
  ClientStatus,
  NeededVariable,
  Setup,
  TranslatedReference,
} from "../../../model/config/setup.ts";
import { projectLines } from "../../../model/config/setup.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { colors, print, printJson, printWarning, renderTable } from "../terminal/output.ts";
import { confirm, isCancel, multiselect } from "../terminal/prompts.ts";
import { canBeAsked, terminalPrompts } from "../terminal/questions.ts";
import { Interrupted, terminal } from "../terminal/terminal.ts";
import { askPlace } from "./add.ts";
import { openSetup } from "./config.ts";
import { showAndAsk } from "./trust.ts";

type ScopeOptions = { project?: boolean; global?: boolean };

type ConnectFlags = GlobalOptions &
  ScopeOptions & {
    keep?: boolean;
    dryRun?: boolean;
    to?: string;
    yes?: boolean;
    secrets?: SecretPlace;
  };

export async function importClients(
  cli: Cli,
  clients: readonly string[],
  options: GlobalOptions & { dryRun?: boolean; to?: string; secrets?: SecretPlace },
): Promise<void> {
  const setup = await openSetup(cli, options);
  const { dryRun = false, to: file } = options;
  const importOptions = { files: true, ...withoutUndefined({ file, secrets: options.secrets }) };
  const asks = canBeAsked() && !options.json && !dryRun && options.secrets === undefined;
  let secrets: SecretPlace | null | undefined;
  if (asks) {
    const planned = await setup.importClients(clients, { ...importOptions, dryRun: true });
    secrets = await askForSecrets(planned);
  }
  if (secrets === null) return print("Nothing was imported.");
  const report = await setup.importClients(clients, {
    ...importOptions,
    dryRun,
    ...withoutUndefined({ secrets }),
  });
  if (options.json) return printJson(report);
  if (report.found.length === 0) return print(nothingFound(await setup.clients(), clients));
  print(
    renderTable(
      ["CLIENT", "SERVERS", "FILE"],
      report.found.map(({ client, path, servers }) => [client, servers.join(", ") || "-", path]),
    ),
  );
  for (const [reason, skipped] of Map.groupBy(report.skipped, (server) => server.reason))
    print(`${colors.yellow("skipped")} ${skipped.map(({ name }) => name).join(", ")}: ${reason}`);
  for (const { name, client, from } of report.renamed)
    print(
      `${colors.yellow("renamed")} ${from} of ${client} is ${name}: another server has that name`,
    );
  printTranslated(report);
  printSecrets(report, report.path === null);
  if (report.imported.length === 0) return print("Nothing was imported.");
  const names = report.imported.join(", ");
  if (report.path === null) print(`Would import: ${names}`);
  else print(`${colors.green("✔")} Imported ${names} into ${report.path}`);
  printLaunches(report.launches);
  if (report.path === null) return;
  print(
    `Next: ${colors.bold("toolplane connect CLIENT")} makes Toolplane the client's one server.`,
  );
}

export async function connectClient(
  cli: Cli,
  client: string | undefined,
  options: ConnectFlags,
): Promise<void> {
  const setup = await openSetup(cli, options);
  if (client === undefined) return listClients(await setup.clients(), options);
  const { keep = false, to: file } = options;
  const connectOptions = {
    keep,
    ...scopeOf(options),
    ...withoutUndefined({ file, secrets: options.secrets }),
  };
  let secrets: SecretPlace | undefined;
  await showProject(setup, options);
  const asks =
    terminal.stdin.isTTY === true &&
    terminal.stderr.isTTY === true &&
    !options.yes &&
    !options.json &&
    !options.dryRun;
  if (asks || options.dryRun) {
    const changes = await setup.connectClient(client, { ...connectOptions, dryRun: true });
    if (options.json) return printJson(changes);
    if (!changes.isChanged) return print(unchanged(changes));
    showChanges(changes);
    if (options.dryRun) return print("Nothing was changed.");
    const answer = await terminalPrompts.confirm("Change these files?", true);
    const secretPlace =
      answer === true && options.secrets === undefined ? await askForSecrets(changes) : undefined;
    if (answer !== true || secretPlace === null)
      return print(
        `Nothing was changed. ${colors.dim("--keep leaves the servers in the client.")}`,
      );
    secrets = secretPlace;
  }
  const connection = await setup.connectClient(client, {
    ...connectOptions,
    dryRun: false,
    ...withoutUndefined({ secrets }),
  });
  if (options.json) return printJson(connection);
  if (!connection.isChanged) return print(unchanged(connection));
  printConnected(connection, asks);
}

/** One question for all of them; undefined where there are none, null where the person would rather not say. */
async function askForSecrets({ secrets }: SecretsFound): Promise<SecretPlace | null | undefined> {
  if (secrets.length === 0) return undefined;
  const names = secrets.map(({ server, name }) => plainText(`${name} of ${server}`));
  return askPlace(
    terminalPrompts,
    `${names.join(", ")}: ${names.length === 1 ? "a secret" : "secrets"} in clear. Kept where?`,
  );
}

/** A client would start what the project's files name: the person sees that before anything is written. */
async function showProject(
  setup: Setup,
  { config = [], dryRun, json, yes }: ConnectFlags,
): Promise<void> {
  // Files that are named are trusted, and one that cannot be read is reported by what comes next.
  if (config.length > 0) return;
  const trust = await setup.trust.show().catch(() => null);
  if (trust === null || json) return;
  const untrusted = projectLines(trust).filter(({ trusted }) => !trusted);
  if (untrusted.length === 0) return;
  const isTrusted = await showAndAsk(setup, untrusted, !dryRun && !yes);
  if (isTrusted || dryRun) return;
  const remedy = "Trust it with 'toolplane trust', or name the files that you want with --config";
  throw new PlaneError(
    "USAGE",
    `Nothing was changed, because this project is not trusted. ${remedy}.`,
  );
}

export async function disconnectClient(
  cli: Cli,
  client: string,
  options: GlobalOptions & ScopeOptions & { remove?: boolean },
): Promise<void> {
  const setup = await openSetup(cli, options);
  const disconnection = await setup.disconnectClient(client, {
    ...scopeOf(options),
    remove: options.remove ?? false,
  });
  if (options.json) return printJson(disconnection);
  printDisconnected(disconnection, options.remove ?? false);
}

function scopeOf({ project, global }: ScopeOptions): { scope?: ClientScope } {
  if (project && global) throw new PlaneError("USAGE", "Choose one of --project and --global.");
  if (project) return { scope: "project" };
  return global ? { scope: "user" } : {};
}

function nothingFound(clients: readonly ClientStatus[], named: readonly string[]): string {
  const names = clients.map(({ client }) => client).join(", ");
  if (named.length > 0) return `${named.join(", ")}: no servers found.`;
  return `No servers found in the files of the clients that Toolplane knows: ${names}.`;
}

function listClients(clients: readonly ClientStatus[], { json }: GlobalOptions): void {
  if (json) return printJson({ clients });
  const present = clients.filter(({ isInstalled, files }) => isInstalled || files.length > 0);
  const rows = present.map(({ client, title, connected, files }) => {
    const servers = [...new Set(files.flatMap((file) => file.servers))];
    const connections = connected.map(
      ({ scope, config }) => `${scope}: ${config.join(", ") || "its default files"}`,
    );
    return [client, title, servers.join(", ") || "-", connections.join("; ") || "no"];
  });
  if (present.length > 0)
    print(renderTable(["CLIENT", "NAME", "ITS OWN SERVERS", "CONNECTED"], rows));
  const missing = clients.filter((client) => !present.includes(client)).map(({ client }) => client);
  if (missing.length > 0) print(colors.dim(`Not found on this machine: ${missing.join(", ")}`));
  if (present.length > 0)
    print("See what connecting would change: toolplane connect CLIENT --dry-run");
}

function unchanged({ title, path }: ClientConnection): string {
  return `${title} is connected already (${path}). Nothing was changed.`;
}

/** The change of each file, line by line: `+` comes in, `-` goes out, `=` stays. */
function showChanges(connection: ClientConnection): void {
  const { path, server, moved, into, title } = connection;
  print(colors.bold(path));
  const launch = [
    server.command ?? server.cmd ?? server.url ?? server.serverUrl,
    server.args,
  ].flat();
  print(colors.green(`  + toolplane: ${launch.filter((part) => part !== undefined).join(" ")}`));
  print(colors.dim(`    ${forWhom(connection)}`));
  for (const { name } of moved) print(colors.red(`  - ${name}`));
  for (const { name, reason } of connection.kept) print(`  = ${name}: ${reason}`);
  if (into !== null) print(colors.bold(into));
  for (const { name, as, isNew } of moved) {
    const originNote = as === name ? "" : ` (${name} of ${title}; another server has that name)`;
    if (isNew) print(colors.green(`  + ${as}${originNote}`));
    else print(`  = ${as}${originNote}: there already`);
  }
  printLaunches(startedBy(connection));
  printTranslated(connection);
  printSecrets(connection, true);
  printWarnings(connection);
}

function forWhom({ scope, title }: ClientConnection): string {
  if (scope === "project") return `for all who open this project with ${title}`;
  return `for you, in every project that you open with ${title}`;
}

function startedBy({ moved }: ClientConnection): { name: string; launch: string }[] {
  return moved.map(({ as: name, launch }) => ({ name, launch }));
}

/** What Toolplane may start or reach from now on. */
function printLaunches(launches: readonly { name: string; launch: string }[], indent = ""): void {
  if (launches.length > 0) print(`${indent}Toolplane may start or reach:`);
  for (const { name, launch } of launches) print(`${indent}  ${colors.bold(name)}: ${launch}`);
}

function printConnected(connection: ClientConnection, wasShown: boolean): void {
  const { title, client, path, into, moved, backup, config } = connection;
  const command = `toolplane disconnect ${client}`;
  print(
    `${colors.green("✔")} ${title} uses Toolplane with ${config.join(", ")}. Restart ${title} to take effect.`,
  );
  print(`  written: ${path} (${forWhom(connection)})`);
  if (moved.length > 0) print(`  moved into ${into}: ${moved.map(renamedName).join(", ")}`);
  if (!wasShown)
    for (const { name, reason } of connection.kept)
      print(`  stays in ${title}: ${name} (${reason})`);
  if (!wasShown) printLaunches(startedBy(connection), "  ");
  if (!wasShown) printTranslated(connection);
  printSecrets(wasShown ? { ...connection, holdSecrets: [] } : connection, false);
  if (!wasShown) printWarnings(connection);
  if (backup !== null) print(colors.dim(`  backup: ${backup}`));
  print(colors.dim(`  undo: ${command}`));
}

function renamedName({ name, as, isNew }: ClientConnection["moved"][number]): string {
  const called = as === name ? name : `${name} as ${as}`;
  return isNew ? called : `${called} (was there)`;
}

function printWarnings({
  title,
  client,
  path,
  replaces,
  leftBehind,
  config,
  isForEveryProject,
  elsewhere,
}: ClientConnection): void {
  if (replaces !== null) {
    const configBefore = replaces.join(", ") || "its default files";
    printWarning(`${path} pointed to ${configBefore}; it points to ${config.join(", ")} now.`);
  }
  for (const [file, servers] of Map.groupBy(leftBehind, (server) => server.path))
    printWarning(
      `${title} does not reach ${servers.map(({ name }) => name).join(", ")} any longer: they were moved into ${file} earlier.`,
    );
  if (isForEveryProject)
    printWarning(
      `${path} counts in every project, and it starts Toolplane with the configuration of this directory.`,
    );
  for (const file of elsewhere)
    printWarning(
      `${title} still starts servers from ${file.path}: ${file.servers.join(", ")}. ${remedy(client, file.scope)}`,
    );
}

function remedy(client: string, scope: ClientScope | null): string {
  if (scope === null)
    return "Toolplane leaves those alone; take them out there if you want them here.";
  return `Move those too: toolplane connect ${client} ${scope === "user" ? "--global" : "--project"}`;
}

type SecretsFound = Pick<ClientConnection, "secrets" | "holdSecrets">;

/** Never the secret itself. */
function printSecrets({ secrets, holdSecrets }: SecretsFound, isPlanned: boolean): void {
  for (const { server, name, where } of secrets) {
    if (where !== null) print(`${colors.cyan("secret")} ${name} of ${server} is kept in ${where}`);
    else if (isPlanned) print(`${colors.cyan("secret")} ${name} of ${server} ${planned}`);
    else
      print(
        `${colors.yellow("secret")} ${name} of ${server} is not kept, and the entry refers to a variable`,
      );
  }
  for (const name of holdSecrets)
    printWarning(
      `'${name}' brings a secret in clear; a reference such as \${TOKEN} or \${keychain:service/account} is safer.`,
    );
}

const planned =
  "stands in clear: it would go into a file that only you can read, or where --secrets says";

function printTranslated(report: {
  translated: TranslatedReference[];
  variables: NeededVariable[];
}): void {
  for (const { server, from, to } of report.translated)
    print(`${colors.cyan("translated")} ${server}: ${from} → ${to}`);
  for (const { name, servers, description, isSet } of report.variables) {
    if (isSet) continue;
    const purpose = description === null ? "" : ` (${description})`;
    print(
      `${colors.yellow("set")} the variable ${name}${purpose}: ${servers.join(", ")} ${servers.length === 1 ? "needs" : "need"} it`,
    );
  }
}

const outcomes: Readonly<Record<ClientDisconnection["outcome"], string>> = {
  restored: "is byte for byte as it was before",
  merged: "no longer contains Toolplane; your later changes stay",
  deleted: "was made for Toolplane and is gone",
};

function printDisconnected(done: ClientDisconnection, isRemoving: boolean): void {
  const { title, path, outcome, returned, missing, backup, stays, removed, alsoConnected } = done;
  print(
    `${colors.green("✔")} ${title}: ${path} ${outcomes[outcome]}. Restart ${title} to take effect.`,
  );
  if (returned.length > 0) print(`  back in ${title}: ${returned.join(", ")}`);
  for (const { name, reason } of missing)
    print(`  ${colors.yellow("not back")} ${name}: ${reason}`);
  for (const { name, path: from } of removed) print(`  removed from ${from}: ${name}`);
  const stayingNames = stays.map(({ name }) => name).join(", ");
  if (stayingNames !== "" && isRemoving)
    print(`  not removed, because connect did not add it or it was edited since: ${stayingNames}`);
  else if (stayingNames !== "")
    print(
      `  still in Toolplane too: ${stayingNames} ${colors.dim("(take one out: toolplane servers remove NAME)")}`,
    );
  if (backup !== null)
    print(`  backup kept, because comments or entries are only there: ${backup}`);
  for (const file of alsoConnected) print(`  still connected: ${file}`);
}

/** Need no key, no network and no file. 'toolplane' is started as this very program, installed or not. */
export const bundledServers: Record<"demo" | "planner", JsonObject> = {
  demo: { command: "toolplane", args: ["demo"], description: "Comes with Toolplane" },
  planner: {
    command: "toolplane",
    args: ["planner"],
    description: "Comes with Toolplane: plans tasks with the tools there are",
    lazy: true,
    trusted: true,
    inject_options: { exclude_self: true },
  },
};

type InitOptions = GlobalOptions & { force?: boolean; to: string; yes?: boolean };

type Choice = { servers: Record<string, JsonObject>; takeOver: boolean };

/** Servers that work anywhere, to start with. */
const suggestions: Record<string, JsonObject> = {
  ...bundledServers,
  filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
};

const hints: Record<string, string> = {
  demo: "greetings, sums and notes, to try things on",
  planner: "plans tasks with the tools there are; starts when it is asked",
  filesystem: "reads and writes files in this directory; npx fetches it",
  memory: "a small knowledge graph; npx fetches it",
};

export async function init(cli: Cli, options: InitOptions): Promise<void> {
  const setup = await openSetup(cli, options);
  const asks = canBeAsked() && !options.yes && !options.json;
  const unasked: Choice = { servers: bundledServers, takeOver: false };
  const { servers, takeOver } = asks ? await ask(setup) : unasked;
  const written = await setup.init({ file: options.to, force: options.force ?? false, servers });
  if (options.json) return printJson(written);
  print(`${colors.green("✔")} Wrote ${written.path}`);
  if (takeOver) {
    const { imported } = await setup.importClients([], { dryRun: false, file: written.path });
    print(`${colors.green("✔")} Imported ${imported.join(", ")}`);
  }
  // A file of another name is found by no command.
  const isFound = [
    undefined,
    "toolplane.json",
    "toolplane.yaml",
    "toolplane.yml",
    ".mcp.json",
  ].includes(options.to);
  const flag = isFound ? "" : ` --config ${shellQuote(options.to ?? "")}`;
  print(
    `Next: ${colors.bold(`toolplane tools list${flag}`)}, then ${colors.bold(`toolplane serve --open${flag}`)}`,
  );
}

async function ask(setup: Setup): Promise<Choice> {
  const orInterrupt = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new Interrupted("SIGINT");
    return answer as Exclude<T, symbol>;
  };
  const report = await setup.importClients([], { dryRun: true });
  const clients = report.found.filter(({ servers }) => servers.length > 0);
  const summary = clients
    .map(({ client, servers }) => `${client} (${servers.join(", ")})`)
    .join(", ");
  const takeOver =
    clients.length > 0 &&
    orInterrupt(await confirm({ message: `Take over the servers of ${summary}?` }));
  const chosen = orInterrupt(
    await multiselect({
      message: "Which servers do you want to start with?",
      options: Object.keys(suggestions).map((name) => ({
        value: name,
        label: name,
        ...withoutUndefined({ hint: hints[name] }),
      })),
      initialValues: takeOver ? [] : Object.keys(bundledServers),
      required: false,
    }),
  );
  return {
    servers: Object.fromEntries(
      Object.entries(suggestions).filter(([name]) => chosen.includes(name)),
    ),
    takeOver,
  };
}
