import { type LoadedExtension, packageVersionOf } from "../config/config.ts";
import { limited } from "../lib/async/limited.ts";
import { serialized } from "../lib/async/once.ts";
import { isWithin } from "../lib/async/pause.ts";
import { abortable } from "../lib/async/signals.ts";
import { nowText } from "../lib/ids-and-time.ts";
import { errorPlace, errorText, stackOf } from "../lib/text/error-text.ts";
import { redact } from "../lib/text/redact.ts";
import { sentence } from "../lib/text/wording.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { ExtensionLife, ExtensionOperation, Panel } from "../model/extensions/extension.ts";
import type {
  ExtensionPanel,
  ExtensionState,
  ExtensionVerb,
} from "../model/extensions/extension-schema.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import { type KnownCaller, requireScope } from "../model/principal.ts";
import type { Additions, Owned } from "./additions.ts";
import { checkAgainst, checkedSettings, emptyInput, lifeOf, renderAll } from "./check-settings.ts";
import { type ExtensionsContext, notFound } from "./context.ts";
import { createSetup } from "./setup.ts";
import { startCosts } from "./start-costs.ts";

/** Of each step of its life. What takes longer goes on without the plane waiting for it. */
const stepMs = 30_000;
/** Of the setup for one command, which a person waits for. */
const commandMs = 5_000;
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

const untrusted =
  "Its file or its settings have changed since they were trusted. Look at them, then run 'toolplane trust'.";
const stays = "What was loaded before stays in use until this process ends.";
const staySet = "The earlier settings stay in force.";

export function createRunning(context: ExtensionsContext, additions: Additions) {
  const { settings, options } = context;
  const setupMs = options.face === "cli" && !options.watch ? commandMs : stepMs;
  const news = createNews(context.recorder);
  let all: Running[] = [];
  let starting: Promise<void> = Promise.resolve();
  let isStopping = false;

  function begin(loaded: LoadedExtension): Running {
    const name = loaded.extension?.name ?? loaded.use;
    const error = loaded.extension === null ? loaded.why : null;
    const state = error === null ? "set up" : "failed";
    return {
      loaded,
      name,
      state,
      error,
      since: nowText(),
      setupMs: 0,
      life: {},
      adds: [],
      undo: [],
    };
  }

  function say(one: Running, reason: string, stack: string | null): void {
    one.error = redact(reason);
    const told = { extension: one.name, reason: one.error, stack: stack && redact(stack) };
    news.tell({ type: "extension.failed", ...told });
  }

  /** It is named, what it has added goes, and the plane goes on. */
  function fail(one: Running, step: string, thrown: unknown): void {
    one.state = "failed";
    remove(one);
    say(one, reasonOf(one, step, thrown), stackOf(thrown) || null);
  }

  function remove(one: Running): void {
    for (const undo of one.undo.splice(0).reverse()) undo();
    one.adds.length = 0;
  }

  async function setUp(one: Running, before: readonly Running[]): Promise<void> {
    const { loaded } = one;
    if (loaded.extension === null) {
      // An entry that is written wrong is reported with the configuration.
      if (!loaded.isMisspelled) say(one, loaded.why, loaded.stack);
      return;
    }
    const { extension } = loaded;
    const begunAt = performance.now();
    let life: Promise<ExtensionLife> | undefined;
    try {
      // What a configuration names twice is known earlier; a program may bring one of the same name.
      if (before.some(({ name }) => name === one.name))
        throw new Error(`another extension is called '${one.name}'`);
      const written = await checkedSettings(loaded, context);
      const { name, adds, undo } = one;
      const setup = createSetup(
        context,
        additions,
        { name, loaded, adds, undo, tell: news.tell },
        written,
      );
      life = Promise.resolve(setup.given).then(async (given) =>
        lifeOf(await extension.setup(given)),
      );
      const whole = life.then(setup.close);
      if (!(await isWithin(whole, setupMs))) throw new Hangs(setupMs);
      one.life = await life;
    } catch (thrown) {
      fail(one, "setup", thrown);
      // Also where it comes late: what it has opened is closed.
      life?.then(({ stop }) => stop?.()).catch(() => undefined);
    }
    one.setupMs = performance.now() - begunAt;
  }

  /** In order; one that fails is left out. */
  async function step(
    name: "start" | "stop",
    among: readonly Running[],
    limitMs: number,
  ): Promise<void> {
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

  async function whatIsWrong(
    { input: schema = emptyInput }: ExtensionOperation,
    input: unknown,
  ): Promise<string | null> {
    if (!isObject(input)) return "must be an object with a value by name.";
    const problems = await checkAgainst(schema, input as JsonObject, context);
    return problems.length === 0 ? null : `is wrong: ${sentence(renderAll(problems))}`;
  }

  function require(operation: string): Owned<ExtensionOperation> {
    const found = additions.operations.get(operation);
    if (found === undefined) throw notFound(operation);
    return found;
  }

  return {
    async setUp(onNext?: (name: string) => void): Promise<void> {
      all = settings.extensions().map(begin);
      for (const [at, one] of all.entries()) {
        onNext?.(one.name);
        await setUp(one, all.slice(0, at));
      }
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
        const next =
          now.find(({ extension }) => extension?.name === one.name) ??
          now.find(({ use }) => use === one.loaded.use);
        if (isStopping) return;
        if (next === undefined) {
          // One that was taken out goes on until the next start; one that waits for a person is named.
          if (settings.waitsForTrust("extensions")) say(one, `${untrusted} ${stays}`, null);
          continue;
        }
        try {
          if (next.extension === null)
            throw new PlaneError("CONFIG_INVALID", `It cannot be used as it is: ${next.why}.`);
          const given = await checkedSettings({ ...next, extension: next.extension }, context);
          await limited(() => one.life.reload?.(given), stepMs);
          one.error = null;
        } catch (thrown) {
          say(
            one,
            `${sentence(reasonOf(one, "reload", thrown))} ${staySet}`,
            stackOf(thrown) || null,
          );
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
    async run(
      name: string,
      input: JsonObject,
      caller: KnownCaller & { signal?: AbortSignal },
    ): Promise<Json> {
      const { extension, value: operation } = require(name);
      const { principal, signal } = caller;
      requireScope(principal, operation.scope, `run '${name}'`);
      const wrong = await whatIsWrong(operation, input);
      if (wrong !== null)
        throw new PlaneError("USAGE", `The input of '${name}' ${wrong}`, {
          data: { operation: name },
        });
      const given = { principal, ...(signal && { signal }) };
      const run = async () =>
        asJson(await abortable(Promise.resolve(operation.run(input, given)), signal));
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
        if (signal?.aborted)
          throw new PlaneError("CANCELLED", `The operation '${name}' was cancelled.`, { data });
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

/** One that takes longer is no longer waited for. */
class Hangs extends Error {
  constructor(ms: number) {
    super(`it takes longer than ${ms / 1000} seconds`);
  }
}

/** Wrong settings are no failure of its code. */
function reasonOf({ loaded: { file, directory } }: Running, step: string, thrown: unknown): string {
  if (thrown instanceof PlaneError && thrown.code === "CONFIG_INVALID") return thrown.message;
  if (thrown instanceof Hangs) return `its '${step}' hangs: ${thrown.message}`;
  const place = file === null ? null : errorPlace(stackOf(thrown), file, directory);
  return `its '${step}' failed: ${errorText(thrown)}${place === null ? "" : ` (${place})`}`;
}

function asJson(value: unknown): Json {
  const text = JSON.stringify(value) ?? "null";
  if (text.length > maxAnswer) throw new Error(`it gives more than ${maxAnswer / 1024 / 1024} MiB`);
  return JSON.parse(text) as Json;
}

function show({ loaded, name, state, error, since, setupMs, adds }: Running): ExtensionState {
  const { use, file, importMs, extension } = loaded;
  return {
    name,
    use,
    version: file === null ? null : packageVersionOf(file),
    source: file ?? "program",
    builtIn: false,
    about: extension?.about ?? null,
    state,
    error,
    interface: extension?.interface ?? 1,
    since,
    ...startCosts(importMs, setupMs),
    adds: [...adds],
    needs: [...(extension?.needs ?? [])],
    settings: extension?.settings ?? null,
  };
}

function showOperation({ extension, value }: Owned<ExtensionOperation>): ExtensionVerb {
  const {
    name,
    summary,
    scope,
    input = emptyInput,
    changes = false,
    positional,
    columns = null,
  } = value;
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

async function showPanel({
  extension,
  value: { title, facts },
}: Owned<Panel>): Promise<ExtensionPanel> {
  try {
    const found = await limited(facts, panelMs);
    const shown = found.map(({ label, value, about = null }) => ({
      label: String(label),
      value: ["string", "number", "boolean"].includes(typeof value)
        ? value
        : value == null
          ? null
          : String(value),
      about: about === null ? null : String(about),
    }));
    return { extension, title, facts: shown, error: null };
  } catch (thrown) {
    return { extension, title, facts: [], error: redact(errorText(thrown)) };
  }
}
