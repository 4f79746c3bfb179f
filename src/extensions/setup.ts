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
import type { ExtensionsContext } from "./context.ts";

type Setting = {
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
  { name, loaded, adds, undo, tell }: Setting,
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
  const own = <T>(value: T): Owned<T> => ({ extension: name, value });
  const warn = (text: string) =>
    tell({ type: "extension.log", extension: name, text: redact(String(text)) });

  function note(what: string, takeBack: () => void): void {
    if (isClosed) {
      takeBack();
      throw refusal(`it adds ${what} after its setup`);
    }
    adds.push(what);
    undo.push(takeBack);
  }

  function requireFree(map: ReadonlyMap<string, Owned<unknown>>, kind: string, key: string): void {
    const before = map.get(key);
    if (before !== undefined)
      throw refusal(`${kind} '${key}' is one of the extension '${before.extension}' already`);
  }

  function put<T>(map: Map<string, Owned<T>>, kind: string, key: string, value: T): void {
    requireFree(map, kind, key);
    const entry = own(value);
    map.set(key, entry);
    note(`${kind} ${key}`, () => void (map.get(key) === entry && map.delete(key)));
  }

  function join<T>(set: Set<Owned<T>>, what: string, value: T): void {
    const entry = own(value);
    set.add(entry);
    note(what, () => void set.delete(entry));
  }

  /** All sources of an extension are one source of the catalogue. What is no tool is left out, and named. */
  function publish(place: (typeof sources)[number], manifests: readonly UnknownObject[]): void {
    place.manifests = isOver ? [] : manifests;
    const all = sources.flatMap((one) => one.manifests);
    const wrong = (why: string, at: number) =>
      warn(`the tool '${all[at]?.name}' is left out: ${why}`);
    context.catalogue.handWritten.setAdded(`extension ${name}`, all, wrong);
  }

  const requireDeclared = (key: "secrets" | "transports", kind: string) => {
    if (!extension[key]?.includes(kind)) throw refusal(`'${kind}' is not in its '${key}'`);
  };

  const given: ExtensionSetup = {
    settings,
    directory,
    plane: partsOf(context, name, extension.needs ?? []),
    log: warn,
    addOperation(operation) {
      const checked = checkedOperation(operation);
      if (isTaken(context.plane, checked.name))
        throw refusal(`'${checked.name}' is a verb of the plane already`);
      put(additions.operations, "operation", checked.name, checked);
    },
    addProvider(kind, provider, options) {
      requireFree(additions.providers, "provider", kind);
      const unregister = context.plane.tools.registerProvider(kind, provider, options);
      undo.push(() => void unregister());
      put(additions.providers, "provider", kind, provider);
    },
    addTransport(scheme, open) {
      requireDeclared("transports", scheme);
      put(additions.transports, "transport", scheme, open);
    },
    addToolSource(source) {
      const place = {
        manifests: [] as readonly UnknownObject[],
        read: async () => publish(place, await listOf(source)),
      };
      note("tool source", () => publish(place, []));
      sources.push(place);
      const changed = serialized(() => limited(place.read, listMs));
      const say = (thrown: unknown) =>
        warn(`its tools could not be listed again: ${errorText(thrown)}`);
      return { changed: () => changed().catch(say) };
    },
    addSecrets(kind, read) {
      requireDeclared("secrets", kind);
      put(additions.secrets, "secrets", kind, read);
    },
    addScanner: (scan) => join(additions.scanners, "scanner", scan),
    addEmbedder: (embed) => join(additions.embedders, "embedder", embed),
    addRanker: (rank) => join(additions.rankers, "ranker", rank),
    addApprovalChannel(channel) {
      join(additions.channels, `approval channel ${channel.name}`, channel);
      undo.push(...askThrough(channel, context, warn));
    },
    aroundExecute: (stage) => join(additions.stages, "stage around execute", stage),
    onEvent(listen, type) {
      const told = (event: Parameters<typeof listen>[0]) => {
        if (event.type === "extension.log" || event.type === "extension.failed") return;
        Promise.resolve(event)
          .then(listen)
          .catch((thrown) => warn(`a listener failed: ${errorText(thrown)}`));
      };
      const leave = (type === undefined ? allEvents : [type]).map((one) => recorder.on(one, told));
      note(type === undefined ? "listener of all events" : `listener of ${type}`, () => {
        for (const stop of leave) stop();
      });
    },
    addPanel: (panel) => join(additions.panels, `panel ${panel.title}`, panel),
  };
  return {
    given,
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
function checkedOperation(given: ExtensionOperation): ExtensionOperation {
  const { name, summary, scope, input, changes, positional, columns } = given;
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
  if (typeof given.run !== "function")
    throw refusal(`the operation '${name}' has no function 'run'`);
  return {
    name,
    summary,
    scope,
    ...withoutUndefined({ input, changes, positional, columns }),
    run: (said, asker) => given.run(said, asker),
  };
}

function refusal(why: string): PlaneError {
  return new PlaneError("USAGE", `The extension cannot be set up: ${why}.`);
}

async function listOf(source: ToolSource) {
  const listed = await source.list();
  if (!Array.isArray(listed)) throw new PlaneError("USAGE", "A tool source must list manifests.");
  return listed;
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
  const say = (thrown: unknown) =>
    warn(`the approval channel '${channel.name}' failed: ${errorText(thrown)}`);
  const show = async (
    id: string,
    act: (held: Awaited<ReturnType<Plane["approvals"]["get"]>>) => unknown,
  ) => {
    try {
      await act(await plane.approvals.get(id));
    } catch (thrown) {
      say(thrown);
    }
  };
  return [
    recorder.on("approval.requested", ({ approvalId }) => {
      // The rules for approvals decide who may answer; the channel only says who did.
      const answer: Parameters<ApprovalChannel["ask"]>[1] = async (decision, by, reason) => {
        if (typeof by !== "string" || by === "")
          throw new PlaneError(
            "USAGE",
            "An answer names the person who gave it, and this one names none.",
          );
        const principal = withListed(principalOf({ user: by }), settings.config().users);
        await plane
          .as(principal)
          .approvals.answer(approvalId, { decision, ...(reason !== undefined && { reason }) });
      };
      void show(approvalId, (held) => channel.ask(held, answer));
    }),
    recorder.on("approval.changed", ({ approvalId, status }) => {
      if (status !== "pending") void show(approvalId, (held) => channel.settled?.(held));
    }),
  ];
}
