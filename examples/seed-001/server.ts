/** The servers of the story, by name: `node server.ts NAME`. */
import { serveRaw } from "../../test/fixtures/servers/raw-server.ts";
import { textResult } from "../../test/fixtures/servers/support/results.ts";

const text = { type: "string" };
const [, , server = ""] = process.argv;
const names: Record<string, string[]> = {
  browser: ["browser.find", "browser.delete"],
  sky: ["look", "scan"],
};

serveRaw({
  name: server,
  tools: (names[server] ?? []).map((name) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object", properties: { url: text } },
    run: ({ arguments: { url } }) => textResult(`${name} ${url ?? ""}`.trim()),
  })),
});
