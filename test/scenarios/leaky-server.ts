/** A server that says secrets wherever it can. Argument: the seed of its secrets. */
import { serveRaw } from "../fixtures/servers/raw-server.ts";
import { RpcError } from "../fixtures/servers/support/messages.ts";
import { textResult } from "../fixtures/servers/support/results.ts";
import { noArguments } from "../fixtures/servers/support/tool-schema.ts";
import { leaksOf } from "./leaks.ts";

const texts = leaksOf(Number(process.argv[2])).map(({ text }) => text);
const all = texts.join("\n");
process.stderr.write(`${all}\n`);

const tool = { description: "Says too much.", inputSchema: noArguments };
serveRaw({
  name: "leaky",
  capabilities: { tools: {}, logging: {} },
  tools: [
    {
      ...tool,
      name: "refuse",
      run: () => {
        throw new RpcError(-32603, all, { texts });
      },
    },
    {
      ...tool,
      name: "chat",
      run: (call) => {
        for (const data of texts)
          call.notify("notifications/message", { level: "error", logger: "leaky", data });
        const progressToken = (call.params._meta as { progressToken?: string } | undefined)
          ?.progressToken;
        for (const message of texts)
          call.notify("notifications/progress", { progressToken, progress: 1, message });
        return textResult("done");
      },
    },
    {
      ...tool,
      name: "crash",
      run: () => {
        process.stderr.write(`${all}\n`, () => process.exit(1));
        return undefined;
      },
    },
  ],
});
