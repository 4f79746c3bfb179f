import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { pause } from "../../../lib/async/pause.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { shorten } from "../../../lib/text/cut-text.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Listed } from "../../../model/plane-tools.ts";
import type {
  RefreshReport,
  ServerInstance,
  ServerLogLine,
  ServerMessage,
  ServerState,
  ServerStatus,
} from "../../../model/servers/server-schema.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { printBackgroundPlane } from "../start/serving.ts";
import { renderReport } from "../terminal/doctor-report.ts";
import {
  colors,
  type Fact,
  print,
  printJson,
  printStatus,
  renderFacts,
  show,
  table,
} from "../terminal/output.ts";
import { isCancel, password } from "../terminal/prompts.ts";
import {
  renderInstalling,
  renderStarting,
  renderTrouble,
  shownState,
} from "../terminal/server-trouble.ts";
import { Interrupted, terminal } from "../terminal/terminal.ts";
import { command, withPlane } from "../with-plane.ts";
import { toCount, toLimit } from "./option-values.ts";

export async function listServers(cli: Cli, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const servers = await plane.servers.list({ connect: true });
    if (!options.json) print(renderServers(servers));
    const background = await printBackgroundPlane(cli, plane, options);
    const { files } = plane.config();
    if (options.json) printJson({ servers, files, ...(background && { plane: background }) });
    else if (servers.some(({ foundIn }) => foundIn)) printStatus(foundOnly);
  });
}

const foundOnly =
  "Found in the files of your clients: nothing was moved or written. 'toolplane connect CLIENT' puts Toolplane in front of a client's servers, 'toolplane import' copies them.";

const marks: Record<ServerState, string> = {
  connected: colors.green("●"),
  connecting: colors.yellow("◌"),
  disconnected: colors.dim("○"),
  disabled: colors.dim("○"),
  backoff: colors.yellow("●"),
  error: colors.red("●"),
  config_error: colors.red("●"),
  untrusted: colors.yellow("○"),
};

function renderServers(
  servers: readonly ServerStatus[],
  none = "No servers are configured.",
): string {
  const [head, ...rows] = table(servers, none, {
    SERVER: ({ name }) => name,
    STATE: shownState,
    TRANSPORT: ({ transport }) => transport,
    PROTOCOL: ({ protocolVersion }) => protocolVersion,
    TOOLS: ({ tools }) => tools,
    ...(servers.some(({ foundIn }) => foundIn) && {
      "FOUND IN": ({ foundIn }: ServerStatus) => foundIn?.join(", ") ?? "",
    }),
    NOTE: (status) =>
      renderInstalling(status) ??
      renderStarting(status) ??
      shortTrouble(status) ??
      renderRejected(status),
  }).split("\n");
  if (rows.length === 0) return head ?? "";
  const lines = rows.flatMap((row, index) => {
    const { state = "error", instances = [] } = servers[index] ?? {};
    return [
      `${marks[state]} ${row}`,
      ...instances.map((instance) => `    ${marks[instance.state]} in ${renderInstance(instance)}`),
    ];
  });
  return [`  ${head}`, ...lines].join("\n");
}

/** A line has no room for what is to be done, so that comes first. */
function shortTrouble(status: ServerStatus): string | null {
  const waits = status.state === "untrusted" && status.error?.startsWith("not trusted yet");
  if (waits) return "not trusted here yet: run 'toolplane trust'";
  return renderTrouble(status);
}

function renderInstance({ directory, state, pid, error }: ServerInstance): string {
  const running = pid === null ? state : `${state}, process ${pid}`;
  return `${plainText(directory)} (${running})${error === null ? "" : `: ${plainText(error)}`}`;
}

function renderRejected({ rejected, incomplete, flapping = [] }: ServerStatus): string {
  const notes: string[] = [];
  if (incomplete) notes.push(incomplete.reason);
  if (flapping.length > 0) notes.push(`flapping: ${flapping.join(", ")}`);
  if (rejected.length > 0) notes.push(`left out: ${rejected.map(({ tool }) => tool).join(", ")}`);
  return notes.join("; ");
}

/** Of a message on a line; `--json` has all of it. */
const maxShown = 400;

/** Names are for scripts and completion, which do not wait for long. */
const namesWithinMs = 10_000;

/** Connects it first, so that what is shown is what it is like now. */
export const showServer = command(
  (plane, name: string) => plane.servers.get(name, { connect: true }),
  renderServer,
  (status) => ({ servers: [status] }),
);

export const pingServer = command(
  (plane, name: string) => plane.servers.ping(name),
  ({ ms, how }, [name]) =>
    `${name} answered in ${ms} ms${how === "ping" ? "" : " (by listing its tools)"}.`,
  (check, [server]) => ({ server, ...check }),
);

export const switchServer = command(
  async (plane, name: string, verb: "connect" | "disconnect") => {
    await plane.servers[verb](name);
    return { status: await plane.servers.get(name), goesOn: plane.isRemote === true };
  },
  ({ status, goesOn }, [name, verb]) => {
    const stateText =
      verb === "connect" ? `connected: ${countOf(status.tools, "tool")}` : "disconnected";
    print(`${marks[status.state]} ${name} is ${stateText}.`);
    if (!goesOn)
      printStatus(
        "No plane serves here, so this lasted only as long as the command. Start one with 'toolplane serve'.",
      );
  },
  ({ status }) => ({ servers: [status] }),
);

/** The exit code tells whether all of them run. */
export async function restartServers(
  cli: Cli,
  name: string | undefined,
  options: GlobalOptions,
): Promise<number> {
  const servers = await withPlane(cli, options, (plane) => plane.servers.restart(name));
  show(options, { servers }, () =>
    renderServers(servers, "No server runs, so none was restarted."),
  );
  return servers.every(({ state }) => state === "connected") ? 0 : 4;
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

export const showLogs = command(
  (plane, name: string) => plane.servers.logs(name, { connect: true }),
  (lines, [name]) => lines.map(renderLine).join("\n") || `${name} has logged nothing.`,
  (lines, [server]) => ({ server, lines }),
);

export const recordMessages = command(
  async (plane, name: string, { off = false }: { off?: boolean }) => ({
    ...(await plane.servers.record(name, { on: !off })),
    goesOn: plane.isRemote === true,
  }),
  ({ recording, goesOn }, [name]) => {
    if (!goesOn)
      return printStatus(
        `No plane serves here, so nothing is recorded after this command. 'toolplane servers messages ${name}' shows the messages of connecting it.`,
      );
    print(`The messages of ${name} are ${recording ? "recorded" : "no longer recorded"}.`);
    if (recording)
      printStatus(
        `'toolplane servers messages ${name}' shows them. It ends when they are not read for 5 minutes.`,
      );
  },
  ({ goesOn: _, messages: _none, ...state }, [server]) => ({ server, ...state }),
);

const pollMs = 500;

type MessagesOptions = GlobalOptions & { limit?: string; after?: string; follow?: boolean };

/** Without a plane that serves, a recording begins here and has the messages of the connection. */
export async function showRecordedMessages(
  cli: Cli,
  server: string,
  options: MessagesOptions,
): Promise<void> {
  const limit = toLimit(options.limit) ?? 100;
  const after = toCount("--after", options.after);
  await withPlane(cli, options, async (plane, interrupted) => {
    const isOwn = plane.isRemote !== true;
    if (isOwn || options.follow) await plane.servers.record(server);
    const reading = { limit, ...withoutUndefined({ after }), connect: isOwn };
    let page = await plane.servers.messages(server, reading);
    if (options.json && !options.follow) return printJson({ server, ...page });
    if (page.dropped > 0) printStatus(`${countOf(page.dropped, "older message")} dropped.`);
    if (page.messages.length === 0 && !options.follow) {
      if (page.recording) return print(`No messages since ${page.since}.`);
      return print(`Nothing is recorded. Start it with 'toolplane servers record ${server}'.`);
    }
    const show = (message: ServerMessage) =>
      print(options.json ? JSON.stringify(message) : plainText(renderMessage(message)));
    page.messages.forEach(show);
    let lastNumber = page.messages.at(-1)?.number ?? after ?? 0;
    while (options.follow && page.recording && !interrupted.aborted) {
      await pause(pollMs, { signal: interrupted });
      if (interrupted.aborted) return;
      page = await plane.servers.messages(server, { after: lastNumber });
      page.messages.forEach(show);
      lastNumber = page.messages.at(-1)?.number ?? lastNumber;
    }
  });
}

function renderMessage({
  at,
  direction,
  kind,
  method,
  id,
  durationMs,
  bytes,
  message,
}: ServerMessage): string {
  const arrow = direction === "sent" ? "→" : "←";
  const idText = id === null ? "" : ` #${id}`;
  const summary = `${kind} ${method ?? "-"}${idText}`;
  const took = durationMs === null ? "" : ` ${durationMs.toFixed(1)} ms`;
  const text = typeof message === "string" ? message : JSON.stringify(message);
  return `${at.slice(11, 23)} ${arrow} ${summary}${took} ${bytes} B ${shorten(text, maxShown)}`;
}

export const listServerTools = command(
  async (plane, server: string) => {
    const tools = await plane.tools.list({ server, waitMs: namesWithinMs });
    return { server, tools: tools.map(({ id }) => id.tool) };
  },
  ({ server, tools }) => tools.join("\n") || `${server} offers no tools.`,
);

function renderProtocol({ protocolVersion, protocolReason }: ServerStatus): string | null {
  if (protocolReason === undefined) return protocolVersion;
  return `${protocolVersion}: ${protocolReason}`;
}

function renderServer(status: ServerStatus): string {
  const facts: Fact[] = [
    ["state", shownState(status)],
    ["installing", status.installing && renderInstall(status.installing)],
    ["starting", renderStarting(status)],
    ["transport", status.transport],
    ["protocol", renderProtocol(status)],
    ["tools", `${status.tools}${status.stale ? " (stale)" : ""}`],
    ["prompts", status.offers.prompts],
    ["resources", status.offers.resources],
    ["templates", status.offers.resourceTemplates],
    ["listed", status.listedAt],
    ["process", status.pid],
    ...(status.instances ?? []).map((instance): Fact => ["works in", renderInstance(instance)]),
    ["sessions", status.sessions],
    ["list", status.incomplete?.reason ?? null],
    ["pending", status.pending],
    ["noise", status.noise],
    ["error", status.error],
    ["it wrote", status.stderrTail],
    ["next try", status.nextRetryAt],
    ["failed tries", status.attempts || null],
    [
      "waits",
      status.reconnect && `${status.reconnect.backoffMs} to ${status.reconnect.maxBackoffMs} ms`,
    ],
  ];
  return [
    `${marks[status.state]} ${colors.bold(status.name)}`,
    ...renderFacts(10, facts).map((line) => `  ${line}`),
    ...status.rejected.map(
      ({ tool, reason }) =>
        `  ${colors.yellow("left out")} ${plainText(tool)}: ${plainText(reason)}`,
    ),
  ].join("\n");
}

function renderInstall({ since, lastLine }: NonNullable<ServerStatus["installing"]>): string {
  return `since ${since}${lastLine === null ? "" : `, last line: ${lastLine}`}`;
}

function renderRefresh({ attempted, reconnected, still_failed, skipped }: RefreshReport): string {
  const failed = new Map(still_failed.map(({ server, reason }) => [server, reason]));
  const refreshed = (server: string) => {
    if (failed.has(server)) return "failed";
    return reconnected.includes(server) ? "connected" : "listed again";
  };
  const rows = [
    ...attempted.map((server) => ({
      server,
      result: refreshed(server),
      reason: failed.get(server) ?? "",
    })),
    ...skipped.map((server) => ({ ...server, result: "skipped" })),
  ];
  return table(rows, "No servers are configured.", {
    SERVER: ({ server }) => server,
    RESULT: (row) => row.result,
    NOTE: ({ reason }) => reason,
  });
}

function renderLine(line: ServerLogLine): string {
  const { source, level, text } = line;
  const time = colors.dim(line.at.slice(11, 23));
  return `${time} ${colors.dim((level ?? source).padEnd(7))} ${text}`;
}

export async function runDoctor(
  cli: Cli,
  server: string | undefined,
  options: GlobalOptions,
): Promise<number> {
  return withPlane(cli, options, async (plane) => {
    const report = await plane.doctor(server);
    if (!options.json) print(renderReport(report));
    const background = await printBackgroundPlane(cli, plane, options);
    if (options.json) printJson({ ...report, ...(background && { plane: background }) });
    const { servers, toolsets = [], extensions = [], store } = report;
    const isWell = [...servers, ...toolsets, ...extensions].every(({ ok }) => ok);
    return store === undefined && isWell ? 0 : 1;
  });
}

type LoginOptions = GlobalOptions & { token?: boolean; browser?: boolean };

export async function login(cli: Cli, server: string, options: LoginOptions): Promise<void> {
  await withPlane(cli, { ...options, standalone: true }, async (plane, interrupted) => {
    await plane.servers.get(server);
    const { auth } = plane.config().servers[server] ?? {};
    const wantsToken =
      options.token || (auth !== undefined && auth.type !== "oauth" && auth.type !== "none");
    if (wantsToken) await plane.tokens.set(server, { token: await readToken(server) });
    else await signIn(plane, server, options.browser ?? true, interrupted);
  });
  show(
    options,
    { server, ok: true },
    () => `${colors.green("✔")} ${server} knows who you are now.`,
  );
}

export const logout = command(
  (plane, server: string) => plane.tokens.forget(server),
  (ok, [server]) =>
    ok ? `What was kept for ${server} is forgotten.` : `Nothing was kept for ${server}.`,
  (ok, [server]) => ({ server, ok }),
);

async function signIn(
  plane: Plane,
  server: string,
  opens: boolean,
  interrupted: AbortSignal,
): Promise<void> {
  const { url, finished, cancel } = await plane.tokens.signIn(server);
  interrupted.addEventListener("abort", cancel, { once: true });
  printStatus(`Sign in at:\n  ${url}`);
  if (opens) openBrowser(url);
  await finished;
}

/** From standard input, or typed unseen; never from an argument, which other users of the machine could read. */
async function readToken(server: string): Promise<string> {
  const typed = await (terminal.stdin.isTTY ? typeToken(server) : text(terminal.stdin));
  const token = typed.trim();
  if (token === "")
    throw new PlaneError("USAGE", "No token was given. Write it to standard input.");
  return token;
}

async function typeToken(server: string): Promise<string> {
  const typed = await password({ message: `Token for ${server}` });
  if (isCancel(typed)) throw new Interrupted("SIGINT");
  return typed;
}

const browserOpeners: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "open",
  win32: "explorer.exe",
};

/** Never through a shell: the address may come from outside. Where there is no browser, nothing happens. */
export function openBrowser(url: string): void {
  const program = browserOpeners[process.platform] ?? "xdg-open";
  const browser = spawn(program, [url], { stdio: "ignore", detached: true });
  browser.on("error", () => undefined);
  browser.unref();
}

type Filter = { server?: string };

export const listPrompts = command(
  (plane, { server }: Filter) => plane.prompts.list(server),
  (prompts) => renderListed(prompts, "PROMPT"),
  (prompts) => ({ prompts }),
);

export const getPrompt = command(
  (plane, server: string, name: string, values: string[]) =>
    plane.prompts.get(server, name, Object.fromEntries(values.map(toPair)), { face: "cli" }),
  (prompt) =>
    partsOf(prompt, "messages")
      .map(({ role, content }) => plainText(`${role}: ${content?.text ?? JSON.stringify(content)}`))
      .join("\n") || undefined,
);

export const listResources = command(
  async (plane, { server }: Filter) => {
    const [resources, resourceTemplates] = await Promise.all([
      plane.resources.list(server),
      plane.resources.templates(server),
    ]);
    return { resources, resourceTemplates };
  },
  ({ resources, resourceTemplates }) =>
    renderListed([...resources, ...resourceTemplates], "RESOURCE"),
);

export const readResource = command(
  (plane, server: string, uri: string) => plane.resources.read(server, uri, { face: "cli" }),
  (resource) =>
    partsOf(resource, "contents")
      .map(({ text, blob, mimeType }) =>
        plainText(
          String(text ?? `(${mimeType}, ${countOf(blob?.length ?? 0, "character")} of base64)`),
        ),
      )
      .join("\n") || undefined,
);

function renderListed(items: readonly Listed[], title: "PROMPT" | "RESOURCE"): string {
  return table(items, `No server offers ${title.toLowerCase()}s.`, {
    SERVER: (item) => item.server,
    [title]: (item) => String(title === "PROMPT" ? item.name : (item.uri ?? item.uriTemplate)),
    DESCRIPTION: (item) => String(item.description ?? item.title ?? ""),
  });
}

function partsOf(answer: unknown, key: "messages" | "contents") {
  if (isObject(answer) && Array.isArray(answer[key])) return answer[key];
  return [];
}

function toPair(text: string): [string, string] {
  const separator = text.indexOf("=");
  if (separator <= 0) throw new PlaneError("USAGE", `'${text}' is not of the form key=text.`);
  return [text.slice(0, separator), text.slice(separator + 1)];
}
