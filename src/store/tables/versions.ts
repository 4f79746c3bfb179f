import type {
  DefaultDecision,
  StoredDecision,
  StoreVersion,
} from "../../model/config/changed-defaults.ts";
import type { Store } from "../../model/store.ts";
import { type Database, insert, type Row, selectRows, textOrNull } from "./database.ts";

/** The versions that have written this store, and what was decided about defaults that changed. */
export function createVersionTables({ read, write }: Database) {
  return {
    storeVersions: () =>
      read(() =>
        selectRows(parseVersion, "SELECT version, since FROM store_versions ORDER BY since"),
      ),
    defaultDecisions: () =>
      read(() =>
        selectRows(parseDecision, "SELECT * FROM default_decisions ORDER BY change, files"),
      ),
    decideDefault: async ({ files, change, decision, decidedBy, decidedAt }) => {
      const columns = {
        files: JSON.stringify(files),
        change,
        decision,
        decided_by: decidedBy,
        decided_at: decidedAt,
      };
      const replacing = `ON CONFLICT (files, change) DO UPDATE SET decision = excluded.decision,
        decided_by = excluded.decided_by, decided_at = excluded.decided_at`;
      await write(() => insert("default_decisions", columns, replacing), {
        notify: { what: "defaults" },
      });
    },
  } satisfies Partial<Store>;
}

function parseVersion({ version, since }: Row): StoreVersion {
  return { version: String(version), since: String(since) };
}

function parseDecision(row: Row): StoredDecision {
  return {
    files: JSON.parse(String(row.files)) as string[],
    change: String(row.change),
    decision: String(row.decision) as DefaultDecision,
    decidedBy: textOrNull(row.decided_by),
    decidedAt: String(row.decided_at),
  };
}
