import { openSqliteStore } from "../../src/store/sqlite.ts";
import { engineContract } from "../contracts/engine.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { moveClock } from "./work-world.ts";

engineContract("the engine on a file", async () => {
  const directory = await temporaryDirectory();
  const open = () => openSqliteStore(directory.file("toolplane.db"));
  return {
    open,
    later: async (ms) => moveClock(ms),
    leftOver: async () => {
      const store = await open();
      const counts = [
        (await store.jobRuns({})).filter(({ dueAt }) => dueAt !== null).length,
        (await store.deadLetters({})).deadLetters.filter(({ nextRetryAt }) => nextRetryAt !== null)
          .length,
      ];
      await store.close();
      return counts.reduce((one, other) => one + other);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
});
