import type { ServerSaid } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { LogLevel } from "../../model/servers/server.ts";
import type { Era } from "../../protocol/session.ts";
import { isLoudEnough } from "./client-relay.ts";
import type { Surface, Surfaces } from "./surfaces.ts";

/** Servers that start together change the lists one after the other; clients are notified once. */
const settleMs = 50;

const kinds = ["tools", "prompts", "resources"] as const;
type Kind = (typeof kinds)[number];

export type ToolTexts = { text(era: Era): Promise<string> };

export type Subscriber = {
  surface: Surface;
  /** Other subscribers may share it. */
  tools: ToolTexts;
  wants(kind: Kind): boolean;
  /** The address the client knows it by. */
  watches(server: string, uri: string): string | undefined;
  logLevel(): LogLevel | null;
  hear(method: string, params: UnknownObject): void;
};

export type Changes = {
  /** Until the returned function is called. */
  tell(subscriber: Subscriber): () => void;
  /** Notifies those who have this list now. */
  listChanged(tools: ToolTexts): Promise<void>;
  close(): void;
};

/** Notifies clients of changes that concern them. */
export function createChanges(plane: Plane, surfaces: Surfaces): Changes {
  const subscribers = new Set<Subscriber>();
  /** The list when the first subscriber came. */
  const atFirst = new WeakMap<ToolTexts, Promise<string | undefined>>();
  const comparison = createComparison(subscribers, atFirst);
  const checks = createChecks(subscribers, comparison.compare);
  const { check } = checks;
  const leave = [
    plane.on("registry.changed", () => {
      surfaces.changed();
      check("tools");
    }),
    plane.on("config.changed", () => {
      surfaces.changed();
      for (const { surface } of subscribers) void surface.servers().catch(() => undefined);
      check(...kinds);
    }),
    plane.servers.onMessage((said) => {
      const [, list] = /^notifications\/(prompts|resources)\/list_changed$/.exec(said.method) ?? [];
      if (list === undefined) passOnToAll(subscribers, said);
      else check(list as Kind);
    }),
  ];
  return {
    tell(subscriber) {
      subscribers.add(subscriber);
      const { tools } = subscriber;
      if (!atFirst.has(tools))
        atFirst.set(
          tools,
          tools.text("legacy").catch(() => undefined),
        );
      void subscriber.surface.servers().catch(() => undefined);
      return () => void subscribers.delete(subscriber);
    },
    listChanged: comparison.listChanged,
    close() {
      for (const end of leave) end();
      checks.stop();
      subscribers.clear();
    },
  };
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
    if (checking) return;
    timer ??= setTimeout(run, settleMs).unref();
  }

  async function run(): Promise<void> {
    timer = undefined;
    checking = true;
    const now = [...due];
    due.clear();
    const compared = now.flatMap((kind) => {
      const seen = Map.groupBy(subscribers, (subscriber) => listedIn(subscriber, kind));
      return [...seen].map(([listing, having]) => compare(listing, kind, having));
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
  atFirst: WeakMap<ToolTexts, Promise<string | undefined>>,
) {
  /** Tools by list, the rest by surface. */
  const told = new WeakMap<object, Partial<Record<Kind, string>>>();

  function isNews(listing: object, kind: Kind, listed: string, first?: string): boolean {
    const before = told.get(listing);
    told.set(listing, { ...before, [kind]: listed });
    return listed !== (before?.[kind] ?? first);
  }

  function announce(kind: Kind, concerned: readonly Subscriber[]): void {
    for (const subscriber of concerned)
      if (subscribers.has(subscriber)) subscriber.hear(`notifications/${kind}/list_changed`, {});
  }

  return {
    async compare(listing: object, kind: Kind, having: readonly Subscriber[]): Promise<void> {
      const concerned = having.filter((subscriber) => subscriber.wants(kind));
      const [one] = concerned;
      if (!one) return;
      const first = kind === "tools" ? await atFirst.get(one.tools) : undefined;
      const listed = await listOf(one, kind);
      if (isNews(listing, kind, listed, first)) announce(kind, concerned);
    },
    async listChanged(tools: ToolTexts): Promise<void> {
      const concerned = [...subscribers].filter(
        (subscriber) => subscriber.tools === tools && subscriber.wants("tools"),
      );
      if (isNews(tools, "tools", await tools.text("legacy"))) announce("tools", concerned);
    },
  };
}

function passOnToAll(subscribers: Iterable<Subscriber>, { server, user, method, params }: ServerSaid): void {
  for (const subscriber of subscribers) {
    const { surface } = subscriber;
    if (!surface.sees(server) || (user !== null && user !== surface.principal.user)) continue;
    passOn(subscriber, server, method, params);
  }
}

function passOn(subscriber: Subscriber, server: string, method: string, params: UnknownObject): void {
  if (method === "notifications/message") {
    if (isLoudEnough(params.level, subscriber.logLevel())) subscriber.hear(method, params);
  } else if (method === "notifications/resources/updated") {
    const uri = subscriber.watches(server, String(params.uri));
    if (uri !== undefined) subscriber.hear(method, { ...params, uri });
  } else if (method === "notifications/elicitation/complete") {
    subscriber.hear(method, params);
  }
}

function listedIn({ tools, surface }: Subscriber, kind: Kind): object {
  return kind === "tools" ? tools : surface;
}

async function listOf({ tools, surface: { offers } }: Subscriber, kind: Kind): Promise<string> {
  if (kind === "tools") return tools.text("legacy");
  if (kind === "prompts") return JSON.stringify(await offers.list("prompts", "short"));
  return JSON.stringify(
    await Promise.all([offers.list("resources", "short"), offers.list("resourceTemplates", "short")]),
  );
}
