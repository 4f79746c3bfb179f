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
import type {
  ExtensionLife,
  ExtensionOperation,
  Panel,
  PanelFact,
} from "../model/extensions/extension.ts";
import type {
  ExtensionPanel,
  ExtensionState,
  ExtensionVerb,
} from "../model/extensions/extension-schema.ts";
import { isObject, type Json, type JsonObject, listOrEmpty } from "../model/json.ts";
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
const maxAnswerLength = 16 * 1024 * 1024;

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

const changedText =
  "Its file or its settings have changed since they were trusted. Look at them, then run 'toolplane trust'.";
const staysText = "What was loaded before stays in use until this process ends.";
const settingsStayText = "The earlier settings stay in force.";

export function createRunning(context: ExtensionsContext, additions: Additions) {
  const { settings, options } = context;
  const setupMs = options.face === "cli" && !options.watch ? commandMs : stepMs;
  const news = createNews(context.recorder);
  let extensions: Running[] = [];
  let starting: Promise<void> = Promise.resolve();
  let isStopping = false;

  function toRunning(loaded: LoadedExtension): Running {
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

  function reportFailure(running: Running, reason: string, stack: string | null): void {
    running.error = redact(reason);
    const failure = {
      extension: running.name,
      reason: running.error,
      stack: stack && redact(stack),
    };
    news.tell({ type: "extension.failed", ...failure });
  }

  /** It is named, what it has added goes, and the plane goes on. */
  function fail(running: Running, step: string, thrown: unknown): void {
    running.state = "failed";
    remove(running);
    reportFailure(running, reasonOf(running, step, thrown), stackOf(thrown) || null);
  }

  function remove(running: Running): void {
    for (const undo of running.undo.splice(0).reverse()) undo();
    running.adds.length = 0;
  }

  async function setUp(running: Running, earlier: readonly Running[]): Promise<void> {
    const { loaded } = running;
    if (loaded.extension === null) {
      // An entry that is written wrong is reported with the configuration.
      if (!loaded.isMisspelled) reportFailure(running, loaded.why, loaded.stack);
      return;
    }
    const { extension } = loaded;
    const begunAt = performance.now();
    let life: Promise<ExtensionLife> | undefined;
    try {
      // What a configuration names twice is known earlier; a program may bring one of the same name.
      if (earlier.some(({ name }) => name === running.name))
        throw new Error(`another extension is called '${running.name}'`);
      const ownSettings = await checkedSettings(loaded, context);
      const { name, adds, undo } = running;
      const { setup, close } = createSetup(
        context,
        additions,
        { name, loaded, adds, undo, tell: news.tell },
        ownSettings,
      );
      life = Promise.resolve(setup).then(async (argument) =>
        lifeOf(await extension.setup(argument)),
      );
      if (!(await isWithin(life.then(close), setupMs))) throw new StepHangs(setupMs);
      running.life = await life;
    } catch (thrown) {
      fail(running, "setup", thrown);
      // Also where it comes late: what it has opened is closed.
      life?.then(({ stop }) => stop?.()).catch(() => undefined);
    }
    running.setupMs = performance.now() - begunAt;
  }

  /** In order; one that fails is left out. */
  async function step(
    name: "start" | "stop",
    extensionsInOrder: readonly Running[],
    limitMs: number,
  ): Promise<void> {
    for (const running of extensionsInOrder) {
      if (name === "start" && isStopping) return;
      try {
        await limited(() => running.life[name]?.(), limitMs);
        if (name === "start") running.state = "started";
      } catch (thrown) {
        fail(running, name, thrown);
      }
    }
  }

  const usable = () => extensions.filter(({ state }) => state !== "failed" && state !== "stopped");

  async function inputProblem(
    { input: schema = emptyInput }: ExtensionOperation,
    input: unknown,
  ): Promise<string | null> {
    if (!isObject(input)) return "must be an object with a value by name.";
    const problems = await checkAgainst(schema, input as JsonObject, context);
    return problems.length === 0 ? null : `is wrong: ${sentence(renderAll(problems))}`;
  }

  function requireOperation(operation: string): Owned<ExtensionOperation> {
    const operationOwner = additions.operations.get(operation);
    if (operationOwner === undefined) throw notFound(operation);
    return operationOwner;
  }

  return {
    async setUp(onNext?: (name: string) => void): Promise<void> {
      extensions = settings.extensions().map(toRunning);
      for (const [index, running] of extensions.entries()) {
        onNext?.(running.name);
        await setUp(running, extensions.slice(0, index));
      }
      setImmediate(news.release);
    },
    start: (): Promise<void> => {
      starting = step("start", usable(), stepMs);
      return starting;
    },
    /** Settings that are wrong leave the earlier ones in force. */
    reload: serialized(async (): Promise<void> => {
      const loadedExtensions = settings.extensions();
      for (const running of usable()) {
        const reloaded =
          loadedExtensions.find(({ extension }) => extension?.name === running.name) ??
          loadedExtensions.find(({ use }) => use === running.loaded.use);
        if (isStopping) return;
        if (reloaded === undefined) {
          // One that was taken out goes on until the next start; one that waits for a person is named.
          if (settings.waitsForTrust("extensions"))
            reportFailure(running, `${changedText} ${staysText}`, null);
          continue;
        }
        try {
          if (reloaded.extension === null)
            throw new PlaneError("CONFIG_INVALID", `It cannot be used as it is: ${reloaded.why}.`);
          const ownSettings = await checkedSettings(
            { ...reloaded, extension: reloaded.extension },
            context,
          );
          await limited(() => running.life.reload?.(ownSettings), stepMs);
          running.error = null;
        } catch (thrown) {
          reportFailure(
            running,
            `${sentence(reasonOf(running, "reload", thrown))} ${settingsStayText}`,
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
      const ending = extensions.filter(({ state }) => state !== "stopped").reverse();
      await step("stop", ending, stopMs);
      for (const running of ending) {
        remove(running);
        if (running.state !== "failed") running.state = "stopped";
      }
    },
    list: (): ExtensionState[] => extensions.map(show),
    operations: (): ExtensionVerb[] => [...additions.operations.values()].map(showOperation),
    panels: (): Promise<ExtensionPanel[]> => Promise.all([...additions.panels].map(showPanel)),
    async run(
      name: string,
      input: JsonObject,
      caller: KnownCaller & { signal?: AbortSignal },
    ): Promise<Json> {
      const { extension, value: operation } = requireOperation(name);
      const { principal, signal } = caller;
      requireScope(principal, operation.scope, `run '${name}'`);
      const problem = await inputProblem(operation, input);
      if (problem !== null)
        throw new PlaneError("USAGE", `The input of '${name}' ${problem}`, {
          data: { operation: name },
        });
      const operationCaller = { principal, ...(signal && { signal }) };
      const run = async () =>
        asJson(await abortable(Promise.resolve(operation.run(input, operationCaller)), signal));
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
  let withheld: PlaneEvent[] | null = [];
  return {
    tell: (event: PlaneEvent) => void (withheld ? withheld.push(event) : recorder.emit(event)),
    release(): void {
      const waitingEvents = withheld ?? [];
      withheld = null;
      for (const event of waitingEvents) recorder.emit(event);
    },
  };
}

/** One that takes longer is no longer waited for. */
class StepHangs extends Error {
  constructor(ms: number) {
    super(`it takes longer than ${ms / 1000} seconds`);
  }
}

/** Wrong settings are no failure of its code. */
function reasonOf({ loaded: { file, directory } }: Running, step: string, thrown: unknown): string {
  if (thrown instanceof PlaneError && thrown.code === "CONFIG_INVALID") return thrown.message;
  if (thrown instanceof StepHangs) return `its '${step}' hangs: ${thrown.message}`;
  const failedAt = file === null ? null : errorPlace(stackOf(thrown), file, directory);
  return `its '${step}' failed: ${errorText(thrown)}${failedAt === null ? "" : ` (${failedAt})`}`;
}

function asJson(value: unknown): Json {
  const text = JSON.stringify(value) ?? "null";
  if (text.length > maxAnswerLength)
    throw new Error(`it gives more than ${maxAnswerLength / 1024 / 1024} MiB`);
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
    output = null,
    http = null,
    examples = [],
  } = value;
  const required = listOrEmpty(input.required).map(String);
  return {
    name,
    extension,
    summary,
    scope,
    changes,
    input,
    positional: [...(positional ?? required)],
    columns: columns && { ...columns },
    output,
    http: http && { ...http },
    examples: [...examples],
  };
}

async function showPanel({
  extension,
  value: { title, facts },
}: Owned<Panel>): Promise<ExtensionPanel> {
  try {
    const panelFacts = await limited(facts, panelMs);
    const shownFacts = panelFacts.map(({ label, value, about = null }) => ({
      label: String(label),
      value: shownValue(value),
      about: about === null ? null : String(about),
    }));
    return { extension, title, facts: shownFacts, error: null };
  } catch (thrown) {
    return { extension, title, facts: [], error: redact(errorText(thrown)) };
  }
}

function shownValue(value: PanelFact["value"]): PanelFact["value"] {
  if (["string", "number", "boolean"].includes(typeof value)) return value;
  return value == null ? null : String(value);
}
