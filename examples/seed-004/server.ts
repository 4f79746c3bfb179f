/** The local provider of the story. */
import { setTimeout as pause } from "node:timers/promises";
import { serveRaw } from "../../test/fixtures/servers/raw-server.ts";
import { textResult } from "../../test/fixtures/servers/support/results.ts";
import { objectSchema, text } from "../../test/fixtures/servers/support/tool-schema.ts";

let running = 0;
let most = 0;

serveRaw({
  name: "local-tools",
  tools: [
    {
      name: "lookup",
      description: "Looks a word up.",
      inputSchema: objectSchema({ word: text }),
      annotations: { readOnlyHint: true },
      run: ({ arguments: { word } }) => textResult(`${word} means something (${process.env.MODE})`),
    },
    {
      name: "slow_lookup",
      description: "Looks a word up slowly and says how many did so at once.",
      inputSchema: objectSchema({ word: text }),
      annotations: { readOnlyHint: true },
      async run() {
        most = Math.max(most, ++running);
        while (most < 3) await pause(5);
        running -= 1;
        return textResult(`${most} at once`);
      },
    },
    {
      name: "fail",
      description: "Is in two places.",
      inputSchema: { type: "object" },
      run: () => textResult("local"),
    },
  ],
});
