import { processEnvironment } from "./config/environment.ts";
import { createSettings } from "./config/settings.ts";
import { PlaneError } from "./model/errors.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import { type OpenedState, type StateTable, type StateVerbs, stateTables } from "./model/state.ts";
import type { Store } from "./model/store.ts";
import { checkState, newHash, stateColumnsOf, stateHeader, stateLinesOf } from "./store/check-state.ts";
import { openStore, requireStoreAddress } from "./store/open-store.ts";

const tables = Object.keys(stateTables) as StateTable[];

/** The store of a configuration without a plane around it, so that nothing is added to it by looking. */
export async function openState(
  options: Pick<PlaneOptions, "config" | "dataDirectory" | "store">,
): Promise<OpenedState> {
  const { config } = await createSettings(options.config, processEnvironment());
  const address = requireStoreAddress(options.store ?? config().store);
  const { store } = await openStore(address, options.dataDirectory);
  return { ...createStateVerbs(async () => store), [Symbol.asyncDispose]: () => store.close() };
}

/** The whole state of a store, out of any kind and into any other. */
function createStateVerbs(store: () => Promise<Store>): StateVerbs {
  return {
    async countState() {
      const kept = await store();
      const counts = await Promise.all(tables.map((table) => kept.countRows(table)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async *exportState() {
      const hash = newHash();
      const add = (line: string) => {
        hash.update(`${line}\n`);
        return line;
      };
      yield add(JSON.stringify(stateHeader));
      let samples = 0;
      for await (const { table, row } of (await store()).readAll()) {
        // Samples are counted anew: their numbers only say in which order they came.
        const numbered = table === "samples" ? { ...row, sequence: ++samples } : row;
        yield add(JSON.stringify({ table, row: numbered }));
      }
      yield JSON.stringify({ hash: hash.digest("hex") });
    },
    async importState(open, { dryRun = false, onChecked, onRow } = {}) {
      const kept = await store();
      const report = await checkState(open(), await stateColumnsOf(kept));
      onChecked?.(Object.values(report.rows).reduce((sum, count) => sum + count, 0));
      for (const table of tables) if ((await kept.countRows(table)) > 0) throw notEmpty(table);
      if (dryRun) return report;
      const taken = await kept.writeAll(() => stateLinesOf(open(), report.hash, onRow));
      if (taken !== null) throw notEmpty(taken);
      return report;
    },
  };
}

function notEmpty(table: StateTable): PlaneError {
  return new PlaneError(
    "USAGE",
    `The store has rows in '${table}' already, and two histories cannot become one. Nothing was imported; name an empty store with --store or --data-dir.`,
    { data: { table } },
  );
}
