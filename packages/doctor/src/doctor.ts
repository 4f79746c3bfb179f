import { resolve } from "node:path";
import { workingDirectory } from "@toolplane/core/config";
import { once } from "@toolplane/core/lib/async/once";
import { createHider, looksSecret } from "@toolplane/core/lib/text/redact";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { toPlaneError } from "@toolplane/core/model/errors";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import type { InstallStatus, ServerStatus } from "@toolplane/core/model/servers/server-schema";
import {
  type DoctorMeans,
  type DoctorPackage,
  type EndedSignIn,
  inheritedSecrets,
  installerOf,
  type RequestCredentials,
  type ServerPackages,
  type TakeTools,
} from "@toolplane/core/servers";
import { checkCommand, checkDirectory, dependsOnDirectory } from "./check-command.ts";
import {
  checkBroken,
  checkEnvironment,
  checkTrusted,
  failed,
  passed,
} from "./check-configuration.ts";
import { checkReachable, checkUrl, isTlsPort, plainOnTlsPort } from "./check-network.ts";
import { checkHandshake, checkSignIn, checkStay, checkTools, openServer } from "./check-session.ts";
import { readLoginShell } from "./login-shell.ts";

/** All at once: a server that hangs delays the report, not the others. */
export const examineServers: DoctorPackage["examineServers"] = async (names, directory, means) => {
  // A server that has listed before is installed.
  await means.discover([]);
  const definitions = new Map(directory.all().map(([name, server]) => [name, server.definition]));
  const statuses = new Map(directory.status().map((status) => [status.name, status]));
  const loginShell = once(() => readLoginShell(means.environment));
  const examine = async (name: string) => {
    const waits = directory.waitsFor(name);
    if (waits !== null) return { name, ok: false, checks: [checkTrusted(waits)] };
    const definition = definitions.get(name);
    const subject = await subjectOf(name, definition, directory.broken(), means);
    const { listedAt = null, installing } = statuses.get(name) ?? {};
    const { environment, packages, takeTools } = means;
    const namedBy = definition && means.access(name, definition, null).namedBy;
    const options = {
      environment,
      packages,
      takeTools,
      directory: workingDirectory(),
      installing,
      loginShell,
      namedBy,
    };
    const serverChecks = await examineServer(name, subject, {
      ...options,
      isInstalled: listedAt !== null,
      lost: lostAgain(statuses.get(name)),
      endedSignIn: means.endedSignIns.get(name),
    }).catch(crashChecks);
    const secrets = [
      ...referencedSecrets(definition, subject),
      ...inheritedSecrets(environment, definition?.inheritEnv),
    ];
    const checks = hideIn(serverChecks, createHider([...means.secretValues(), ...secrets]));
    return { name, ok: checks.every(({ ok }) => ok), checks };
  };
  return { servers: await Promise.all(names.map(examine)) };
};

const minCrashLoop = 2;

/** A process that dies again and again in the plane, and lives while it is examined. */
function lostAgain(status: ServerStatus | undefined): string | null {
  if (status?.transport !== "stdio" || status.state === "connected" || status.error === null)
    return null;
  const { attempts = 0, error } = status;
  if (attempts < minCrashLoop) return null;
  return `The plane has lost it ${attempts} times in a row: ${error}.`;
}

function hideIn(checks: readonly DoctorCheck[], hide: (text: string) => string): DoctorCheck[] {
  return checks.map((check) => ({
    ...check,
    detail: hide(check.detail),
    fix: check.fix && hide(check.fix),
  }));
}

/** A check that crashes is a finding of its own. */
function crashChecks(thrown: unknown): DoctorCheck[] {
  return [failed("configuration", toPlaneError(thrown).message, "Correct what the message names.")];
}

/** Values that became secret because they were read from elsewhere. */
function referencedSecrets(
  configured: ServerDefinition | undefined,
  subject: ServerDefinition | { broken: string },
): string[] {
  if (configured === undefined || "broken" in subject) return [];
  const configuredTexts = new Set(textsOf(configured));
  return textsOf(subject).filter((text) => !configuredTexts.has(text));
}

function textsOf({ args, env, headers, auth, url }: ServerDefinition): string[] {
  const credentials = [auth?.token ?? "", ...Object.values(auth?.schemes ?? {})];
  return [...args, ...Object.values(env), ...Object.values(headers), ...credentials, url ?? ""];
}

async function subjectOf(
  name: string,
  definition: ServerDefinition | undefined,
  broken: Readonly<Record<string, string>>,
  { resolveSecrets }: DoctorMeans,
) {
  if (definition === undefined) return { broken: broken[name] ?? "it is not configured" };
  return resolveSecrets(name, definition).catch((thrown) => ({
    broken: toPlaneError(thrown).message,
  }));
}

const defaultLimitMs = 10_000;

type ExamineOptions = {
  environment: Readonly<Record<string, string | undefined>>;
  packages: ServerPackages;
  /** Where a server without a `cwd` starts. */
  directory: string;
  takeTools: TakeTools;
  isInstalled?: boolean;
  /** The installer that is at work: a second one would be in its way. */
  installing?: InstallStatus | undefined;
  /** Says that the plane lost the server again and again. */
  lost?: string | null;
  /** Why and when its last sign-in ended. */
  endedSignIn?: EndedSignIn | undefined;
  /** Asked when a server does not start. */
  loginShell?(): Promise<Readonly<Record<string, string | undefined>> | null>;
  /** Hears what the session came to. */
  onOpened?(opened: { failure: { status?: number | undefined } | null }): void;
  /** The gate for addresses that a document names. */
  namedBy?: RequestCredentials["namedBy"];
  /** For reaching a server, and again for handshake and listing. */
  limitMs?: number;
};

type LocatedServer = ServerDefinition & { cwd: string };
type Examination = {
  name: string;
  definition: LocatedServer;
  options: ExamineOptions;
  limitMs: number;
};

/** Step by step, until the next step can tell nothing new. */
export async function examineServer(
  name: string,
  subject: ServerDefinition | { broken: string },
  options: ExamineOptions,
): Promise<DoctorCheck[]> {
  if ("broken" in subject) return [checkBroken(name, subject.broken)];
  const configured = passed(
    "configuration",
    `It is complete; the transport is ${subject.transport}.`,
  );
  if (!subject.enabled)
    return [
      configured,
      passed("enabled", "It is switched off ('enabled' is false), so nothing else was checked."),
    ];
  const definition = { ...subject, cwd: resolve(options.directory, subject.cwd ?? "") };
  // What is too slow for the plane is too slow here.
  const limitMs = Math.min(options.limitMs ?? defaultLimitMs, subject.connectTimeoutMs);
  const examination = { name, definition, options, limitMs };
  const checks = await examinerOf(subject)(examination);
  return hideIn(
    [configured, passed("enabled", "It is switched on."), ...checks],
    hideSecrets(definition),
  );
}

function examinerOf({
  transport,
}: ServerDefinition): (examination: Examination) => Promise<DoctorCheck[]> {
  if (transport === "openapi")
    return async ({ options, ...examination }) =>
      (await import("./check-api.ts")).examineApi({
        ...examination,
        ...options,
        limitMs: examination.limitMs,
      });
  if (transport === "memory" || transport === "skills") return examineSession;
  return transport === "stdio" ? examineProcess : examineRemote;
}

async function examineProcess(examination: Examination): Promise<DoctorCheck[]> {
  const { definition, options } = examination;
  const directory = checkDirectory(definition.cwd);
  const { container } = definition;
  const isInMissingDirectory = !directory.ok && dependsOnDirectory(definition.command);
  const requiredChecks = [directory];
  if (container) {
    const { checkContainer } = await options.packages.containers();
    requiredChecks.unshift(checkContainer(container, options.environment));
  } else if (!isInMissingDirectory)
    requiredChecks.unshift(checkCommand(definition, options.environment));
  const checks = [...requiredChecks, checkEnvironment(definition)];
  if (requiredChecks.some(({ ok }) => !ok))
    return [...checks, ...(await compareWithLoginShell(examination))];
  if (options.installing) {
    const { since, lastLine } = options.installing;
    const lastLineText = lastLine === null ? "" : ` It last wrote: ${lastLine}`;
    return [
      ...checks,
      passed("install", `${installerOf(definition)} installs it since ${since}.${lastLineText}`),
    ];
  }
  const session = await examineSession(examination);
  const trouble = failedHandshake(session);
  if (!trouble) return [...checks, ...session];
  const comparison = await compareWithLoginShell(examination, trouble.detail);
  return [...checks, ...session, ...comparison];
}

/** A server that starts by hand, and not here, may miss what a login shell sets. */
async function compareWithLoginShell(
  { name, definition, options }: Examination,
  serverWords = "",
): Promise<DoctorCheck[]> {
  const login = (await options.loginShell?.()) ?? null;
  if (login === null) return [];
  const { compareWithShell } = await import("./login-shell.ts");
  const check = compareWithShell({
    name,
    definition,
    plane: options.environment,
    login,
    serverWords,
  });
  return check === null ? [] : [check];
}

async function examineRemote(examination: Examination): Promise<DoctorCheck[]> {
  const { definition, limitMs } = examination;
  const address = checkUrl(definition.url);
  if ("check" in address) return [address.check];
  const { url } = address;
  const addressChecks = [passed("url", `It names ${url.host}.`), checkEnvironment(definition)];
  const reachable = await checkReachable(url, limitMs);
  if (!reachable.ok) return [...addressChecks, reachable];
  const session = await examineSession(examination);
  if (mayExpectTls(session) && (await isTlsPort(url, limitMs)))
    return [...addressChecks, plainOnTlsPort(url)];
  return [...addressChecks, reachable, ...session];
}

function failedHandshake(session: readonly DoctorCheck[]): DoctorCheck | undefined {
  return session.find(({ name, ok }) => name === "handshake" && !ok);
}

/** A plain server would log a broken request, so one that answered is not asked. */
function mayExpectTls(session: readonly DoctorCheck[]): boolean {
  const failed = failedHandshake(session);
  // Web servers answer 400 to plain HTTP on their TLS port.
  return failed !== undefined && !/HTTP (?!400)\d{3}/.test(failed.detail);
}

async function examineSession({
  name,
  definition,
  options,
  limitMs,
}: Examination): Promise<DoctorCheck[]> {
  const opened = await openServer(definition, options, {
    limitMs,
    installMs: Math.max(limitMs, definition.installTimeoutMs),
    isInstalled: options.isInstalled ?? true,
  });
  options.onOpened?.(opened);
  const isRefused = opened.failure?.status === 401;
  if (isRefused && options.endedSignIn) return [checkSignIn(name, options.endedSignIn)];
  const handshake = checkHandshake(name, definition, opened);
  if (!handshake.ok) return [handshake];
  const stay = checkStay(definition, opened, options.lost ?? null);
  const tools = checkTools(name, definition, opened, options.takeTools);
  if (stay === null) return [handshake, tools];
  return [handshake, tools, stay];
}

/** A named secret may be shorter than a guessed one. */
const shortestSecret = 4;

export function hideSecrets({
  args,
  env,
  headers,
  auth,
  url,
}: ServerDefinition): (text: string) => string {
  const secretNamed = Object.entries({ ...env, ...headers }).filter(([name]) => looksSecret(name));
  const values = secretNamed.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, "")]);
  const credentials = [auth?.token, auth?.clientSecret, ...Object.values(auth?.schemes ?? {})];
  const furtherSecrets = [
    ...credentials,
    ...secretArguments(args),
    ...(url ? urlSecrets(url) : []),
  ];
  return createHider([...values, ...furtherSecrets], shortestSecret);
}

/** `--token=x` and `--token x`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, flag = "", value] = /^(-{1,2}[\w-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (!looksSecret(flag)) return [];
    const next = args[index + 1];
    if (value !== undefined) return [value];
    return next === undefined || next.startsWith("-") ? [] : [next];
  });
}

function urlSecrets(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  return [username, decodeURIComponent(password), password, ...searchParams.values()];
}

function problemText({ detail, fix }: DoctorCheck): string {
  if (fix === null) return detail;
  return `${detail} ${fix}`;
}

export const tryServer: DoctorPackage["tryServer"] = async (name, definition, place) => {
  let tools: number | null = null;
  let status: number | undefined;
  const checks = await examineServer(name, definition, {
    ...place,
    isInstalled: false,
    onOpened({ failure }) {
      status = failure?.status;
    },
    takeTools(_, __, listed) {
      tools = listed.length;
      return { tools: listed, rejected: [] };
    },
  });
  const failedCheck = checks.find(({ ok }) => !ok);
  const problem = failedCheck === undefined ? null : problemText(failedCheck);
  const isAnonymous = definition.auth === undefined && Object.keys(definition.headers).length === 0;
  return { tools, needsSignIn: status === 401 && isAnonymous, problem };
};
