/** A server whose tools are called what its arguments say. Arguments: NAME TOOL… */
import { serveRaw } from "../fixtures/servers/raw-server.ts";
import { textResult } from "../fixtures/servers/support/results.ts";
import { noArguments } from "../fixtures/servers/support/tool-schema.ts";

const [server = "", ...names] = process.argv.slice(2);

serveRaw({
  name: server,
  tools: names.map((name) => ({
    name,
    description: `The tool ${name} of ${server}.`,
    inputSchema: noArguments,
    annotations: { readOnlyHint: true },
    run: () => textResult(`${server}:${name}`),
  })),
});
