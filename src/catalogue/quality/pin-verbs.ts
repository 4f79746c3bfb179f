import { maskSecrets } from "../../config/config.ts";
import { makeVisible } from "../../lib/text/unseen.ts";
import type { NewChange } from "../../model/catalogue/change.ts";
import type {
  DefinitionDifference,
  PinDiff,
  PinView,
} from "../../model/catalogue/change-schema.ts";
import type { Pin, PinFilter, PinnedList } from "../../model/catalogue/pin.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Caller } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { asPerson, readReason } from "../changes/change-verbs.ts";
import { registryKey } from "../registry.ts";
import type { Guard } from "./guard.ts";
import { offerName, pinKindOf, shownAs, writtenKey } from "./offers.ts";
import { definitionOf } from "./pinned-servers.ts";

export function describeDifference(before: unknown, after: unknown): DefinitionDifference[] {
  const [old, now] = [before, after].map((value) => new Map(leavesOf(value, "", 0)));
  const places = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...places]
    .filter((where) => old?.get(where) !== now?.get(where))
    .map((where) => ({ where, before: old?.get(where) ?? null, after: now?.get(where) ?? null }));
}

const maxDepth = 64;

function leavesOf(value: unknown, where: string, depth: number): [where: string, text: string][] {
  if (value === undefined) return [];
  const inner =
    depth > maxDepth ? [] : Array.isArray(value) ? [...value.entries()] : entriesOf(value);
  if (inner.length === 0) return [[where, makeVisible(JSON.stringify(value) ?? "null")]];
  return inner.flatMap(([key, item]) =>
    leavesOf(
      item,
      `${where}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`,
      depth + 1,
    ),
  );
}

/** Sorted: another order of keys is no difference. */
function entriesOf(value: unknown): [key: string, item: unknown][] {
  return isObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
}

/** `user`: whose lists are meant. */
type Known = { guard: Guard; store(): Promise<Store>; user: string | null };
/** A tool, or what a server offers beside its tools. */
type Listed = Pick<Tool, "name" | "id" | "groups" | "persona" | "source"> & { list?: PinnedList };

const keyOf = ({ id, list = "tools" }: Listed, { guard, user }: Pick<Known, "guard" | "user">) =>
  list === "written" ? writtenKey : guard.pinned.keyFor(id.server ?? "", list, user);

/** What is decided about: a tool that people wrote, or what they say of a server's tool where that is what is held. */
function decidedTool(tool: Listed, known: Known): Listed {
  const { guard } = known;
  const place = registryKey(tool);
  const isServers =
    tool.id.server !== null &&
    (tool.list !== undefined || guard.held(keyOf(tool, known), tool.id.tool) !== null);
  if (isServers || !guard.review(writtenKey, place)?.findings.length) return tool;
  return { ...tool, id: { server: "", tool: place }, list: "written" };
}

/** Everything beside tools that was listed by servers that `maySee` allows. */
export function listedOffers(
  guard: Guard,
  maySee: (server: string, user: string | undefined) => boolean,
  groupsOf: (server: string) => string[],
): Listed[] {
  return guard.pinned.offers().flatMap(({ server, user, kind: list, tools }) =>
    maySee(server, user)
      ? [...tools.keys()].map((tool) => ({
          name: offerName(server, list, tool),
          id: { server, tool },
          list,
          groups: groupsOf(server),
          persona: null,
          source: server,
        }))
      : [],
  );
}

export async function viewPins(
  listed: readonly Listed[],
  { status, held }: PinFilter,
  known: Known,
): Promise<PinView[]> {
  const { guard, store } = known;
  await guard.loaded();
  await guard.settled();
  // Of what people wrote, only what the scan reports is decided about.
  const tools = listed.map((tool) => (tool.id.server === null ? decidedTool(tool, known) : tool));
  const isHeld = (tool: Listed) =>
    tool.id.server !== null && guard.held(keyOf(tool, known), tool.id.tool) !== null;
  const meant = held === undefined ? tools : tools.filter((tool) => isHeld(tool) === held);
  if (meant.length === 0) return [];
  const kept = await (await store()).pins(guard.pinned.identities());
  const byTool = new Map(kept.map((pin) => [JSON.stringify([pin.identity, pin.tool]), pin]));
  const views = meant.flatMap((tool) => {
    const identity = guard.pinned.look(keyOf(tool, known), tool.id.tool)?.identity;
    const pin = byTool.get(JSON.stringify([identity, tool.id.tool]));
    return tool.id.server === null ? [] : (viewOf(tool, pin ?? null, known) ?? []);
  });
  return status === undefined ? views : views.filter((view) => view.status === status);
}

export async function diffPin(asked: Listed, known: Known): Promise<PinDiff> {
  await known.guard.loaded();
  const tool = asked.id.server === null ? decidedTool(asked, known) : asked;
  const { found, pin, view } = await lookAt(tool, known);
  const before = pin?.definition ?? {};
  return { ...view, difference: describeDifference(before, definitionOf(found.entry)) };
}

/** Accepts the current definition, or quarantines every definition that is not the pinned one. */
export async function decidePin(
  asked: Listed,
  decision: "accepted" | "rejected",
  {
    reason,
    caller,
    principal,
  }: { reason: string | undefined; caller: Caller; principal: Principal },
  known: Known & { emit(event: PlaneEvent): void; revision(): number },
): Promise<PinView> {
  const why = readReason(reason);
  await known.guard.loaded();
  const tool = decidedTool(asked, known);
  const { server, found, pin } = await lookAt(tool, known);
  const { identity, entry, status } = found;
  const by = asPerson(caller, principal);
  const made = {
    ...known.guard.pinned.pinOf({ server, identity }, tool.id.tool, entry),
    by,
    reason: why,
  };
  // A definition that is rejected as it was first seen leaves no good one.
  const good =
    pin !== null && status !== "pinned" ? pin : { hash: null, quickHash: null, definition: null };
  const { hash, quickHash, definition } = good;
  const decided: Pin =
    decision === "accepted"
      ? { ...made, state: "accepted" }
      : { ...made, state: "rejected", hash, quickHash, definition, cleanBy: null };
  const change: NewChange = {
    at: made.at,
    kind: decision,
    what: "tool",
    name: tool.list === undefined ? `${server}.${tool.id.tool}` : tool.name,
    persona: tool.persona,
    source: tool.source,
    by,
    reason: why,
    before: (maskSecrets(pin?.definition ?? null) ?? null) as JsonObject | null,
    after: maskSecrets(JSON.parse(JSON.stringify(definitionOf(entry)))) as JsonObject,
    count: 1,
    revision: known.revision(),
    audience: { groups: tool.groups, persona: tool.persona, personas: null },
  };
  await (await known.store()).putPin({ pin: decided, change });
  known.guard.pinned.decided(identity, decided);
  const view = viewOf(tool, decided, known) as PinView;
  const held = view.held !== null;
  known.emit({
    type: "tool.definition",
    ...shownAs(keyOf(tool, known), tool.id.tool),
    status: decision,
    held,
  });
  return view;
}

async function lookAt(tool: Listed, known: Known) {
  const { guard, store } = known;
  await guard.loaded();
  await guard.settled();
  const { server } = tool.id;
  const found = server === null ? null : guard.pinned.look(keyOf(tool, known), tool.id.tool);
  if (server === null || found === null)
    throw new PlaneError(
      "CONFLICT",
      `'${tool.name}' is written by people, and only what servers list is pinned. Change it where it is written.`,
      { data: { tool: tool.name } },
    );
  const pin = await (await store()).pin(found.identity, tool.id.tool);
  return { server, found, pin, view: viewOf(tool, pin, known) as PinView };
}

function viewOf(tool: Listed, pin: Omit<Pin, "definition"> | null, known: Known): PinView | null {
  const { guard } = known;
  const key = keyOf(tool, known);
  const server = tool.id.server ?? "";
  const found = guard.pinned.look(key, tool.id.tool);
  if (found === null) return null;
  const { state = null, at = null, by = null, reason = null } = pin ?? {};
  const held = guard.review(key, tool.id.tool)?.held ?? null;
  return {
    name: tool.name,
    kind: pinKindOf(found.kind),
    server,
    tool: tool.id.tool,
    status: found.status,
    held,
    state,
    at,
    by,
    reason,
  };
}
