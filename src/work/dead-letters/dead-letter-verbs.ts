import { once } from "../../lib/async/once.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { mayBelongTo } from "../../model/catalogue/tool-name.ts";
import type { DueHandler } from "../../model/store.ts";
import type { DeadLetterParts, DeadLetters } from "./dead-letters.ts";

type Parts = Omit<DeadLetterParts, "knows"> & {
  serverNames(): readonly string[];
  tools(): readonly Tool[];
};

type PlaneDeadLetters = Omit<DeadLetters, "handler"> & { handler(): Promise<DueHandler> };

/** Loaded when a call has failed, or when somebody asks: a call that succeeds pays nothing for it. */
export function createDeadLettersWhenNeeded({ serverNames, tools, ...parts }: Parts): PlaneDeadLetters {
  const knows: DeadLetterParts["knows"] = ({ server, tool }) =>
    server === null
      ? tools().some(({ id, name }) => id.server === null && name === tool) ||
        serverNames().some((name) => mayBelongTo(name, tool))
      : serverNames().includes(server);
  const loaded = once(async () => {
    const { createDeadLetters } = await import("./dead-letters.ts");
    return createDeadLetters({ ...parts, knows });
  });
  const verbs = async () => (await loaded()).verbs;
  return {
    verbs: {
      deadLetters: async (query, caller) => (await verbs()).deadLetters(query, caller),
      deadLetter: async (id, caller) => (await verbs()).deadLetter(id, caller),
      retryDeadLetter: async (id, caller) => (await verbs()).retryDeadLetter(id, caller),
      resolveDeadLetter: async (id, options, caller) => (await verbs()).resolveDeadLetter(id, options, caller),
      abandonDeadLetter: async (id, options, caller) => (await verbs()).abandonDeadLetter(id, options, caller),
      deleteDeadLetter: async (id, caller) => (await verbs()).deleteDeadLetter(id, caller),
    },
    keep: async (call, record, error) => (await loaded()).keep(call, record, error),
    handler: async () => (await loaded()).handler,
    stop: async () => void (loaded.made() && (await (await loaded()).stop())),
  };
}
