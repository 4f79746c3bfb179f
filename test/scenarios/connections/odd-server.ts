/**
 * What the other fixtures cannot do, over stdio or --http. Options: --list-delay MS (before answering tools/list),
 * --no-ping (does not know ping), --die-when FILE (exits at start while the file exists),
 * --fail-list-when FILE (tools/list fails while the file exists).
 */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { serveRawHttp } from "../../fixtures/servers/raw-http-server.ts";
import { serveRaw } from "../../fixtures/servers/raw-server.ts";
import {
  type FixtureTool,
  type ServerDefinition,
  toolListing,
} from "../../fixtures/servers/support/definition.ts";
import { log } from "../../fixtures/servers/support/lifecycle.ts";
import { errorCodes, numberAt, RpcError, textAt } from "../../fixtures/servers/support/messages.ts";
import { flag, numberOption, option } from "../../fixtures/servers/support/options.ts";
import { structuredResult, textResult } from "../../fixtures/servers/support/results.ts";
import { noArguments, objectSchema, text } from "../../fixtures/servers/support/tool-schema.ts";

const exists = (name: string) => existsSync(option(name) ?? "/no/such/file");

const tools: FixtureTool[] = [
  {
    name: "ok",
    description: "Answers properly.",
    inputSchema: noArguments,
    annotations: { readOnlyHint: true },
    run: () => textResult("ok"),
  },
  {
    name: "slow",
    description: "Answers after a number of milliseconds.",
    inputSchema: objectSchema({ ms: { type: "integer" } }),
    run: async (call) => {
      const ms = numberAt(call.arguments, "ms");
      await delay(ms, undefined, { signal: call.signal }).catch(() => undefined);
      return textResult(`waited ${ms}`);
    },
  },
  {
    name: "confirm",
    description: "Asks the user with the words it was given.",
    inputSchema: objectSchema({ message: text }),
    run: async (call) => {
      const requestedSchema = objectSchema({ confirmed: { type: "boolean" } });
      const message = textAt(call.arguments, "message");
      return structuredResult(await call.ask("elicitation/create", { message, requestedSchema }));
    },
  },
];

const definition: ServerDefinition = {
  name: "odd",
  capabilities: { tools: { listChanged: true } },
  tools,
  methods: {
    "tools/list": async () => {
      await delay(numberOption("list-delay", 0));
      if (exists("fail-list-when")) throw new RpcError(errorCodes.internal, "no list today");
      return { tools: toolListing(tools) };
    },
    ping: () => {
      if (flag("no-ping")) throw new RpcError(errorCodes.methodNotFound, "Method not found: ping");
      return {};
    },
  },
};

if (exists("die-when")) {
  log("start");
  process.exit(3);
}
if (flag("http")) await serveRawHttp(definition);
else serveRaw(definition);
