/** The servers of the story, by name: `node server.ts NAME`. */
import { serveRaw } from "../../test/fixtures/servers/raw-server.ts";
import type { FixtureTool, ToolCall } from "../../test/fixtures/servers/support/definition.ts";
import type { JsonObject } from "../../test/fixtures/servers/support/messages.ts";
import { structuredResult } from "../../test/fixtures/servers/support/results.ts";

type Inventory = { available_servers?: { tools: { name: string }[] }[] };

const text = { type: "string" };
const object = (properties: JsonObject) => ({ type: "object", properties });
const tool = (
  name: string,
  description: string,
  properties: JsonObject,
  run: FixtureTool["run"],
): FixtureTool => ({
  name,
  description,
  inputSchema: object(properties),
  run,
  annotations: { readOnlyHint: true },
});
const received = ({ arguments: args }: ToolCall) => structuredResult(args);

function plan({ arguments: args }: ToolCall) {
  const { available_servers = [] } = (args._mcp_data ?? {}) as Inventory;
  const available_tools = available_servers.flatMap(({ tools }) => tools.map(({ name }) => name));
  return structuredResult({
    results: { task: args.task, available_tools, tool_count: available_tools.length },
  });
}

const servers: Record<string, FixtureTool[]> = {
  my_server: [tool("toolName", "What this tool does", { query: text }, received)],
  vault: [tool("open", "Opens the vault", {}, received)],
  canvas: [tool("draw", "Draws on the canvas", {}, received)],
  my_planner: [
    tool(
      "plan_task",
      "Plan how to accomplish a task using available tools.",
      { task: text, _mcp_data: {} },
      plan,
    ),
    tool(
      "inventory",
      "Returns what it was given.",
      { task: text, _mcp_data: { type: "object" } },
      received,
    ),
  ],
  "username-override-demo": [
    tool("whoami", "Who calls?", { username: text, note: text }, received),
    tool("plan_with_tools", "Plans without a model.", { task: text, _mcp_data: {} }, plan),
  ],
};

const [, , name = ""] = process.argv;
serveRaw({ name, tools: servers[name] ?? [] });
