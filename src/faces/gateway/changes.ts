import type { ServerNotification } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { LogLevel } from "../../model/servers/server.ts";
import { extensionsIn, isExtensionNotification, mayPass } from "../../protocol/extensions.ts";
import type { Era } from "../../protocol/session.ts";
import { isLoudEnough } from "./client-relay.ts";
import type { Surface, Surfaces } from "./surfaces.ts";

/** Servers that start together change the lists one after the other; clients are notified once. */
const settleMs = 50;

const kinds = ["tools", "prompts", "resources"] as const;
type Kind = (typeof kinds)[number];

const offerKinds = {
  prompts: ["prompts"],
  resources: ["resources", "resourceTemplates"],
} as const;

type ToolTexts = { text(era: Era): Promise<string> };

type Subscriber = {
  surface: Surface;
  /** Other subscribers may share it. */
  tools: ToolTexts;
  wants(kind: Kind): boolean;
  /** The address that the client knows a resource by; undefined where it does not watch it. */
  watchedAddress(server: string, uri: string): string | undefined;
  logLevel(): LogLevel | null;
  /** The client's capabilities. */
  client(): UnknownObject;
  hear(method: string, params: UnknownObject): void;
};

export type Changes = ReturnType<typeof createChanges>;

/** Notifies clients of changes that concern them. */
export function createChanges(plane: Plane, surfaces: Surfaces) {
  const subscribers = new Set<Subscriber>();
  /** The list when the first subscriber came. */
  const firstLists = new WeakMap<ToolTexts, Promise<string | undefined>>();
  const { compare, listChanged } = createComparison(subscribers, firstLists);
  const { check, stop } = createChecks(subscribers, compare);
  const unsubscribers = [
    plane.on("registry.changed", () => {
      surfaces.changed();
      check("tools");
    }),
    plane.on("config.changed", () => {
      surfaces.changed();
      for (const { surface } of subscribers) learnServers(surface);
      check(...kinds);
    }),
    plane.servers.onMessage((notification) => {
      const [, list] =
        /^notifications\/(prompts|resources)\/list_changed$/.exec(notification.method) ?? [];
      if (list === undefined)
        for (const subscriber of subscribers) passOn(plane, subscriber, notification);
      else check(list as Kind);
    }),
  ];
  return {
    /** Until the returned function is called. */
    tell(subscriber: Subscriber): () => void {
      const { tools, surface } = subscriber;
      subscribers.add(subscriber);
      // A list that fails now is compared with the next one.
      if (!firstLists.has(tools)) firstLists.set(tools, orNothing(tools.text("legacy")));
      learnServers(surface);
      return () => void subscribers.delete(subscriber);
    },
    /** Notifies those who have this list now. */
    listChanged,
    close(): void {
      for (const unsubscribe of unsubscribers) unsubscribe();
      stop();
      subscribers.clear();
    },
  };
}

function orNothing<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch(() => undefined);
}

/** Ahead of messages; a failure is retried with the next request. */
function learnServers(surface: Surface): void {
  void orNothing(surface.servers());
}

type Compare = (listing: object, kind: Kind, having: readonly Subscriber[]) => Promise<void>;

/** Compares after a pause, once for all subscribers with the same list. */
function createChecks(subscribers: ReadonlySet<Subscriber>, compare: Compare) {
  const due = new Set<Kind>();
  let timer: NodeJS.Timeout | undefined;
  let checking = false;

  function check(...changed: readonly Kind[]): void {
    if (subscribers.size === 0) return;
    for (const kind of changed) due.add(kind);
    if (!checking) timer ??= setTimeout(compareDue, settleMs).unref();
  }

  async function compareDue(): Promise<void> {
    timer = undefined;
    checking = true;
    const dueKinds = [...due];
    due.clear();
    const compared = dueKinds.flatMap((kind) => {
      const listing = ({ tools, surface }: Subscriber) => (kind === "tools" ? tools : surface);
      return [...Map.groupBy(subscribers, listing)].map(([listed, having]) =>
        compare(listed, kind, having),
      );
    });
    await Promise.allSettled(compared);
    checking = false;
    if (due.size > 0) check();
  }

  return { check, stop: () => clearTimeout(timer) };
}

/** A list that looks the same has not changed for its subscribers. */
function createComparison(
  subscribers: ReadonlySet<Subscriber>,
  firstLists: WeakMap<ToolTexts, Promise<string | undefined>>,
) {
  /** Tools by list, the rest by surface. */
  const announcedLists = new WeakMap<object, Partial<Record<Kind, string>>>();

  function notifyClients(
    listing: object,
    kind: Kind,
    concerned: readonly Subscriber[],
    listed: string,
    firstList?: string,
  ) {
    const announced = announcedLists.get(listing);
    announcedLists.set(listing, { ...announced, [kind]: listed });
    if (listed === (announced?.[kind] ?? firstList)) return;
    for (const subscriber of concerned)
      if (subscribers.has(subscriber)) subscriber.hear(`notifications/${kind}/list_changed`, {});
  }

  return {
    async compare(listing: object, kind: Kind, having: readonly Subscriber[]): Promise<void> {
      const concerned = having.filter((subscriber) => subscriber.wants(kind));
      const [listener] = concerned;
      if (!listener) return;
      const firstList = kind === "tools" ? await firstLists.get(listener.tools) : undefined;
      notifyClients(listing, kind, concerned, await listOf(listener, kind), firstList);
    },
    async listChanged(tools: ToolTexts): Promise<void> {
      const concerned = [...subscribers].filter(
        (subscriber) => subscriber.tools === tools && subscriber.wants("tools"),
      );
      notifyClients(tools, "tools", concerned, await tools.text("legacy"));
    },
  };
}

function passOn(plane: Plane, subscriber: Subscriber, notification: ServerNotification): void {
  const { server, user, directory, isDefaultDirectory = false, method, params } = notification;
  const { surface } = subscriber;
  if (!surface.sees(server) || (user !== null && user !== surface.principal.user)) return;
  const clientDirectory =
    surface.principal.directory ?? (isDefaultDirectory ? directory : undefined);
  if (directory !== undefined && directory !== clientDirectory) return;
  if (method === "notifications/message") {
    if (isLoudEnough(params.level, subscriber.logLevel())) subscriber.hear(method, params);
  } else if (method === "notifications/resources/updated") {
    const uri = subscriber.watchedAddress(server, String(params.uri));
    if (uri !== undefined) subscriber.hear(method, { ...params, uri });
  } else if (method === "notifications/elicitation/complete") subscriber.hear(method, params);
  else if (isExtensionNotification(method)) {
    const { principal } = surface;
    const declared = plane.servers.extensions(server, { principal });
    if (mayPass(method, declared, extensionsIn(subscriber.client())))
      subscriber.hear(method, params);
  }
}

async function listOf({ tools, surface: { offers } }: Subscriber, kind: Kind): Promise<string> {
  if (kind === "tools") return tools.text("legacy");
  const listing = offerKinds[kind].map((offerKind) => offers.list(offerKind, "short"));
  return JSON.stringify(await Promise.all(listing));
}
