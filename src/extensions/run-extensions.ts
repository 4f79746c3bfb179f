import type { LoadedExtension } from "../config/config.ts";
import { expandEnvironment } from "../config/config.ts";
import { limited } from "../lib/async/limited.ts";
import { serialized } from "../lib/async/once.ts";
import { isWithin } from "../lib/async/pause.ts";
import { abortable } from "../lib/async/signals.ts";
import { nowText } from "../lib/ids-and-time.ts";
import { errorText } from "../lib/text/error-text.ts";
import { redact } from "../lib/text/redact.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { Extension, ExtensionLife, ExtensionOperation, Panel } from "../model/extensions/extension.ts";
import type { ExtensionPanel, ExtensionState, ExtensionVerb } from "../model/extensions/extension-schema.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import { type KnownCaller, requireScope } from "../model/principal.ts";
import type { Additions, Owned } from "./additions.ts";
import { type ExtensionsContext, notFound } from "./context.ts";
import { createSetup } from "./setup.ts";

/** Of each step of its life. What takes longer goes on without the plane waiting for it. */
const stepMs = 30_000;
const stopMs = 5_000;
/** Of a panel, which a person waits for. */
const panelMs = 5_000;
/** Of what an operation gives, as JSON. */
const maxAnswer = 16 * 1024 * 1024;

/** An extension from its setup to its end. */
type Running = {
  loaded: LoadedExtension;
  name: string;
  state: ExtensionState["state"];
  error: string | null;
  since: string;
  setupMs: number;
  life: ExtensionLife;
  /** By what they add, in order. */
  adds: string[];
  undo: (() => void)[];
};

const emptyInput: JsonObject = { type: "object", properties: {}, additionalProperties: false };

export function createRunning(context: ExtensionsContext, additions: Additions) {
  const { settings, calls } = context;
  const news = createNews(context.recorder);
  let all: Running[] = [];
  let starting: Promise<void> = Promise.resolve();
  let isStopping = false;

  function begin(loaded: LoadedExtension): Running {
    const name = loaded.extension?.name ?? loaded.use;
    const error = loaded.extension === null ? loaded.why : null;
    const state = error === null ? "set up" : "failed";
    return { loaded, name, state, error, since: nowText(), setupMs: 0, life: {}, adds: [], undo: [] };
  }

  /** It is named, what it has added goes, and the plane goes on. */
  function fail(one: Running, step: string, thrown: unknown): void {
    one.state = "failed";
    one.error = redact(`its '${step}' failed: ${errorText(thrown)}`);
    remove(one);
    news.tell({ type: "extension.failed", extension: one.name, reason: one.error });
  }

  function remove(one: Running): void {
    for (const undo of one.undo.splice(0).reverse()) undo();
    one.adds.length = 0;
  }

  /** The keys that are not known are named, which the validator does not. */
  async function check(schema: JsonObject, value: JsonObject) {
    const { properties, additionalProperties } = schema;
    const known = isObject(properties) ? Object.keys(properties) : [];
    const unknown = additionalProperties === false ? Object.keys(value).filter((key) => !known.includes(key)) : [];
    const has = known.length === 0 ? "nothing can be set" : `known are ${known.join(", ")}`;
    if (unknown.length > 0) return unknown.map((path) => ({ path, message: `is unknown; ${has}` }));
    return calls.checkSchema(schema, value);
  }

  async function checkedSettings({
    extension,
    settings: written,
    directory,
  }: LoadedExtension & { extension: Extension }) {
    const expanded = expandEnvironment(written, context.environment, (name) => {
      throw new PlaneError("CONFIG_INVALID", `The variable ${name}, which its settings refer to, is not set.`);
    }) as JsonObject;
    const problems = await check(extension.settings ?? emptyInput, expanded);
    if (problems.length > 0) throw new PlaneError("CONFIG_INVALID", `Its settings are wrong: ${render(problems)}.`);
    return settings.withSecrets(expanded, directory);
  }

  async function setUp(one: Running, before: readonly Running[]): Promise<void> {
    const { loaded } = one;
    if (loaded.extension === null) return;
    const { extension } = loaded;
    const begunAt = performance.now();
    let life: Promise<ExtensionLife> | undefined;
    try {
      // What a configuration names twice is known earlier; a program may bring one of the same name.
      if (before.some(({ name }) => name === one.name)) throw new Error(`another extension is called '${one.name}'`);
      const written = await checkedSettings(loaded);
      const { name, adds, undo } = one;
      const setup = createSetup(context, additions, { name, loaded, adds, undo, tell: news.tell }, written);
      life = Promise.resolve(setup.given).then(async (given) => lifeOf(await extension.setup(given)));
      await limited(() => life?.then(setup.close), stepMs);
      one.life = await life;
    } catch (thrown) {
      fail(one, "setup", thrown);
      // Also where it comes late: what it has opened is closed.
      life?.then(({ stop }) => stop?.()).catch(() => undefined);
    }
    one.setupMs = performance.now() - begunAt;
  }

  /** In order; one that fails is left out. */
  async function step(name: "start" | "stop", among: readonly Running[], limitMs: number): Promise<void> {
    for (const one of among) {
      if (name === "start" && isStopping) return;
      try {
        await limited(() => one.life[name]?.(), limitMs);
        if (name === "start") one.state = "started";
      } catch (thrown) {
        fail(one, name, thrown);
      }
    }
  }

  const usable = () => all.filter(({ state }) => state !== "failed" && state !== "stopped");

  function require(operation: string): Owned<ExtensionOperation> {
    const found = additions.operations.get(operation);
    if (found === undefined) throw notFound(operation);
    return found;
  }

  return {
    async setUp(): Promise<void> {
      all = settings.extensions().map(begin);
      for (const [at, one] of all.entries()) await setUp(one, all.slice(0, at));
      setImmediate(news.release);
    },
    start: (): Promise<void> => {
      starting = step("start", usable(), stepMs);
      return starting;
    },
    /** Settings that are wrong leave the earlier ones in force. */
    reload: serialized(async (): Promise<void> => {
      const now = settings.extensions();
      for (const one of usable()) {
        const next = now.find(({ extension }) => extension?.name === one.name);
        if (next === undefined || next.extension === null || isStopping) continue;
        try {
          const given = await checkedSettings(next);
          await limited(() => one.life.reload?.(given), stepMs);
          one.error = null;
        } catch (thrown) {
          one.error = redact(`its 'reload' failed: ${errorText(thrown)}`);
          news.tell({ type: "extension.failed", extension: one.name, reason: one.error });
        }
      }
    }),
    /** The last one first, also one that could not start: it may have opened something before. */
    async stop(): Promise<void> {
      news.release();
      isStopping = true;
      await isWithin(starting, stopMs);
      const ending = all.filter(({ state }) => state !== "stopped").reverse();
      await step("stop", ending, stopMs);
      for (const one of ending) {
        remove(one);
        if (one.state !== "failed") one.state = "stopped";
      }
    },
    list: (): ExtensionState[] => all.map(show),
    operations: (): ExtensionVerb[] => [...additions.operations.values()].map(showOperation),
    panels: (): Promise<ExtensionPanel[]> => Promise.all([...additions.panels].map(showPanel)),
    async run(name: string, input: JsonObject, caller: KnownCaller & { signal?: AbortSignal }): Promise<Json> {
      const { extension, value: operation } = require(name);
      const { principal, signal } = caller;
      requireScope(principal, operation.scope, `run '${name}'`);
      const problems = await check(operation.input ?? emptyInput, input);
      if (problems.length > 0) {
        const message = `The input of '${name}' is wrong: ${render(problems)}.`;
        throw new PlaneError("USAGE", message, { data: { operation: name } });
      }
      const given = { principal, ...(signal && { signal }) };
      const run = async () => asJson(await abortable(Promise.resolve(operation.run(input, given)), signal));
      try {
        const record = {
          operation: name,
          target: () => extension,
          input,
          snapshot: async () => undefined,
          after: () => undefined,
        };
        return await (operation.changes ? context.plane.audit.run(record, caller, run) : run());
      } catch (thrown) {
        if (thrown instanceof PlaneError) throw thrown;
        const data = { extension, operation: name };
        if (signal?.aborted) throw new PlaneError("CANCELLED", `The operation '${name}' was cancelled.`, { data });
        const message = `The operation '${name}' of the extension '${extension}' failed: ${redact(errorText(thrown))}`;
        throw new PlaneError("PROVIDER_FAILED", message, { data });
      }
    },
  };
}

/** Who makes a plane can listen to it only then: what happens before is emitted right after. */
function createNews(recorder: ExtensionsContext["recorder"]) {
  let early: PlaneEvent[] | null = [];
  return {
    tell: (event: PlaneEvent) => void (early ? early.push(event) : recorder.emit(event)),
    release(): void {
      const waiting = early ?? [];
      early = null;
      for (const event of waiting) recorder.emit(event);
    },
  };
}

/** A path is a JSON pointer of the validator, or a key. */
function render(problems: readonly { path: string; message: string }[]): string {
  const named = problems.map(({ path, message }) => [path.replace(/^\//, "").replaceAll("/", "."), message] as const);
  return named.map(([name, message]) => (name === "" ? message : `'${name}' ${message}`)).join("; ");
}

function asJson(value: unknown): Json {
  const text = JSON.stringify(value) ?? "null";
  if (text.length > maxAnswer) throw new Error(`it gives more than ${maxAnswer / 1024 / 1024} MiB`);
  return JSON.parse(text) as Json;
}

function lifeOf(given: unknown): ExtensionLife {
  return isObject(given) ? (given as ExtensionLife) : {};
}

function show({ loaded, name, state, error, since, setupMs, adds }: Running): ExtensionState {
  const { use, importMs, extension } = loaded;
  return {
    name,
    use,
    builtIn: false,
    about: extension?.about ?? null,
    state,
    error,
    interface: extension?.interface ?? 1,
    since,
    importMs: Math.round(importMs * 10) / 10,
    setupMs: Math.round(setupMs * 10) / 10,
    adds: [...adds],
    needs: [...(extension?.needs ?? [])],
    settings: extension?.settings ?? null,
  };
}

function showOperation({ extension, value }: Owned<ExtensionOperation>): ExtensionVerb {
  const { name, summary, scope, input = emptyInput, changes = false, positional, columns = null } = value;
  const required = Array.isArray(input.required) ? input.required.map(String) : [];
  return {
    name,
    extension,
    summary,
    scope,
    changes,
    input,
    positional: [...(positional ?? required)],
    columns: columns && { ...columns },
  };
}

async function showPanel({ extension, value: { title, facts } }: Owned<Panel>): Promise<ExtensionPanel> {
  try {
    const found = await limited(facts, panelMs);
    const shown = found.map(({ label, value, about = null }) => ({
      label: String(label),
      value: ["string", "number", "boolean"].includes(typeof value) ? value : value == null ? null : String(value),
      about: about === null ? null : String(about),
    }));
    return { extension, title, facts: shown, error: null };
  } catch (thrown) {
    return { extension, title, facts: [], error: redact(errorText(thrown)) };
  }
}
