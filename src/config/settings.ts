import { realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { ProviderSpec } from "../model/catalogue/tool.ts";
import {
  type Config,
  type FromFile,
  type Manifests,
  renderProblems,
} from "../model/config/config.ts";
import { noTrust, type ProjectTrust, trustLinesOf } from "../model/config/setup.ts";
import { PlaneError } from "../model/errors.ts";
import type { BroughtExtension } from "../model/extensions/extension.ts";
import type { NotForeign } from "../model/foreign.ts";
import type { Path } from "../model/json.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import type { PlaneFiles } from "../model/store.ts";
import { type Environment, workingDirectory } from "./environment.ts";
import type { LoadedExtension } from "./extensions/load-extensions.ts";
import { loadConfig, requireSafe } from "./load-config.ts";
import { checkRegistered } from "./manifests/check-entry.ts";
import type { ConfigSource } from "./read-source.ts";
import type { AddedReaders } from "./secrets/read-secret.ts";
import { resolveSecrets, revealConfig } from "./secrets/resolve-secrets.ts";
import { isOwnSource } from "./start-place.ts";
import { createTrustAnswers, openProject, type ProjectPlace } from "./trust/answers.ts";
import { createDirectories } from "./trust/directories.ts";
import type { PulledFile } from "./trust/pulled-files.ts";

export async function createSettings(
  source: ConfigSource,
  environment: Environment,
  place?: ProjectPlace,
  adapt: (config: Config) => Config = (config) => config,
  /** Extensions that the program brings. */
  brought: readonly BroughtExtension[] = [],
) {
  const project = place === undefined ? null : openProject(place);
  const answers = project?.answers ?? createTrustAnswers(undefined);
  const load = async () => {
    const loadedConfig = await loadConfig(source, environment, project?.read());
    requireSafe(loadedConfig.config);
    return {
      ...loadedConfig,
      extensions: [...givenExtensions, ...loadedConfig.extensions],
      config: adapt(loadedConfig.config),
    };
  };
  // They add to what a configuration may say, so they come first.
  const givenExtensions = brought.length === 0 ? [] : await takeExtensions(brought);
  let current = await load();
  let addedReaders: AddedReaders = () => undefined;
  const withSecrets = <T>(value: T & NotForeign<T>, directory: string) =>
    resolveSecrets(value, { directory, added: addedReaders });
  const directoryOf = (server: string) => current.directoryOf(server);
  const directories = createDirectories(() => current, answers);
  const resolvedSecret = async (path: Path, value: string | undefined) => {
    if (value === undefined) return undefined;
    return withSecrets(value, dirname(current.merged.originOf(path)?.file ?? ""));
  };
  /** A file is read when it is needed, which may be long after it was judged. */
  const requireUnchanged = async (isNeeded: (one: PulledFile) => boolean): Promise<void> => {
    const neededFiles = current.pulled.filter(isNeeded);
    if (neededFiles.length === 0 || project === null) return;
    const { directory, answer } = project.read();
    const { isStillTrusted } = await import("./trust/pulled-files.ts");
    // What a program loads comes before the program, so that the file is named that has changed.
    const loadedFirst = neededFiles.toSorted((a, b) => rankOf(a) - rankOf(b));
    const changed = loadedFirst.find((pulled) => !isStillTrusted(pulled, directory ?? "", answer));
    if (changed !== undefined) throw changedFile(changed);
  };
  const rankOf = ({ base }: PulledFile) => (base === null ? 0 : 1);
  const isOf = ({ needs }: PulledFile, server: string) =>
    needs !== "settings" && "server" in needs && needs.server === server;
  const requireServerFiles = (server: string) => requireUnchanged((pulled) => isOf(pulled, server));
  /** A reference may name another document than the one that was judged. */
  const requireDocument = async (server: string, writtenDocument: string): Promise<void> => {
    await requireServerFiles(server);
    const file = current.merged.originOf(["servers", server])?.file ?? "";
    if (!project?.read().files.includes(file)) return;
    const { documentFile } = await import("./trust/pulled-files.ts");
    const judgedDocuments = current.pulled.filter(
      (pulled) => pulled.kind === "openapi" && isOf(pulled, server),
    );
    for (const document of documentFile(writtenDocument, directoryOf(server)))
      if (!judgedDocuments.some((pulled) => pulled.file === document)) throw unjudged(server);
  };
  /** Every recorded call asks, and it changes with the configuration. */
  let planeFilesCache: { config: Config; files: PlaneFiles } | undefined;
  return {
    config: (): Config => current.config,
    fileOf: (path: Path) => current.merged.originOf(path)?.file,
    directoryOf,
    /** What makes this plane another one than others of the same user, and all its files. */
    planeFiles(): PlaneFiles {
      if (planeFilesCache?.config === current.config) return planeFilesCache.files;
      const files = current.config.files.filter((file) => isAbsolute(file));
      const special = files.filter((file) => !isOwnSource(file, environment, project?.read()));
      const ownFiles = (special.length > 0 ? special : files).map(realPath);
      planeFilesCache = {
        config: current.config,
        files: { own: ownFiles, files: files.map(realPath) },
      };
      return planeFilesCache.files;
    },
    sources: () => [...current.sources(), ...(answers.file === null ? [] : [answers.file])],
    /** The user's own servers that work in the directory of each caller. */
    directories: {
      ...directories,
      /** Of callers who say none; null where the plane belongs to none. */
      home: project?.directory ?? null,
      async secretsIn(name: string, definition: ServerDefinition, directory: string) {
        directories.requireTrusted(name, directory);
        return current.placed(name, await withSecrets(definition, directoryOf(name)), directory);
      },
    },
    trust: {
      list: async (): Promise<ProjectTrust> => current.trust ?? noTrust(""),
      /** Only what is in force now: a line that changed since it was shown has another hash. */
      async approve(hashes: readonly string[], directory: string | undefined): Promise<void> {
        if (directory !== undefined && directory !== project?.directory)
          return directories.answer(directory, hashes, true);
        const lines = (current.trust ? trustLinesOf(current.trust) : []).filter(({ hash }) =>
          hashes.includes(hash),
        );
        if (project === null || lines.length < new Set(hashes).size) throw changedSince();
        await project.remember(lines, true);
      },
      revoke: async (): Promise<void> => project?.forget(),
      /** In the directory of a caller. */
      unanswered(callerDirectory: string | undefined) {
        const directory = callerDirectory ?? project?.directory ?? null;
        return {
          directory: directory ?? "",
          lines: directory === null ? [] : directories.unanswered(directory),
        };
      },
      async decline(hashes: readonly string[], callerDirectory: string | undefined): Promise<void> {
        const directory = callerDirectory ?? project?.directory ?? null;
        if (directory !== null) await directories.answer(directory, hashes, false);
      },
    },
    checkTool: (definition: { readonly [key: string]: unknown }) =>
      checkRegistered(definition, environment),
    extensions: () => current.extensions,
    waitsForTrust: (section: string) => current.waiting.some(({ path }) => path[0] === section),
    /** From now on extensions read the kinds of secrets that they have added. */
    readAddedSecrets(readers: AddedReaders): void {
      addedReaders = readers;
    },
    withSecrets,
    keyOfModel: (name: string, written: string) =>
      withSecrets(written, dirname(current.merged.originOf(["models", name])?.file ?? "")),
    /** A provider's configuration with its variables and secrets in their places. For use, not to be kept or shown. */
    reveal: (spec: ProviderSpec) => revealConfig(spec, environment, (kind) => addedReaders(kind)),
    secretValues: () => [...current.variables.values()],
    /** Rejects where the API document, or another file of the server's entry, is not what a person has trusted. */
    requireDocument,
    async secretsOf(name: string, definition: ServerDefinition) {
      await requireServerFiles(name);
      return current.placed(name, await withSecrets(definition, directoryOf(name)));
    },
    /** Rejects where a file that belongs to the project's hooks is another than a person has trusted. */
    requireHooks: () => requireUnchanged(({ kind }) => kind === "hook"),
    /** Read when it is needed, as every secret. */
    vaultKey: () => resolvedSecret(["vaultKey"], current.config.vaultKey),
    /** With the secrets of the sign-in provider and of known clients. */
    auth: () =>
      withSecrets(current.config.auth, dirname(current.merged.originOf(["auth"])?.file ?? "")),
    hmacKey: () => resolvedSecret(["audit", "hmacKey"], current.config.audit.hmacKey),
    signingKey: () => resolvedSecret(["audit", "signingKey"], current.config.audit.signingKey),
    otlp: async () => {
      const { otlp } = current.config.observability;
      const file = current.merged.originOf(["observability", "otlp", "endpoint"])?.file ?? "";
      if (otlp === null || otlp.endpoint === "") return null;
      return withSecrets(otlp, dirname(file));
    },
    /** Reads everything again. `take` puts it in force; a server that has become unreadable stays as it was. */
    async readAgain(): Promise<{ config: Config; take(): void }> {
      const next = await load();
      requireFiles(current.config, next.config);
      const config = keepGood(current.config, next.config);
      return {
        config,
        take() {
          current = { ...next, config };
        },
      };
    },
  };
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function takeExtensions(
  programExtensions: readonly BroughtExtension[],
): Promise<LoadedExtension[]> {
  const { givenExtension } = await import("./extensions/load-extensions.ts");
  return programExtensions.map((extension) => givenExtension(extension, workingDirectory()));
}

/** A file that is gone or cannot be read says nothing about its servers, so what was loaded stays. */
function requireFiles({ files }: Config, next: Config): void {
  const lostFiles = files.filter((file) => !next.files.includes(file));
  if (lostFiles.length === 0) return;
  const problems = next.problems.filter(({ file }) => lostFiles.includes(file));
  const why = problems.length > 0 ? renderProblems(problems) : lostFiles.join(", ");
  const text = `${why}\nWhat was loaded stays. Put the file back, or restart the plane without it.`;
  throw new PlaneError("CONFIG_INVALID", text, { data: { problems } });
}

function changedFile({ line: { name } }: PulledFile): PlaneError {
  const message = `The file '${name}' of the project has changed since it was trusted. Look at it, then trust it with 'toolplane trust'.`;
  return new PlaneError("CONFIG_INVALID", message, { data: { file: name } });
}

function unjudged(server: string): PlaneError {
  const message = `The API document of '${server}' is named by a secret, so that no person can trust it. Write its path into 'openapi'.`;
  return new PlaneError("CONFIG_INVALID", message, { data: { server } });
}

function changedSince(): PlaneError {
  const message =
    "The project brings no launch line with this hash; it may have changed. Look at it again, then trust it.";
  return new PlaneError("CONFLICT", message);
}

/** An edit that broke something leaves its last good version in force; the problem is reported all the same. */
function keepGood(before: Config, after: Config): Config {
  const spoiled = Object.keys(after.broken).filter((name) => before.servers[name] !== undefined);
  const isSpoiled = ([name]: [string, unknown]) => spoiled.includes(name);
  return {
    ...after,
    servers: {
      ...after.servers,
      ...Object.fromEntries(Object.entries(before.servers).filter(isSpoiled)),
    },
    broken: Object.fromEntries(Object.entries(after.broken).filter((entry) => !isSpoiled(entry))),
    fromManifests: keepManifests(before, after),
  };
}

/** What a file with errors no longer says may be what the errors are about. */
function keepManifests(before: Config, after: Config): Manifests {
  const withErrors = new Set(after.problems.filter(isError).map(({ file }) => file));
  const keep = <T extends { name: string; persona?: string | undefined }>(
    old: FromFile<T>[],
    now: FromFile<T>[],
  ) => {
    const currentKeys = new Set(now.map(keyOf));
    return [
      ...now,
      ...old.filter((entry) => withErrors.has(entry.file) && !currentKeys.has(keyOf(entry))),
    ];
  };
  const old = before.fromManifests;
  const now = after.fromManifests;
  return {
    tools: keep(old.tools, now.tools),
    skills: keep(old.skills, now.skills),
    tasks: keep(old.tasks, now.tasks),
    jobs: keep(old.jobs, now.jobs),
  };
}

function isError({ severity }: Config["problems"][number]): boolean {
  return severity === "error";
}

function keyOf({ name, persona }: { name: string; persona?: string | undefined }): string {
  return JSON.stringify([persona ?? null, name]);
}
