import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";
import { askAgent, script } from "./agent.ts";

// Makes calls.jsonl again: the only run that needs the server.
const record = fileURLToPath(new URL("calls.jsonl", import.meta.url));
await rm(record, { force: true });
const demo = fileURLToPath(new URL("../../servers/demo/main.ts", import.meta.url));
await using endpoint = await startScriptedModel(script);
await using plane = await createPlane({
  config: {
    mcpServers: { demo: { command: process.execPath, args: [demo] } },
    models: { default: { baseURL: endpoint.url, model: "scripted" } },
  },
  record,
});
console.log((await askAgent(plane, "Greet Ann and add 19 and 23.")).answer);
