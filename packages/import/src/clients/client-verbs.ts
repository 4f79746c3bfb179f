import { dirname, join } from "node:path";
import {
  addServerEntry,
  isConfiguredByVariables,
  lastingProgram,
  newFile,
  noConfigFound,
  projectFiles,
  readServerEntries,
  type SetupPlace,
  userFiles,
} from "@toolplane/core/config/editing";
import {
  type ClientConnection,
  type ClientScope,
  type ConnectOptions,
  type ImportOptions,
  type ImportReport,
  projectLines,
} from "@toolplane/core/model/config/setup";
import { PlaneError } from "@toolplane/core/model/errors";
import { hasProjectScope, isInstalled } from "./client-files.ts";
import { isWrittenAs, type SecretsReport, withoutSecrets } from "./client-secrets.ts";
import { type ClientName, clientOf, knownClient } from "./clients.ts";
import { connectClient } from "./connect-client.ts";
import { findClientServers, isClient, launchOf } from "./import-clients.ts";

export async function connect(
  setup: SetupPlace,
  client: string,
  {
    scope: requestedScope,
    file,
    keep = false,
    dryRun = false,
    secrets = "file",
  }: ConnectOptions = {},
): Promise<ClientConnection> {
  const { directory, dataDirectory, environment, program, where, fileAt } = setup;
  const configFiles = setup.present();
  // A client that starts the gateway without a valid configuration would only see it fail.
  const trust = configFiles.length > 0 ? (await setup.load()).trust : null;
  const preferredScope = defaultScope(setup, client, configFiles);
  const scope = requestedScope ?? preferredScope;
  const isOpen = trust !== null && projectLines(trust).some(({ inForce }) => !inForce);
  if (isOpen && (scope === "user" || !dryRun)) throw notTrusted();
  const into = file === undefined ? defaultConfiguration(setup, configFiles, scope) : fileAt(file);
  const isHere = (path: string) => dirname(path) === directory && directory !== where.home;
  const lasting = lastingProgram(program, { dataDirectory, environment, platform: where.platform });
  const [command, ...args] = lasting.program;
  // Asked before a lock makes the client's folder.
  const isInstalledHere = isInstalled(knownClient(client), where);
  const report = await connectClient(client, where, {
    scope,
    keep,
    dryRun,
    secrets,
    into,
    files: configFiles,
    workspace: scope === "project" || isHere(into) ? directory : null,
    isForAll: userFiles(environment).includes(into),
    gateway(config) {
      if (config.length === 0 && !isConfiguredByVariables(environment)) {
        if (!isInstalledHere) throw notHere(knownClient(client));
        noConfigFound(directory, environment);
      }
      if (!dryRun) lasting.prepare();
      return { command, args: [...args, "mcp", ...config.flatMap((path) => ["--config", path])] };
    },
  });
  return { ...report, isForEveryProject: scope === "user" && report.config.some(isHere) };
}

/** The project's file of the client, where the project has a configuration. */
function defaultScope(
  { files, directory, where }: SetupPlace,
  client: string,
  configFiles: readonly string[],
): ClientScope {
  if (files.length > 0 || directory === where.home) return "user";
  const isConfigured = projectFiles(directory).some((path) => configFiles.includes(path));
  return isConfigured && hasProjectScope(knownClient(client)) ? "project" : "user";
}

/** The configuration that takes the servers of a client, where none is named. */
function defaultConfiguration(
  { files, directory, environment }: SetupPlace,
  configFiles: readonly string[],
  scope: ClientScope,
): string {
  const ofUser = scope === "project" ? [] : userFiles(environment);
  const candidates = [...projectFiles(directory), ...ofUser];
  const existing =
    files.length > 0 ? configFiles.at(-1) : candidates.find((path) => configFiles.includes(path));
  if (existing !== undefined) return existing;
  return scope === "project" ? join(directory, newFile) : (ofUser[0] ?? newFile);
}

function notHere(client: ClientName): PlaneError {
  const message = `${clientOf(client).title} is not on this machine, and there is no configuration to connect it with. 'toolplane connect' lists the clients that are here.`;
  return new PlaneError("USAGE", message, { data: { client } });
}

/** The client names the files from then on, and so starts what a person has not looked at. */
function notTrusted(): PlaneError {
  const remedy =
    "Look at them with 'toolplane trust' first, or name the files that you want with --config.";
  return new PlaneError("USAGE", `The files of this project are not trusted yet. ${remedy}`);
}

export async function importClients(
  { directory, where, environment, load, fileAt }: SetupPlace,
  clients: readonly string[],
  { dryRun, file, files = false, secrets = "file" }: ImportOptions,
): Promise<ImportReport & { ofUser: string[] }> {
  // Its extensions may know a file that we do not; what is wrong with it is no matter of the import.
  if (files && clients.some((name) => !isClient(name))) await load().catch(() => null);
  const path = file === undefined ? join(directory, newFile) : fileAt(file);
  const { servers, ...report } = findClientServers(clients, where, files);
  const { skipped } = report;
  const present = readServerEntries(path);
  const imported: string[] = [];
  const secretsReport: SecretsReport = {
    secrets: [],
    variables: report.variables,
    holdSecrets: [],
  };
  const launches: ImportReport["launches"] = [];
  for (const { name, definition } of servers) {
    const namesake = present.find((server) => server.name === name);
    const isPresent =
      namesake !== undefined && (await isWrittenAs(namesake, definition, environment));
    try {
      if (isPresent) {
        skipped.push({ name, reason: `${path} has it already` });
        continue;
      }
      // No secret is kept for one that is refused because another has its name.
      const isRefused = namesake !== undefined && !dryRun;
      const keeping = { secrets, dryRun, environment };
      const entry = isRefused
        ? definition
        : await withoutSecrets(name, definition, secretsReport, keeping);
      if (!dryRun) await addServerEntry(path, name, entry);
      imported.push(name);
      launches.push({ name, launch: launchOf(entry) });
    } catch (thrown) {
      if (!(thrown instanceof PlaneError)) throw thrown;
      skipped.push({ name, reason: thrown.message });
    }
  }
  const isImported = (server: string) => imported.includes(server);
  return {
    ...report,
    imported,
    launches,
    secrets: secretsReport.secrets,
    // What another client's file of this project names waits for trust like the project's own.
    ofUser: servers
      .filter(({ name, scope }) => isImported(name) && scope === "user")
      .map(({ name }) => name),
    holdSecrets: secretsReport.holdSecrets,
    path: dryRun || imported.length === 0 ? null : path,
    renamed: report.renamed.filter(({ name }) => isImported(name)),
    translated: report.translated.filter(({ server }) => isImported(server)),
    variables: report.variables.filter(({ servers: users }) => users.some(isImported)),
  };
}
