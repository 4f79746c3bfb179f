import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { DoctorReport } from "../../../model/config/setup.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { RefreshReport, ServerLogLine, ServerState, ServerStatus } from "../../../model/servers/server.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { tellOfBackground } from "../start/background.ts";
import { colors, print, printJson, renderTable, say, show } from "../terminal/output.ts";
import { renderInstalling, renderTrouble, shownState } from "../terminal/server-trouble.ts";
import { withPlane } from "../with-plane.ts";
import { openSetup } from "./config.ts";

export async function listServers(cli: Cli, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const servers = await plane.servers.list({ connect: true });
    if (!options.json) print(renderServers(servers));
    const background = await tellOfBackground(cli, plane, options);
    if (options.json) printJson({ servers, ...(background === null ? {} : { plane: background }) });
  });
}

const marks: Record<ServerState, string> = {
  connected: colors.green("●"),
  connecting: colors.yellow("◌"),
  disconnected: colors.dim("○"),
  disabled: colors.dim("○"),
  backoff: colors.yellow("●"),
  error: colors.red("●"),
  config_error: colors.red("●"),
};

function renderServers(servers: readonly ServerStatus[]): string {
  if (servers.length === 0) return "No servers are configured.";
  const table = renderTable(
    ["SERVER", "STATE", "TRANSPORT", "PROTOCOL", "TOOLS", "NOTE"],
    servers.map(({ name, transport, protocolVersion, tools, rejected, ...status }) => [
      name,
      shownState(status),
      transport ?? "-",
      protocolVersion ?? "-",
      String(tools),
      renderInstalling(status) ??
        renderTrouble(status) ??
        (rejected.length > 0 ? `not usable: ${rejected.map(({ tool }) => tool).join(", ")}` : ""),
    ]),
  );
  const [head, ...rows] = table.split("\n");
  return [`  ${head}`, ...rows.map((row, at) => `${marks[servers[at]?.state ?? "error"]} ${row}`)].join("\n");
}

/** Names are for scripts and completion, which do not wait for long. */
const namesWithinMs = 10_000;

/** Connects it first, so that what is shown is what it is like now. */
export async function showServer(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const status = await withPlane(cli, options, (plane) => plane.servers.get(name, { connect: true }));
  show(options, { servers: [status] }, () => renderServer(status));
}

export async function pingServer(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const check = await withPlane(cli, options, (plane) => plane.servers.ping(name));
  if (options.json) printJson({ server: name, ...check });
  else print(`${name} answered in ${check.ms} ms${check.how === "ping" ? "" : " (by listing its tools)"}.`);
}

export async function switchServer(
  cli: Cli,
  name: string,
  verb: "connect" | "disconnect",
  options: GlobalOptions,
): Promise<void> {
  const { status, goesOn } = await withPlane(cli, options, async (plane) => {
    await plane.servers[verb](name);
    return { status: await plane.servers.get(name), goesOn: plane.isRemote === true };
  });
  if (options.json) return printJson({ servers: [status] });
  const now = verb === "connect" ? `connected: ${countOf(status.tools, "tool")}` : "disconnected";
  print(`${marks[status.state]} ${name} is ${now}.`);
  if (!goesOn)
    say("No plane serves here, so this lasted only as long as the command. Start one with 'toolplane serve'.");
}

/** The exit code tells whether all of them answered. */
export async function refreshServers(
  cli: Cli,
  name: string | undefined,
  options: GlobalOptions & { force?: boolean },
): Promise<number> {
  const report = await withPlane(cli, options, (plane) =>
    plane.servers.refresh(name, { force: options.force ?? true }),
  );
  show(options, report, () => renderRefresh(report));
  return report.still_failed.length > 0 ? 4 : 0;
}

export async function showLogs(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const lines = await withPlane(cli, options, (plane) => plane.servers.logs(name, { connect: true }));
  if (options.json) printJson({ server: name, lines });
  else print(lines.length === 0 ? `${name} has said nothing.` : lines.map(renderLine).join("\n"));
}

export async function listServerTools(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const tools = await withPlane(cli, options, (plane) => plane.tools.list({ server: name, waitMs: namesWithinMs }));
  const names = tools.map(({ id }) => id.tool);
  show(options, { server: name, tools: names }, () => names.join("\n") || `${name} offers no tools.`);
}

function renderServer(status: ServerStatus): string {
  const facts: [string, string | number | null][] = [
    ["state", shownState(status)],
    ["installing", status.installing ? renderInstall(status.installing) : null],
    ["transport", status.transport],
    ["protocol", status.protocolVersion],
    ["tools", `${status.tools}${status.stale ? " (stale)" : ""}`],
    ["prompts", status.offers.prompts],
    ["resources", status.offers.resources],
    ["templates", status.offers.resourceTemplates],
    ["listed", status.listedAt],
    ["process", status.pid],
    ["sessions", status.sessions],
    ["pending", status.pending],
    ["noise", status.noise],
    ["error", status.error],
    ["it wrote", status.stderrTail ?? null],
    ["next try", status.nextRetryAt],
  ];
  return [
    `${marks[status.state]} ${colors.bold(status.name)}`,
    ...facts
      .filter(([, value]) => value !== null)
      .map(([label, value]) => `  ${colors.dim(label.padEnd(10))} ${plainText(String(value))}`),
    ...status.rejected.map(
      ({ tool, reason }) => `  ${colors.yellow("not usable")} ${plainText(tool)}: ${plainText(reason)}`,
    ),
  ].join("\n");
}

function renderInstall({ since, lastLine }: NonNullable<ServerStatus["installing"]>): string {
  return `since ${since}${lastLine === null ? "" : `, last line: ${lastLine}`}`;
}

function renderRefresh({ attempted, reconnected, still_failed, skipped }: RefreshReport): string {
  if (attempted.length + skipped.length === 0) return "No servers are configured.";
  const failed = new Map(still_failed.map(({ server, reason }) => [server, reason]));
  const rows = [
    ...attempted.map((server) => [
      server,
      failed.has(server) ? "failed" : reconnected.includes(server) ? "connected" : "listed again",
      failed.get(server) ?? "",
    ]),
    ...skipped.map(({ server, reason }) => [server, "skipped", reason]),
  ];
  return renderTable(["SERVER", "RESULT", "NOTE"], rows);
}

function renderLine({ at, source, level, text }: ServerLogLine): string {
  const time = colors.dim(at.slice(11, 23));
  return `${time} ${colors.dim((level ?? source).padEnd(7))} ${text}`;
}

type AddOptions = TextOptions<"url" | "to"> & { env?: string[]; header?: string[] };

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
    ...withoutUndefined({ url: options.url, command, args: rest.length > 0 ? rest : undefined }),
    ...pairs("env", options.env),
    ...pairs("headers", options.header),
  };
  const done = await (await openSetup(cli, options)).addServer(name, definition, options.to);
  show(options, done, () => `Added '${name}' to ${done.path}. Try it: toolplane doctor ${name}`);
}

export async function removeServer(cli: Cli, name: string, options: GlobalOptions & { to?: string }): Promise<void> {
  const done = await (await openSetup(cli, options)).removeServer(name, options.to);
  show(options, done, () => `Removed '${name}' from ${done.path}.`);
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

export async function runDoctor(cli: Cli, server: string | undefined, options: GlobalOptions): Promise<number> {
  return withPlane(cli, options, async (plane) => {
    const report = await plane.doctor(server);
    if (!options.json) print(renderReport(report));
    const background = await tellOfBackground(cli, plane, options);
    if (options.json) printJson({ ...report, ...(background === null ? {} : { plane: background }) });
    return report.servers.every(({ ok }) => ok) ? 0 : 1;
  });
}

function indented(text: string): string {
  return plainText(text).replaceAll("\n", "\n        ");
}

function renderReport({ servers }: DoctorReport): string {
  if (servers.length === 0) return "No servers are configured.";
  return servers
    .map(({ name, ok, checks }) => {
      const head = `${ok ? colors.green("✔") : colors.red("✖")} ${colors.bold(name)}`;
      const lines = checks.map((check) => {
        const mark = check.ok ? colors.green("✔") : colors.red("✖");
        const fix = check.fix === null ? "" : `\n      ${colors.yellow("fix:")} ${plainText(check.fix)}`;
        return `    ${mark} ${check.name}: ${indented(check.detail)}${fix}`;
      });
      return [head, ...lines].join("\n");
    })
    .join("\n");
}
