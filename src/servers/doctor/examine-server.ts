import { resolve } from "node:path";
import type { InstallStatus, ServerDefinition } from "../../model/server.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { installerOf } from "../installer.ts";
import { passed } from "./check.ts";
import { checkCommand, dependsOnDirectory } from "./command.ts";
import { checkBroken } from "./configuration.ts";
import { checkEnvironment } from "./environment.ts";
import { checkHandshake } from "./handshake.ts";
import { openServer } from "./open-server.ts";
import { checkReachable, isTlsPort, plainOnTlsPort } from "./reachable.ts";
import { hideSecrets } from "./secrets.ts";
import { checkTools, type TakeTools } from "./tools.ts";
import { checkUrl } from "./url.ts";
import { checkDirectory } from "./working-directory.ts";

const defaultLimitMs = 10_000;

export type ExamineOptions = {
  environment: Readonly<Record<string, string | undefined>>;
  /** Where a server without a `cwd` is started. */
  directory: string;
  /** Which of the listed tools the catalogue would take. */
  takeTools: TakeTools;
  /** Has it been started before? Then there should be nothing to install. */
  isInstalled?: boolean;
  /** The plane is installing it right now; a second installer would be in its way. */
  installing?: InstallStatus | undefined;
  /** What the user's login shell has; asked when a server does not start. */
  loginShell?(): Promise<Readonly<Record<string, string | undefined>> | null>;
  /** For reaching a server, and again for handshake and listing together. */
  limitMs?: number;
};

type Examination = {
  name: string;
  definition: ServerDefinition & { cwd: string };
  options: ExamineOptions;
  limitMs: number;
};

/** Follows the way to a server step by step, and ends where the next step can tell nothing new. */
export async function examineServer(
  name: string,
  subject: ServerDefinition | { broken: string },
  options: ExamineOptions,
): Promise<DoctorCheck[]> {
  if ("broken" in subject) return [checkBroken(name, subject.broken)];
  const configured = passed("configuration", `It is complete; the transport is ${subject.transport}.`);
  if (!subject.enabled) {
    return [
      configured,
      passed("enabled", "It is switched off ('enabled' is false), so nothing else was checked."),
    ];
  }
  const definition = { ...subject, cwd: resolve(options.directory, subject.cwd ?? "") };
  // What is too slow for the plane has to be too slow here.
  const limitMs = Math.min(options.limitMs ?? defaultLimitMs, subject.connectTimeoutMs);
  const examination = { name, definition, options, limitMs };
  const checks = await (subject.transport === "stdio" ? examineProcess : examineRemote)(examination);
  const hide = hideSecrets(definition);
  return [configured, passed("enabled", "It is switched on."), ...checks].map((check) => ({
    ...check,
    detail: hide(check.detail),
    fix: check.fix === null ? null : hide(check.fix),
  }));
}

async function examineProcess(examination: Examination): Promise<DoctorCheck[]> {
  const { definition, options } = examination;
  const directory = checkDirectory(definition.cwd);
  // Where the directory is missing, a command inside it is missing only because of that.
  const isHidden = !directory.ok && dependsOnDirectory(definition.command);
  const needed = [...(isHidden ? [] : [checkCommand(definition, options.environment)]), directory];
  const checks = [...needed, checkEnvironment(definition)];
  if (needed.some(({ ok }) => !ok)) return [...checks, ...(await compare(examination, ""))];
  if (options.installing) return [...checks, installingNow(definition, options.installing)];
  const session = await examineSession(examination);
  const trouble = session.find(({ name, ok }) => name === "handshake" && !ok);
  if (!trouble) return [...checks, ...session];
  return [...checks, ...(await compare(examination, trouble.detail)), ...session];
}

/** What works by hand has what a login shell has. */
async function compare({ name, definition, options }: Examination, said: string): Promise<DoctorCheck[]> {
  const login = (await options.loginShell?.()) ?? null;
  if (login === null) return [];
  const { compareWithShell } = await import("./login-shell.ts");
  const check = compareWithShell({ name, definition, plane: options.environment, login, said });
  return check === null ? [] : [check];
}

function installingNow(definition: ServerDefinition, { since, lastLine }: InstallStatus): DoctorCheck {
  const said = lastLine === null ? "" : ` It last wrote: ${lastLine}`;
  return passed("install", `${installerOf(definition)} installs it since ${since}.${said}`);
}

async function examineRemote(examination: Examination): Promise<DoctorCheck[]> {
  const { definition, limitMs } = examination;
  const address = checkUrl(definition.url);
  if ("check" in address) return [address.check];
  const { url } = address;
  const known = [passed("url", `It names ${url.host}.`), checkEnvironment(definition)];
  const reachable = await checkReachable(url, limitMs);
  if (!reachable.ok) return [...known, reachable];
  const session = await examineSession(examination);
  if (mayExpectTls(session) && (await isTlsPort(url, limitMs))) return [...known, plainOnTlsPort(url)];
  return [...known, reachable, ...session];
}

/** A plain server would note the attempt as a broken request, so one that answered properly is not asked. */
function mayExpectTls(session: readonly DoctorCheck[]): boolean {
  const failed = session.find(({ name, ok }) => name === "handshake" && !ok);
  // 400 is what web servers answer to plain HTTP on their TLS port.
  return failed !== undefined && !/HTTP (?!400)\d{3}/.test(failed.detail);
}

async function examineSession({ name, definition, options, limitMs }: Examination): Promise<DoctorCheck[]> {
  const opened = await openServer(definition, options.environment, {
    limitMs,
    installMs: Math.max(limitMs, definition.installTimeoutMs),
    isInstalled: options.isInstalled ?? true,
  });
  const handshake = checkHandshake(definition, opened);
  if (!handshake.ok) return [handshake];
  return [handshake, checkTools(name, definition, opened, options.takeTools)];
}
