import { createPlane } from "../../src/index.ts";
import { stubbornServer, tenServers } from "./servers.ts";

/** A plane with all its servers connected that waits to be killed. */
const run = process.argv[2] ?? "";
const plane = await createPlane({
  config: { mcpServers: { ...tenServers(run), ...stubbornServer(run) } },
});
await Promise.all(Object.keys(plane.config().servers).map((name) => plane.servers.connect(name)));
console.log("ready");
