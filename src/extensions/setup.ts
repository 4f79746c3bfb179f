import type { LoadedExtension } from "../config/config.ts";
import { limited } from "../lib/async/limited.ts";
import { serialized } from "../lib/async/once.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { errorText } from "../lib/text/error-text.ts";
import { redact } from "../lib/text/redact.ts";
import { PlaneError } from "../model/errors.ts";
import { type EventType, eventMeanings, type PlaneEvent } from "../model/events.ts";
import type {
  ApprovalChannel,
  Extension,
  ExtensionOperation,
  ExtensionSetup,
  PlanePart,
  ToolSource,
} from "../model/extensions/extension.ts";
import { isObject, type JsonObject, type UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import { principalOf, scopeNames, trusted, withListed } from "../model/principal.ts";
import type { Additions, Owned } from "./additions.ts";
import { checkAdditions } from "./check-additions.ts";
import { problemOfColumns } from "./check-columns.ts";
import { routeProblem } from "./check-route.ts";
import type { ExtensionsContext } from "./context.ts";

type SetupParts = {
  name: string;
  loaded: LoadedExtension & { extension: Extension };
  adds: string[];
  undo: (() => void)[];
  tell(event: PlaneEvent): void;
};

/** Of a source that is asked again. */
const listMs = 30_000;
const allEvents = Object.keys(eventMeanings) as EventType[];
const operationName = /^[a-z][a-zA-Z0-9-]*\.[a-z][a-zA-Z0-9-]*$/;

/** What one extension gets. After `close` nothing more can be added. */
export function createSetup(
  context: ExtensionsContext,
  additions: Additions,
  { name, loaded, adds, undo, tell }: SetupParts,
  settings: JsonObject,
) {
  const { extension, directory } = loaded;
  const { recorder } = context;
  let isClosed = false;
  let isOver = false;
  // It failed or stopped: nothing that it still does adds anything.
  undo.push(() => {
    isClosed = true;
    isOver = true;
  });
  const sources: { manifests: readonly UnknownObject[]; read(): Promise<void> }[] = [];
  const owned = <T>(value: T): Owned<T> => ({ extension: name, value });
  const warn = (text: string) =>
    tell({ type: "extension.log", extension: name, text: redact(String(text)) });

  function noteAddition(label: string, undoAddition: () => void): void {
    if (isClosed) {
      undoAddition();
      throw refusal(`it adds ${label} after its setup`);
    }
    adds.push(label);
    undo.push(undoAddition);
  }

  function requireFree(map: ReadonlyMap<string, Owned<unknown>>, kind: string, key: string): void {
    const existing = map.get(key);
    if (existing !== undefined)
      throw refusal(`${kind} '${key}' is one of the extension '${existing.extension}' already`);
  }

  function putNamed<T>(map: Map<string, Owned<T>>, kind: string, key: string, value: T): void {
    requireFree(map, kind, key);
    const entry = owned(value);
    map.set(key, entry);
    noteAddition(`${kind} ${key}`, () => {
      if (map.get(key) === entry) map.delete(key);
    });
  }

  function addToSet<T>(set: Set<Owned<T>>, label: string, value: T): void {
    const entry = owned(value);
    set.add(entry);
    noteAddition(label, () => void set.delete(entry));
  }

  /** All sources of an extension are one source of the catalogue. What is no tool is left out, and named. */
  function publish(
    toolSource: (typeof sources)[number],
    manifests: readonly UnknownObject[],
  ): void {
    toolSource.manifests = isOver ? [] : manifests;
    const allManifests = sources.flatMap((source) => source.manifests);
    const warnLeftOut = (reason: string, index: number) =>
      warn(`the tool '${allManifests[index]?.name}' is left out: ${reason}`);
    context.catalogue.handWritten.setAdded(`extension ${name}`, allManifests, warnLeftOut);
  }

  const requireDeclared = (key: "secrets" | "transports", kind: string) => {
    if (!extension[key]?.includes(kind)) throw refusal(`'${kind}' is not in its '${key}'`);
  };

  const setup: ExtensionSetup = {
    settings,
    directory,
    plane: partsOf(context, name, extension.needs ?? []),
    log: warn,
    addOperation(operation) {
      const declared = checkedOperation(operation as ExtensionOperation);
      if (isTaken(context.plane, declared.name))
        throw refusal(`'${declared.name}' is a verb of the plane already`);
      const earlier = [...additions.operations.values()].map(({ value }) => value);
      const problem = routeProblem(name, declared, earlier);
      if (problem !== null) throw refusal(`the operation '${declared.name}': ${problem}`);
      putNamed(additions.operations, "operation", declared.name, declared);
    },
    addProvider(kind, provider, options) {
      requireFree(additions.providers, "provider", kind);
      const unregister = context.plane.tools.registerProvider(kind, provider, options);
      undo.push(() => void unregister());
      putNamed(additions.providers, "provider", kind, provider);
    },
    addTransport(scheme, open) {
      requireDeclared("transports", scheme);
      putNamed(additions.transports, "transport", scheme, open);
    },
    addToolSource(source) {
      const toolSource = {
        manifests: [] as readonly UnknownObject[],
        read: async () => publish(toolSource, await listOf(source)),
      };
      noteAddition("tool source", () => publish(toolSource, []));
      sources.push(toolSource);
      const changed = serialized(() => limited(toolSource.read, listMs));
      const warnUnlisted = (thrown: unknown) =>
        warn(`its tools could not be listed again: ${errorText(thrown)}`);
      return { changed: () => changed().catch(warnUnlisted) };
    },
    addSecrets(kind, read) {
      requireDeclared("secrets", kind);
      putNamed(additions.secrets, "secrets", kind, read);
    },
    addScanner: (scan) => addToSet(additions.scanners, "scanner", scan),
    addEmbedder: (embed) => addToSet(additions.embedders, "embedder", embed),
    addRanker: (rank) => addToSet(additions.rankers, "ranker", rank),
    addApprovalChannel(channel) {
      addToSet(additions.channels, `approval channel ${channel.name}`, channel);
      undo.push(...askThrough(channel, context, warn));
    },
    aroundExecute: (stage) => addToSet(additions.stages, "stage around execute", stage),
    onEvent(listen, type) {
      const notify = (event: Parameters<typeof listen>[0]) => {
        if (event.type === "extension.log" || event.type === "extension.failed") return;
        Promise.resolve(event)
          .then(listen)
          .catch((thrown) => warn(`a listener failed: ${errorText(thrown)}`));
      };
      const unsubscribers = (type === undefined ? allEvents : [type]).map((eventType) =>
        recorder.on(eventType, notify),
      );
      noteAddition(type === undefined ? "listener of all events" : `listener of ${type}`, () => {
        for (const unsubscribe of unsubscribers) unsubscribe();
      });
    },
    addPanel: (panel) => addToSet(additions.panels, `panel ${panel.title}`, panel),
  };
  return {
    setup: checkAdditions(setup),
    /** The tools of its sources are there then. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { read } of sources) await read();
    },
  };
}

/** `tools.list` is a verb, and so is `search`, which takes no other one. */
function isTaken(plane: Plane, name: string): boolean {
  const [noun = "", verb = ""] = name.split(".");
  const part: unknown = Reflect.get(plane, noun);
  return typeof part === "function" || (isObject(part) && typeof part[verb] === "function");
}

/** What it says is read once. */
function checkedOperation(operation: ExtensionOperation): ExtensionOperation {
  const { name, summary, scope, input, changes, positional, columns } = operation;
  const { output, http, examples } = operation;
  if (typeof name !== "string" || !operationName.test(name))
    throw refusal(`'${name}' is no name of an operation such as 'noun.verb'`);
  if (typeof summary !== "string" || summary === "")
    throw refusal(`the operation '${name}' has no 'summary'`);
  if (!scopeNames.includes(scope))
    throw refusal(`the 'scope' of the operation '${name}' must be one of ${scopeNames.join(", ")}`);
  if (input !== undefined && (!isObject(input) || input.type !== "object"))
    throw refusal(
      `the 'input' of the operation '${name}' must be a JSON Schema with "type": "object"`,
    );
  if (output !== undefined && !isObject(output))
    throw refusal(`the 'output' of the operation '${name}' must be a JSON Schema`);
  if (examples !== undefined && !Array.isArray(examples))
    throw refusal(`the 'examples' of the operation '${name}' must be a list of commands`);
  if (typeof operation.run !== "function")
    throw refusal(`the operation '${name}' has no function 'run'`);
  const columnProblem = problemOfColumns(columns, output);
  if (columnProblem !== null) throw refusal(`the operation '${name}' ${columnProblem}`);
  return {
    name,
    summary,
    scope,
    ...withoutUndefined({ input, changes, positional, columns, output, http, examples }),
    run: (input, caller) => operation.run(input, caller),
  };
}

function refusal(reason: string): PlaneError {
  return new PlaneError("USAGE", `The extension cannot be set up: ${reason}.`);
}

async function listOf(source: ToolSource) {
  const manifests = await source.list();
  if (!Array.isArray(manifests))
    throw new PlaneError("USAGE", "A tool source must list manifests.");
  return manifests;
}

/** Only the parts that it named; reading another one says how to get it. */
function partsOf(
  context: ExtensionsContext,
  name: string,
  needs: readonly PlanePart[],
): Pick<Plane, PlanePart> {
  const plane = context.plane.as(trusted({ user: `extension:${name}` }));
  return new Proxy({} as Pick<Plane, PlanePart>, {
    get(_, part) {
      if (typeof part === "symbol" || part === "then") return undefined;
      if (needs.some((need) => need === part)) return plane[part as PlanePart];
      throw refusal(`it uses 'plane.${part}' and does not name it in 'needs'`);
    },
  });
}

/** Each call that waits is shown to the channel, and so is its end. */
function askThrough(
  channel: ApprovalChannel,
  { plane, recorder, settings }: ExtensionsContext,
  warn: (text: string) => void,
) {
  const warnFailed = (thrown: unknown) =>
    warn(`the approval channel '${channel.name}' failed: ${errorText(thrown)}`);
  const show = async (
    id: string,
    act: (heldCall: Awaited<ReturnType<Plane["approvals"]["get"]>>) => unknown,
  ) => {
    try {
      await act(await plane.approvals.get(id));
    } catch (thrown) {
      warnFailed(thrown);
    }
  };
  return [
    recorder.on("approval.requested", ({ approvalId }) => {
      // The rules for approvals decide who may answer; the channel only says who did.
      const answer: Parameters<ApprovalChannel["ask"]>[1] = async (
        decision,
        answeredBy,
        reason,
      ) => {
        if (typeof answeredBy !== "string" || answeredBy === "")
          throw new PlaneError(
            "USAGE",
            "An answer names the person who gave it, and this one names none.",
          );
        const principal = withListed(principalOf({ user: answeredBy }), settings.config().users);
        await plane
          .as(principal)
          .approvals.answer(approvalId, { decision, ...(reason !== undefined && { reason }) });
      };
      void show(approvalId, (heldCall) => channel.ask(heldCall, answer));
    }),
    recorder.on("approval.changed", ({ approvalId, status }) => {
      if (status !== "pending") void show(approvalId, (heldCall) => channel.settled?.(heldCall));
    }),
  ];
}
