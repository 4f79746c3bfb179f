import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { RefreshReport, ServerLogLine, ServerStatus } from "../../model/servers/server.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { shownState } from "./last-words.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { stateMark } from "./servers.ts";
import { withPlane } from "./with-plane.ts";

/** Names are for scripts and completion, which do not wait for long. */
const namesWithinMs = 10_000;

/** Connects it first, so that what is shown is what it is like now. */
export async function showServer(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const status = await withPlane(cli, options, (plane) => plane.servers.get(name, { connect: true }));
  if (options.json) printJson({ servers: [status] });
  else print(renderServer(status));
}

export async function pingServer(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const check = await withPlane(cli, options, (plane) => plane.servers.ping(name));
  if (options.json) printJson({ server: name, ...check });
  else print(`${name} answered in ${check.ms} ms${check.how === "ping" ? "" : " (by listing its tools)"}.`);
}

export async function connectServer(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  await change(cli, name, options, "connect", ({ tools }) => `is connected: ${countOf(tools, "tool")}.`);
}

export async function disconnectServer(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  await change(cli, name, options, "disconnect", () => "is disconnected.");
}

async function change(
  cli: Cli,
  name: string,
  options: GlobalOptions,
  verb: "connect" | "disconnect",
  render: (status: ServerStatus) => string,
): Promise<void> {
  const { status, goesOn } = await withPlane(cli, options, async (plane) => {
    await plane.servers[verb](name);
    return { status: await plane.servers.get(name), goesOn: plane.isRemote === true };
  });
  if (options.json) return printJson({ servers: [status] });
  print(`${stateMark(status.state)} ${name} ${render(status)}`);
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
  if (options.json) printJson(report);
  else print(renderRefresh(report));
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
  if (options.json) printJson({ server: name, tools: names });
  else print(names.join("\n") || `${name} offers no tools.`);
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
    `${stateMark(status.state)} ${colors.bold(status.name)}`,
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
