import { once } from "../lib/async/once.ts";
import { nearest, suggestionOf } from "../lib/text/nearest.ts";
import { version } from "../lib/version.ts";
import type { Finding } from "../model/catalogue/quality-schema.ts";
import type { Embed } from "../model/catalogue/search.ts";
import type { FoundTool } from "../model/catalogue/search-schema.ts";
import type { DoctorReport } from "../model/config/doctor-schema.ts";
import { PlaneError } from "../model/errors.ts";
import type { ExecuteStage, OpenTransport } from "../model/extensions/extension.ts";
import type { ExtensionState } from "../model/extensions/extension-schema.ts";
import type { JsonObject, UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import type { Inside } from "../model/principal.ts";
import { createAdditions, newestOf } from "./additions.ts";
import { inOrderOf, scanWith } from "./consult.ts";
import { type ExtensionsContext, notFound } from "./context.ts";
import { startCosts } from "./start-costs.ts";
import type { PackageState } from "./watch-packages.ts";

const noAdditions: readonly never[] = [];

export { type PackageState, watchPackages } from "./watch-packages.ts";

/** What extends this plane. Nothing is loaded where nothing does. */
export function createExtensions(context: ExtensionsContext) {
  const additions = createAdditions();
  const { settings } = context;
  settings.readAddedSecrets((kind) => additions.secrets.get(kind)?.value);
  const loaded = once(async () =>
    (await import("./run-extensions.ts")).createRunning(context, additions),
  );
  let wasUsed = false;
  /** One that the configuration no longer names is in use until the process ends. */
  const isUsed = () => {
    wasUsed ||= settings.extensions().length > 0;
    return wasUsed;
  };
  const whenUsed = async <T>(
    fallback: T,
    act: (running: Awaited<ReturnType<typeof loaded>>) => T | Promise<T>,
  ) => (isUsed() ? act(await loaded()) : fallback);
  const list = async () => [
    ...(await whenUsed([], (running) => running.list())),
    ...context.packageStates().map(showPackage),
  ];
  const verbs: Inside<Plane["extensions"]> = {
    list,
    get: async (name) => {
      const states = await list();
      return (
        states.find((state) => state.name === name) ??
        Promise.reject(unknownExtension(name, states))
      );
    },
    operations: async () => whenUsed([], (running) => running.operations()),
    panels: async () => whenUsed([], (running) => running.panels()),
    run: async (operation, input, caller) => {
      if (!isUsed()) throw notFound(operation);
      return (await loaded()).run(operation, (input ?? {}) as JsonObject, caller);
    },
  };
  return {
    verbs,
    openTransport: (scheme: string): OpenTransport | undefined =>
      additions.transports.get(scheme)?.value,
    scan: (entry: UnknownObject): readonly Finding[] =>
      additions.scanners.size === 0 ? noAdditions : scanWith(additions.scanners, entry),
    embedder: (): { name: string; embed: Embed } | undefined => {
      const embedder = newestOf(additions.embedders);
      return embedder && { name: embedder.extension, embed: embedder.value };
    },
    rank: async (query: string, tools: readonly FoundTool[]): Promise<readonly FoundTool[]> => {
      const ranker = newestOf(additions.rankers);
      if (ranker === undefined || tools.length < 2) return tools;
      return inOrderOf(ranker.value, query, tools);
    },
    /** Of an operation that is named as it is, or as a tool would be: `notes.find`, `notes__find`. */
    operationCommand: (name: string): string | null => {
      const operation = name.replace("__", ".");
      if (!additions.operations.has(operation)) return null;
      return `toolplane ${operation.replace(".", " ")}`;
    },
    /** From the outermost to the innermost. */
    stages: (): readonly ExecuteStage[] =>
      additions.stages.size === 0 ? noAdditions : [...additions.stages].map(({ value }) => value),
    examine: async () => (await whenUsed([], (running) => running.list())).map(checkOf),
    setUp: (onNext?: (name: string) => void) =>
      whenUsed(undefined, (running) => running.setUp(onNext)),
    start: () => void whenUsed(undefined, (running) => running.start()),
    reload: () => whenUsed(undefined, (running) => running.reload()),
    stop: () => whenUsed(undefined, (running) => running.stop()),
  };
}

function unknownExtension(name: string, states: readonly ExtensionState[]): PlaneError {
  const names = states.map((state) => state.name);
  const suggestion = suggestionOf(nearest(name, names, 1));
  return new PlaneError(
    "NOT_FOUND",
    `There is no extension '${name}'.${suggestion} 'toolplane extensions list' shows all.`,
  );
}

function showPackage({ name, since, importMs }: PackageState): ExtensionState {
  const state = since === null ? "not loaded" : "loaded";
  const ownFields = { about: null, error: null, adds: [], needs: [], settings: null };
  return {
    name,
    use: name,
    version,
    source: "toolplane",
    builtIn: true,
    state,
    since,
    interface: 1,
    ...startCosts(importMs, 0),
    ...ownFields,
  };
}

function checkOf({
  name,
  state,
  error,
  adds,
}: ExtensionState): NonNullable<DoctorReport["extensions"]>[number] {
  if (error !== null) {
    const fix =
      "Correct it, or take it out of 'extensions' of the configuration; then start the plane again.";
    return { name, ok: false, checks: [{ name: state, ok: false, detail: error, fix }] };
  }
  const detail = adds.length === 0 ? "it adds nothing" : `it adds ${adds.join(", ")}`;
  return { name, ok: true, checks: [{ name: state, ok: true, detail, fix: null }] };
}
