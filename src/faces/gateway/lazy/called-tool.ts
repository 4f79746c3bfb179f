import type { Outcome } from "../../../model/call.ts";
import type { ToolListing } from "../../../model/plane.ts";
import type { Surface } from "../surfaces.ts";
import type { RequestContext } from "../visit.ts";
import type { MeantCall } from "./read-call.ts";

export type Meant = Exclude<MeantCall, { wrong: string }>;

type Called = {
  listed?: ToolListing | undefined;
  /** The client was never shown it, and may call only what it was shown. */
  unseen?: boolean;
};

/** The tool that a call means, as far as it has to be known here. Undefined where the view has no such tool. */
export async function findCalled(
  { name, own }: Meant,
  { tools }: Surface,
  { tools: client, view }: RequestContext,
): Promise<Called | undefined> {
  if (own) return {};
  const isStrict = client.isStrict() && (await client.isLazy());
  if (!isStrict && !client.isSettled()) {
    // What is shown under the plane's own names needs no looking up here.
    const listed = tools.isWhole ? undefined : await tools.find(name);
    return listed === undefined && view.toolset !== null ? undefined : { listed };
  }
  if (tools.isWhole && !isStrict) return {};
  const found = (await client.lookUp()).find(name);
  if (!found && view.toolset !== null) return undefined;
  return { listed: found?.tool, unseen: isStrict && !(found && (await client.wasShown(found))) };
}

/** What a client calls it wants at hand, and who got a handle wants to read it. Nobody waits for that. */
export function noteUse(
  { call, stored }: Outcome,
  { own, isWrapped }: Meant,
  { tools }: RequestContext,
): void {
  if (own || !tools.isSettled() || call.status === "refused") return;
  const noted = [tools.used(call.tool, { isListed: !isWrapped })];
  if (stored) noted.push(tools.used("read_result", { isListed: true }));
  void Promise.allSettled(noted);
}
