import { setTimeout as sleep } from "node:timers/promises";
import { TimeLimiter } from "@toolplane/core/lib/async/time-limit";
import { errorText } from "@toolplane/core/lib/text/error-text";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { redact } from "@toolplane/core/lib/text/redact";
import { countOf, sentence } from "@toolplane/core/lib/text/wording";
import { version } from "@toolplane/core/lib/version";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { isObject, type UnknownObject } from "@toolplane/core/model/json";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import { listAll } from "@toolplane/core/protocol/list-all";
import { type Channel, RpcError, TransportError } from "@toolplane/core/protocol/message";
import { refuseRequest } from "@toolplane/core/protocol/peer";
import {
  type EndedSignIn,
  endedWords,
  installerOf,
  installFailure,
  type OpenOptions,
  openSession,
  reasonLine,
  type TakeTools,
  tokenHeaders,
} from "@toolplane/core/servers";
import { renderCommandLine } from "./check-command.ts";
import { failed, passed } from "./check-configuration.ts";

export function checkSignIn(server: string, ended: EndedSignIn): DoctorCheck {
  const endedText = endedWords(ended);
  const fix = `Sign in to it again: toolplane servers login ${server}`;
  return failed("sign-in", sentence(endedText.charAt(0).toUpperCase() + endedText.slice(1)), fix);
}

export function checkHandshake(
  server: string,
  definition: ServerDefinition,
  { session, failure }: OpenedServer,
): DoctorCheck {
  if (failure && !session) {
    const isProcess = definition.transport === "stdio";
    const fix = isProcess
      ? processFix(definition, failure)
      : remoteFix(server, definition, failure);
    return failed("handshake", describe(failure), fix);
  }
  const serverName = session?.server ?? "a server without a name";
  return passed(
    "handshake",
    `It is ${serverName} and speaks protocol ${session?.protocolVersion}.`,
  );
}

function describe({ reason, output }: Failure): string {
  const text = sentence(reason.charAt(0).toUpperCase() + reason.slice(1));
  if (output === "") return text;
  return `${text} It last wrote:\n${excerptOf(output)}`;
}

/** The last lines, or those from the reason on: a runtime may write much after it. */
function excerptOf(output: string): string {
  const lines = output.split("\n");
  const reason = reasonLine(output);
  const reasonIndex = lines.findIndex((line) => line.trim() === reason);
  const from = Math.max(0, lines.length - lastLines);
  const start = reasonIndex < 0 ? from : Math.min(reasonIndex, from);
  return lines
    .slice(start, start + lastLines)
    .join("\n")
    .trimEnd();
}

/** What servers write when they cannot start, and the remedy. */
const complaints: [said: RegExp, fix: (found: string) => string][] = [
  [
    /npm (?:error|ERR!) (?:code )?E?404/i,
    () => "Correct the name of the package in 'args'; npm does not know it.",
  ],
  [
    /Cannot find (?:module|package) '([^'./\\][^':\\]*)'/,
    (name) => `Install the package ${name} in the server's project.`,
  ],
  [/Cannot find module '([^']+)'/, (path) => `Correct the path in 'args': there is no ${path}.`],
  [/can't open file '([^']+)'/, (path) => `Correct the path in 'args': there is no ${path}.`],
  [
    /No module named '?([\w.]+)/,
    (name) => `Install the Python module ${name} for the Python that 'command' runs.`,
  ],
  [/Cannot connect to the Docker daemon/i, () => "Start Docker."],
];

function processFix(definition: ServerDefinition, { kind, reason, output }: Failure): string {
  const remedy = installFailure(definition, output)?.remedy;
  if (remedy) return remedy;
  for (const [pattern, fix] of complaints) {
    const complaint = pattern.exec(output);
    if (complaint) return fix(complaint[1] ?? "");
  }
  if (kind === "not started" && reason.includes("was not found"))
    return `Correct the first line (#!) of ${definition.command ?? ""}; the program it names does not exist.`;
  if (speaksOtherProtocol(reason)) return updateFix;
  const line = renderCommandLine(definition);
  if (kind === "too late" && installerOf(definition) !== null)
    return `Raise 'installTimeoutMs', or run it once by hand, so that it can fetch what it needs: ${line}`;
  return `Run it by hand to see what it says: ${line}`;
}

function remoteFix(
  server: string,
  definition: ServerDefinition,
  { reason, status }: Failure,
): string {
  const [, redirect] = /redirects to (\S+);/.exec(reason) ?? [];
  if (redirect !== undefined) return `Change 'url' to the address it redirects to, at ${redirect}.`;
  if (reason.includes("does not speak TLS")) return "Begin 'url' with http:// instead of https://.";
  if (reason.includes("is not a WebSocket server") || reason.includes("sub-protocol"))
    return `Set 'transport' to "http", or point 'url' to a WebSocket that speaks MCP.`;
  if (speaksOtherProtocol(reason)) return updateFix;
  if (status === undefined)
    return "Point 'url' to the MCP endpoint of the server, often at /mcp; something else answers there.";
  if (status === 401 || status === 403) return credentialFix(server, definition);
  if (status === 404 || status === 405)
    return "Correct the path of 'url': is this the right one? Most servers answer at /mcp, older ones at /sse.";
  if (status === 429) return "Wait, then try again; the server takes no more requests for now.";
  if (status >= 500) return "Ask the operator of the server to look into its log.";
  return "Point 'url' to the MCP endpoint of the server, often at /mcp.";
}

function credentialFix(server: string, { headers, auth }: ServerDefinition): string {
  if (auth?.token) return "Replace 'auth.token' by a token that the server accepts.";
  const credentialHeader = Object.keys(headers).find((name) =>
    /^authorization$|key|token/i.test(name),
  );
  if (credentialHeader !== undefined)
    return `Replace the token in 'headers.${credentialHeader}' by one that the server accepts.`;
  return `Sign in to it with 'toolplane servers login ${server}', or add the token that it wants as 'auth.token'.`;
}

const updateFix = "Update the server to a version that speaks one of these protocols.";

function speaksOtherProtocol(reason: string): boolean {
  return reason.startsWith("it speaks protocol");
}

export function checkTools(
  server: string,
  definition: ServerDefinition,
  { listed, failure }: OpenedServer,
  takeTools: TakeTools,
): DoctorCheck {
  if (listed === null) {
    const detail = failure
      ? `Asked for its tools: ${describe(failure)}`
      : "It did not list its tools.";
    return failed("tools", detail, listingFix(definition));
  }
  const serverTools = takeTools(server, definition, listed);
  const missing = missingNames(definition, listed).join(", ");
  if (missing !== "")
    return failed("tools", `'allow_tools' names ${missing}, which it does not offer.`, namesFix);
  const detail = summary(listed.length, serverTools);
  if (serverTools.tools.length > 0 || serverTools.rejected.length === 0)
    return passed("tools", detail);
  return failed(
    "tools",
    detail,
    "Update the server, or tell its authors what is wrong with its tools.",
  );
}

const namesFix = "Correct these names in 'allow_tools', or take them out.";

/** Globs may match nothing; a whole name that matches nothing is a mistake. */
function missingNames({ allow_tools }: ServerDefinition, listed: readonly unknown[]): string[] {
  const names = new Set(listed.map((tool) => (isObject(tool) ? tool.name : undefined)));
  return (allow_tools ?? [])
    .filter((name) => /^[\w.-]+$/.test(name) && !names.has(name))
    .map((name) => `'${name}'`);
}

function summary(listed: number, { tools, rejected }: ReturnType<TakeTools>): string {
  if (listed === 0) return "It offers no tools, so there is nothing to call.";
  const sentences = [`${tools.length} of ${countOf(listed, "tool")} can be called.`];
  const [first] = rejected;
  if (first)
    sentences.push(`${rejected.length} cannot be used, first '${first.tool}': ${first.reason}.`);
  const filtered = listed - tools.length - rejected.length;
  if (filtered > 0) sentences.push(`${filtered} are kept out by 'allow_tools' and 'deny_tools'.`);
  return sentences.join(" ");
}

function listingFix(definition: ServerDefinition): string {
  if (definition.transport !== "stdio")
    return "Ask the operator of the server why it does not answer tools/list.";
  return `Run it by hand to see what it says when it lists its tools: ${renderCommandLine(definition)}`;
}

type OpenedServer = {
  session: { protocolVersion: string; server: string | null } | null;
  listed: unknown[] | null;
  failure: Failure | null;
};

/** Ends whatever it started before it answers. */
export async function openServer(
  definition: ServerDefinition,
  { environment, packages }: Pick<OpenOptions, "environment" | "packages">,
  { limitMs, installMs, isInstalled }: { limitMs: number; installMs: number; isInstalled: boolean },
): Promise<OpenedServer> {
  const limiter = new TimeLimiter(limitMs, { capMs: installMs + limitMs });
  const { signal } = limiter;
  const opened: OpenedServer = { session: null, listed: null, failure: null };
  const closed = Promise.withResolvers<TransportError>();
  const channels: Channel[] = [];
  let waitsMs = limitMs;
  let noise: string | undefined;
  let stray: string | undefined;
  let failedEnd: { thrown: unknown; tooLate: boolean } | undefined;
  const waitForInstaller = () => {
    if (installerOf(definition) === null || waitsMs >= installMs || opened.session) return;
    waitsMs = installMs;
    limiter.extend(installMs);
  };
  const handlers = {
    onNotification: () => undefined,
    onStderr: waitForInstaller,
    onRequest: refuseRequest,
    onNoise: (text: string) => {
      noise ??= text;
    },
    onStray: (what: string) => {
      stray ??= what;
    },
    onTooLarge: (bytes: number) =>
      new RpcError(-32603, `its answer of ${bytes} bytes is too large`),
    onClose: () => undefined,
    onEnded: closed.resolve,
  };
  const onOpened = (channel: Channel) => channels.push(channel);
  if (!isInstalled) waitForInstaller();
  try {
    const { session } = await openSession(
      { ...asDoctor(definition), definition, environment, packages, signal, onOpened },
      handlers,
    );
    opened.session = {
      protocolVersion: session.protocolVersion,
      server: nameOf(session.serverInfo),
    };
    waitsMs = limitMs;
    limiter.extend();
    const offersTools = session.era === "modern" || session.capabilities.tools !== undefined;
    opened.listed = offersTools ? (await listAll(session, "tools/list", signal)).items : [];
    session.end();
    if (channels.at(-1)?.pid != null) await requireStay(closed.promise);
  } catch (thrown) {
    failedEnd = { thrown, tooLate: signal.aborted };
  } finally {
    limiter.clear();
    await Promise.all(channels.map((channel) => channel.close()));
  }
  if (!failedEnd) return opened;
  const failure = await explain({
    ...failedEnd,
    limitMs: waitsMs,
    channel: channels.at(-1),
    noise,
    stray,
    closed: closed.promise,
  });
  const install = installFailure(
    definition,
    failedEnd.thrown instanceof TransportError ? failedEnd.thrown.said : "",
  );
  return {
    ...opened,
    failure: install === null ? failure : { ...failure, output: install.lines.join("\n") },
  };
}

/** One that ends as soon as it has listed its tools is in a crash loop. */
async function requireStay(closed: Promise<TransportError>): Promise<void> {
  const endedWith = await Promise.race([closed, sleep(stayMs, null)]);
  if (endedWith !== null) throw endedWith;
}

/** Null where it still runs. */
export function checkStay(
  definition: ServerDefinition,
  { listed, failure }: OpenedServer,
  lost: string | null,
): DoctorCheck | null {
  const afterListing = listed === null || failure === null ? null : describe(failure);
  const what = afterListing === null ? lost : `After it had listed its tools: ${afterListing}`;
  if (what === null) return null;
  return failed(
    "runs",
    what,
    `Run it by hand to see why it ends: ${renderCommandLine(definition)}`,
  );
}

/** Only configured headers: a check starts no sign-in. */
function asDoctor({ auth }: ServerDefinition) {
  const headers = auth?.token && auth.type !== "none" ? tokenHeaders(auth, auth.token) : {};
  return {
    access: { authorize: async () => headers },
    client: { info: { name: "toolplane", version }, capabilities: {} },
    known: async () => undefined,
  };
}

function nameOf(info: UnknownObject | null): string | null {
  if (typeof info?.name !== "string") return null;
  const nameParts = [info.name, info.version].filter((part) => typeof part === "string");
  return plainText(nameParts.join(" ")).slice(0, 100);
}

/** How long the reason of an ended process may take to arrive. */
const stderrDrainMs = 200;
/** A program that lives this long after its list is not watched any longer. */
const stayMs = 1_000;
const lastLines = 5;
const maxReason = 500;

type Failure = {
  kind: "not started" | "too late" | "refused" | "lost";
  /** Safe to print, without the process's words. */
  reason: string;
  status?: number | undefined;
  output: string;
};

/** `noise` is the first line that is no message. */
type Ending = {
  thrown: unknown;
  tooLate: boolean;
  limitMs: number;
  channel: Channel | undefined;
  noise: string | undefined;
  /** The first message that answers no request, in words. */
  stray: string | undefined;
  closed: Promise<TransportError>;
};

/** Why a session failed or ended. The channel is closed by now. */
async function explain({
  thrown,
  tooLate,
  limitMs,
  channel,
  noise,
  stray,
  closed,
}: Ending): Promise<Failure> {
  if (tooLate) {
    const isProcess = channel?.pid != null;
    const processEnd = isProcess ? await Promise.race([closed, sleep(stderrDrainMs, null)]) : null;
    return {
      kind: "too late",
      reason: `${wordsBeforeSilence(isProcess ? noise : undefined, stray)} gave no answer within ${limitMs / 1000} s`,
      output: saidBy(processEnd),
    };
  }
  const reason = redact(plainText(errorText(thrown))).slice(0, maxReason);
  const output = saidBy(thrown);
  if (thrown instanceof RpcError)
    return { kind: "refused", reason: `it answered with an error: ${reason}`, output };
  const status = thrown instanceof TransportError ? thrown.status : undefined;
  return { kind: channel === undefined ? "not started" : "lost", reason, status, output };
}

/** What came in place of an answer. */
function wordsBeforeSilence(noise: string | undefined, stray: string | undefined): string {
  if (noise !== undefined) return `it wrote '${noise}' to stdout, which is not MCP, and`;
  return stray === undefined ? "it" : `${stray}, and`;
}

function saidBy(thrown: unknown): string {
  const text = thrown instanceof TransportError ? thrown.said : "";
  return text.trim();
}
