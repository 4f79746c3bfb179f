/** A server whose tools are called what its arguments say. Arguments: NAME TOOL… [--instructions=TEXT] */
import { serveRaw } from "../fixtures/servers/raw-server.ts";
import { textResult } from "../fixtures/servers/support/results.ts";
import { noArguments } from "../fixtures/servers/support/tool-schema.ts";

const flag = "--instructions=";
const [server = "", ...others] = process.argv.slice(2);
const names = others.filter((other) => !other.startsWith(flag));
const [instructions] = others
  .filter((other) => other.startsWith(flag))
  .map((other) => other.slice(flag.length));

serveRaw({
  name: server,
  ...(instructions === undefined ? {} : { instructions }),
  tools: names.map((name) => ({
    name,
    description: `The tool ${name} of ${server}.`,
    inputSchema: noArguments,
    annotations: { readOnlyHint: true },
    run: () => textResult(`${server}:${name}`),
  })),
});
