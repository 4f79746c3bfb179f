import type { ClientContext, ClientSource, ClientVerbs } from "../../model/client-context.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import type { QualityVerbs } from "../../model/quality-verbs.ts";

type Parts = { emit(event: PlaneEvent): void; defaultPrincipal: Principal };

/** So many texts are counted before others have their turn. */
const slice = 50;

/** The MCP clients that are connected, and what each of them has in its context. */
export function createClients({ emit, defaultPrincipal }: Parts) {
  const open = new Set<ClientSource>();

  async function measure(principal: Principal): Promise<ClientContext[]> {
    const isTheirs = ({ user }: ClientSource) => mayDo(principal, "admin") || user === principal.user;
    const measured = [...open].filter(isTheirs).map(async ({ measure: ask, ...source }) => ({
      ...source,
      ...(await ask()),
    }));
    // One that goes while it is measured is gone.
    return (await Promise.allSettled(measured)).flatMap((one) =>
      one.status === "fulfilled" ? one.value : [],
    );
  }

  return {
    verbs: ({ stats }: Pick<QualityVerbs, "stats">): ClientVerbs & Pick<QualityVerbs, "stats"> => ({
      async stats(options, caller = {}) {
        const told = await stats(options, caller);
        return { ...told, sessions: await measure(caller.principal ?? defaultPrincipal) };
      },
      watchClient(source) {
        open.add(source);
        return {
          loaded: (tools, loadedTokens) =>
            emit({ type: "tool.dynamicLoad", session: source.id, tools: [...tools], loadedTokens }),
          close: () => void open.delete(source),
        };
      },
      async countTokens(texts) {
        const { loadTokenCounter } = await import("./count-tokens.ts");
        const count = await loadTokenCounter();
        const counts: number[] = [];
        for (const text of texts) {
          counts.push(count(text));
          if (counts.length % slice === 0) await new Promise(setImmediate);
        }
        return counts;
      },
    }),
  };
}
