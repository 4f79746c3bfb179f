import type { ClientConnection, Setup } from "../../model/setup.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { openSetup } from "./config.ts";
import { print, printJson, printWarning, renderTable, say } from "./output.ts";

export async function importClients(
  cli: Cli,
  clients: readonly string[],
  options: GlobalOptions & { dryRun?: boolean; to?: string },
): Promise<void> {
  const setup = await openSetup(cli, options);
  const report = await setup.importClients(clients, {
    dryRun: options.dryRun ?? false,
    ...(options.to === undefined ? {} : { file: options.to }),
  });
  if (options.json) return printJson(report);
  if (report.found.length === 0)
    return print(`Nothing found. Known clients: ${(await setup.clients()).join(", ")}.`);
  print(
    renderTable(
      ["CLIENT", "SERVERS", "FILE"],
      report.found.map(({ client, path, servers }) => [client, servers.join(", ") || "-", path]),
    ),
  );
  for (const { name, reason } of report.skipped) print(`${colors.yellow("skipped")} ${name}: ${reason}`);
  for (const name of report.holdSecrets) {
    printWarning(
      `'${name}' brings a secret in clear; a reference such as \${TOKEN} or \${keychain:service/account} is safer.`,
    );
  }
  if (report.imported.length === 0) return print("Nothing was imported.");
  const names = report.imported.join(", ");
  print(
    report.path === null
      ? `Would import: ${names}`
      : `${colors.green("✔")} Imported ${names} into ${report.path}`,
  );
}

export async function connectClient(cli: Cli, client: string, options: GlobalOptions): Promise<void> {
  const setup = await openSetup(cli, options);
  const connection = await setup.connectClient(client);
  report(
    connection,
    `${colors.green("✔")} ${client} now uses Toolplane (${connection.path}). Restart it to take effect.`,
    options,
  );
  if (!options.json) await tellOfOthers(setup, client, connection.path);
}

/** Only the person knows whether a client's own servers are still wanted there. */
async function tellOfOthers(setup: Setup, client: string, path: string): Promise<void> {
  const { found } = await setup.importClients([client], { dryRun: true });
  const others = found
    .filter((entry) => entry.path === path)
    .flatMap(({ servers }) => servers.filter((name) => name !== "toolplane"));
  if (others.length > 0)
    say(
      `It still has servers of its own: ${others.join(", ")}. Take out those that Toolplane has too, or their tools are there twice.`,
    );
}

export async function disconnectClient(cli: Cli, client: string, options: GlobalOptions): Promise<void> {
  const connection = await (await openSetup(cli, options)).disconnectClient(client);
  report(connection, `${colors.green("✔")} ${client} is as it was (${connection.path}).`, options);
}

function report(connection: ClientConnection, text: string, { json }: GlobalOptions): void {
  if (json) return printJson(connection);
  print(text);
  if (connection.backup !== null) print(colors.dim(`  backup: ${connection.backup}`));
}
