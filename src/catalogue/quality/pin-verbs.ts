import { maskSecrets } from "../../config/config.ts";
import { makeVisible } from "../../lib/text/unseen.ts";
import { compareText } from "../../lib/text/wording.ts";
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
import { eventSubject, offerName, pinKindOf, writtenKey } from "./offers.ts";
import { definitionOf } from "./pinned-servers.ts";

export function describeDifference(before: unknown, after: unknown): DefinitionDifference[] {
  const oldLeaves = new Map(leavesOf(before, "", 0));
  const newLeaves = new Map(leavesOf(after, "", 0));
  const paths = new Set([...oldLeaves.keys(), ...newLeaves.keys()]);
  return [...paths]
    .filter((path) => oldLeaves.get(path) !== newLeaves.get(path))
    .map((path) => ({
      where: path,
      before: oldLeaves.get(path) ?? null,
      after: newLeaves.get(path) ?? null,
    }));
}

const maxDepth = 64;

function leavesOf(node: unknown, path: string, depth: number): [path: string, text: string][] {
  if (node === undefined) return [];
  const children = depth > maxDepth ? [] : childrenOf(node);
  if (children.length === 0) return [[path, makeVisible(JSON.stringify(node) ?? "null")]];
  return children.flatMap(([key, child]) => {
    const segment = String(key).replaceAll("~", "~0").replaceAll("/", "~1");
    return leavesOf(child, `${path}/${segment}`, depth + 1);
  });
}

/** Sorted: another order of keys is no difference. */
function childrenOf(node: unknown): [key: string | number, child: unknown][] {
  if (Array.isArray(node)) return [...node.entries()];
  if (isObject(node)) return Object.entries(node).sort(([a], [b]) => compareText(a, b));
  return [];
}

/** `user`: whose lists are meant. */
type PinContext = { guard: Guard; store(): Promise<Store>; user: string | null };
/** A tool, or what a server offers beside its tools. */
type ListedDefinition = Pick<Tool, "name" | "id" | "groups" | "persona" | "source"> & {
  list?: PinnedList;
};

const keyOf = (
  { id, list = "tools" }: ListedDefinition,
  { guard, user }: Pick<PinContext, "guard" | "user">,
) => (list === "written" ? writtenKey : guard.pinned.keyFor(id.server ?? "", list, user));

/** What is decided about: a tool that people wrote, or what they say of a server's tool where that is what is held. */
function decidedTool(tool: ListedDefinition, context: PinContext): ListedDefinition {
  const { guard } = context;
  const writtenName = registryKey(tool);
  const isServers =
    tool.id.server !== null &&
    (tool.list !== undefined || guard.held(keyOf(tool, context), tool.id.tool) !== null);
  if (isServers || !guard.review(writtenKey, writtenName)?.findings.length) return tool;
  return { ...tool, id: { server: "", tool: writtenName }, list: "written" };
}

/** Everything beside tools that was listed by servers that `maySee` allows. */
export function listedOffers(
  guard: Guard,
  maySee: (server: string, user: string | undefined) => boolean,
  groupsOf: (server: string) => string[],
): ListedDefinition[] {
  return guard.pinned.offers().flatMap(({ server, user, kind: list, tools }) => {
    if (!maySee(server, user)) return [];
    return [...tools.keys()].map((tool) => ({
      name: offerName(server, list, tool),
      id: { server, tool },
      list,
      groups: groupsOf(server),
      persona: null,
      source: server,
    }));
  });
}

export async function viewPins(
  listed: readonly ListedDefinition[],
  { status, held }: PinFilter,
  context: PinContext,
): Promise<PinView[]> {
  const { guard, store } = context;
  await guard.loaded();
  await guard.settled();
  // Of what people wrote, only what the scan reports is decided about.
  const tools = listed.map((tool) => (tool.id.server === null ? decidedTool(tool, context) : tool));
  const isHeld = (tool: ListedDefinition) =>
    tool.id.server !== null && guard.held(keyOf(tool, context), tool.id.tool) !== null;
  const chosen = held === undefined ? tools : tools.filter((tool) => isHeld(tool) === held);
  if (chosen.length === 0) return [];
  const storedPins = await (await store()).pins(guard.pinned.identities());
  const pinByTool = new Map(
    storedPins.map((pin) => [JSON.stringify([pin.identity, pin.tool]), pin]),
  );
  const views = chosen.flatMap((tool) => {
    if (tool.id.server === null) return [];
    const identity = guard.pinned.look(keyOf(tool, context), tool.id.tool)?.identity;
    const pin = pinByTool.get(JSON.stringify([identity, tool.id.tool]));
    return viewOf(tool, pin ?? null, context) ?? [];
  });
  if (status === undefined) return views;
  return views.filter((view) => view.status === status);
}

export async function diffPin(requested: ListedDefinition, context: PinContext): Promise<PinDiff> {
  await context.guard.loaded();
  const tool = requested.id.server === null ? decidedTool(requested, context) : requested;
  const { compared, pin, view } = await lookAt(tool, context);
  const difference = describeDifference(pin?.definition ?? {}, definitionOf(compared.entry));
  return { ...view, difference };
}

/** Accepts the current definition, or quarantines every definition that is not the pinned one. */
export async function decidePin(
  requested: ListedDefinition,
  decision: "accepted" | "rejected",
  {
    reason,
    caller,
    principal,
  }: { reason: string | undefined; caller: Caller; principal: Principal },
  context: PinContext & { emit(event: PlaneEvent): void; revision(): number },
): Promise<PinView> {
  const readableReason = readReason(reason);
  await context.guard.loaded();
  const tool = decidedTool(requested, context);
  const { server, compared, pin } = await lookAt(tool, context);
  const { identity, entry, status } = compared;
  const by = asPerson(caller, principal);
  const accepted: Pin = {
    ...context.guard.pinned.pinOf({ server, identity }, tool.id.tool, entry),
    by,
    reason: readableReason,
    state: "accepted",
  };
  // A definition that is rejected as it was first seen leaves no good one.
  const good =
    pin !== null && status !== "pinned" ? pin : { hash: null, quickHash: null, definition: null };
  const { hash, quickHash, definition } = good;
  const decided: Pin =
    decision === "accepted"
      ? accepted
      : { ...accepted, state: "rejected", hash, quickHash, definition, cleanBy: null };
  const change: NewChange = {
    at: accepted.at,
    kind: decision,
    what: "tool",
    name: tool.list === undefined ? `${server}.${tool.id.tool}` : tool.name,
    persona: tool.persona,
    source: tool.source,
    by,
    reason: readableReason,
    before: (maskSecrets(pin?.definition ?? null) ?? null) as JsonObject | null,
    after: maskSecrets(JSON.parse(JSON.stringify(definitionOf(entry)))) as JsonObject,
    count: 1,
    revision: context.revision(),
    audience: { groups: tool.groups, persona: tool.persona, personas: null },
  };
  await (await context.store()).putPin({ pin: decided, change });
  context.guard.pinned.decided(identity, decided);
  const view = viewOf(tool, decided, context) as PinView;
  const held = view.held !== null;
  context.emit({
    type: "tool.definition",
    ...eventSubject(keyOf(tool, context), tool.id.tool),
    status: decision,
    held,
  });
  return view;
}

async function lookAt(tool: ListedDefinition, context: PinContext) {
  const { guard, store } = context;
  await guard.loaded();
  await guard.settled();
  const { server } = tool.id;
  const compared = server === null ? null : guard.pinned.look(keyOf(tool, context), tool.id.tool);
  if (server === null || compared === null)
    throw new PlaneError(
      "CONFLICT",
      `'${tool.name}' is written by people, and only what servers list is pinned. Change it where it is written.`,
      { data: { tool: tool.name } },
    );
  const pin = await (await store()).pin(compared.identity, tool.id.tool);
  return { server, compared, pin, view: viewOf(tool, pin, context) as PinView };
}

function viewOf(
  tool: ListedDefinition,
  pin: Omit<Pin, "definition"> | null,
  context: PinContext,
): PinView | null {
  const { guard } = context;
  const key = keyOf(tool, context);
  const server = tool.id.server ?? "";
  const compared = guard.pinned.look(key, tool.id.tool);
  if (compared === null) return null;
  const { state = null, at = null, by = null, reason = null } = pin ?? {};
  const held = guard.review(key, tool.id.tool)?.held ?? null;
  return {
    name: tool.name,
    kind: pinKindOf(compared.kind),
    server,
    tool: tool.id.tool,
    status: compared.status,
    held,
    state,
    at,
    by,
    reason,
  };
}
