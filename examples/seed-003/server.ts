/** A bank behind one address, for those who have its token. Options: those of raw-http-server.ts. */
import { serveRawHttp } from "../../test/fixtures/servers/raw-http-server.ts";
import type { FixtureTool } from "../../test/fixtures/servers/support/definition.ts";
import { structuredResult } from "../../test/fixtures/servers/support/results.ts";

const tools: FixtureTool[] = ["get_bank_balance", "log_in", "transfer_money"].map((name) => ({
  name,
  description: "Says what it was given.",
  inputSchema: { type: "object" },
  run: ({ arguments: given }) => structuredResult({ tool: name, given }),
}));

await serveRawHttp({ name: "bank", tools });
