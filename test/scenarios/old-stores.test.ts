import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { oldStoreContract } from "../contracts/old-store.ts";

oldStoreContract("sqlite", async (_version, data, files) => {
  for (const [name, bytes] of files)
    if (!name.includes("-waiting-") && name !== "export.jsonl")
      await writeFile(join(data, name), bytes, { mode: 0o600 });
  return {
    spool: "toolplane.db",
    async run(sql) {
      const database = new DatabaseSync(join(data, "toolplane.db"));
      database.exec(sql);
      database.close();
    },
  };
});
