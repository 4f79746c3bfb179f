import type { UnknownObject } from "../../model/json.ts";
import type { GatewayContext } from "./client-session.ts";
import { completed } from "./render-result.ts";
import { exactId, type Id, objectIn, textIn } from "./request.ts";
import type { Answer, RequestContext } from "./visit.ts";
import { createWatched } from "./watched.ts";

const kinds = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;
const idKey = "io.modelcontextprotocol/subscriptionId";

/** One long request on which the client hears of what it named, until it goes or we do. */
export async function listen(
  { plane, surfaces, changes, shared }: GatewayContext,
  id: Id,
  params: UnknownObject,
  visit: RequestContext,
  closing: AbortSignal,
): Promise<Answer> {
  const surface = surfaces.of(visit.principal, visit.view);
  const filter = objectIn(params, "notifications");
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  const watched = createWatched(plane, surface);
  const honoured = await watchAll(uris, watched.add);
  const over = AbortSignal.any([visit.signal, closing]);
  const mark = { [idKey]: exactId(id) };
  const tell = (method: string, about: UnknownObject) =>
    visit.notify(method, { ...about, _meta: { ...objectIn(about, "_meta"), ...mark } });
  const ear = {
    surface,
    tools: visit.tools,
    wants: (kind: keyof typeof kinds) => filter[kinds[kind]] === true,
    watches: watched.find,
    logLevel: () => null,
    hear: tell,
  };
  tell("notifications/subscriptions/acknowledged", { notifications: acknowledged(filter, honoured) });
  const stop = changes.tell(ear);
  const leave = ear.wants("tools")
    ? shared.listening(surface, textIn(visit.client.info ?? {}, "name"))
    : undefined;
  await new Promise<void>((resolve) => {
    if (over.aborted) resolve();
    over.addEventListener("abort", () => resolve(), { once: true });
  });
  stop();
  leave?.();
  watched.clear();
  return { result: completed({ _meta: mark }) };
}

/** What cannot be watched is left out of what is agreed to. */
async function watchAll(uris: readonly unknown[], add: (uri: string) => Promise<void>): Promise<string[]> {
  const asked = uris.map(async (uri) => {
    await add(String(uri));
    return String(uri);
  });
  return (await Promise.allSettled(asked)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

function acknowledged(filter: UnknownObject, uris: readonly string[]): UnknownObject {
  const named = Object.values(kinds).filter((kind) => filter[kind] === true);
  return {
    ...Object.fromEntries(named.map((kind) => [kind, true])),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
}
