import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { ServerSaid } from "../../model/relay.ts";
import type { LogLevel } from "../../model/server.ts";
import { isLoudEnough } from "./relay-of.ts";
import type { Surface, Surfaces } from "./surfaces.ts";

/** Servers that start together change the lists one after the other; clients are told once. */
const settleMs = 50;

const kinds = ["tools", "prompts", "resources"] as const;
type Kind = (typeof kinds)[number];

/** Somebody who wants to hear of changes. */
export type Ear = {
  surface: Surface;
  wants(kind: Kind): boolean;
  /** Under which address they know this resource, if they watch it. */
  watches(server: string, uri: string): string | undefined;
  logLevel(): LogLevel | null;
  hear(method: string, params: UnknownObject): void;
};

export type Changes = {
  /** Tells this one, until the returned function is called. */
  tell(ear: Ear): () => void;
  close(): void;
};

/** What changes behind us, told to those whom it concerns. */
export function createChanges(plane: Plane, surfaces: Surfaces): Changes {
  const ears = new Set<Ear>();
  const told = new WeakMap<Surface, Partial<Record<Kind, string>>>();
  /** What whoever comes finds when they come. */
  const atFirst = new WeakMap<Surface, Promise<string | undefined>>();
  const due = new Set<Kind>();
  let timer: NodeJS.Timeout | undefined;
  let checking = false;

  function check(...changed: readonly Kind[]): void {
    if (ears.size === 0) return;
    for (const kind of changed) due.add(kind);
    if (checking) return;
    timer ??= setTimeout(run, settleMs).unref();
  }

  async function run(): Promise<void> {
    timer = undefined;
    checking = true;
    const now = [...due];
    due.clear();
    const seen = new Set([...ears].map(({ surface }) => surface));
    await Promise.allSettled([...seen].flatMap((surface) => now.map((kind) => compare(surface, kind))));
    checking = false;
    if (due.size > 0) check();
  }

  /** What looks the same to somebody has not changed for them. */
  async function compare(surface: Surface, kind: Kind): Promise<void> {
    const concerned = [...ears].filter((ear) => ear.surface === surface && ear.wants(kind));
    if (concerned.length === 0) return;
    const before = told.get(surface)?.[kind] ?? (kind === "tools" ? await atFirst.get(surface) : undefined);
    const listed = await listOf(surface, kind);
    told.set(surface, { ...told.get(surface), [kind]: listed });
    if (listed === before) return;
    for (const ear of concerned) if (ears.has(ear)) ear.hear(`notifications/${kind}/list_changed`, {});
  }

  function takeSaid({ server, user, method, params }: ServerSaid): void {
    const [, list] = /^notifications\/(prompts|resources)\/list_changed$/.exec(method) ?? [];
    if (list !== undefined) return check(list as Kind);
    for (const ear of ears) {
      const { surface } = ear;
      if (!surface.sees(server) || (user !== null && user !== surface.principal.user)) continue;
      passOn(ear, server, method, params);
    }
  }

  const leave = [
    plane.on("registry.changed", () => {
      surfaces.changed();
      check("tools");
    }),
    plane.on("config.changed", () => {
      surfaces.changed();
      for (const { surface } of ears) void surface.servers().catch(() => undefined);
      check(...kinds);
    }),
    plane.on("server.connected", () => check("prompts", "resources")),
    plane.onSaid(takeSaid),
  ];

  return {
    tell(ear) {
      ears.add(ear);
      const { surface } = ear;
      if (!atFirst.has(surface))
        atFirst.set(
          surface,
          listOf(surface, "tools").catch(() => undefined),
        );
      void ear.surface.servers().catch(() => undefined);
      return () => void ears.delete(ear);
    },
    close() {
      for (const end of leave) end();
      clearTimeout(timer);
      ears.clear();
    },
  };
}

function passOn(ear: Ear, server: string, method: string, params: UnknownObject): void {
  if (method === "notifications/message") {
    if (isLoudEnough(params.level, ear.logLevel())) ear.hear(method, params);
  } else if (method === "notifications/resources/updated") {
    const uri = ear.watches(server, String(params.uri));
    if (uri !== undefined) ear.hear(method, { ...params, uri });
  } else if (method === "notifications/elicitation/complete") {
    ear.hear(method, params);
  }
}

async function listOf({ tools, offers }: Surface, kind: Kind): Promise<string> {
  if (kind === "tools") return tools.text("legacy");
  if (kind === "prompts") return JSON.stringify(await offers.prompts());
  return JSON.stringify(await Promise.all([offers.resources(), offers.templates()]));
}
