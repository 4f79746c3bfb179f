/** The servers of the story, by name: `node server.ts NAME`. */
import { existsSync, writeFileSync } from "node:fs";
import { serveRaw } from "../../test/fixtures/servers/raw-server.ts";
import type { FixtureTool, ToolCall } from "../../test/fixtures/servers/support/definition.ts";
import { errorCodes, RpcError } from "../../test/fixtures/servers/support/messages.ts";
import { textResult } from "../../test/fixtures/servers/support/results.ts";

const [, , server = ""] = process.argv;
const actions = [
  "click",
  "hover",
  "snapshot",
  "navigate",
  "type",
  "press_key",
  "drag",
  "resize",
  "close",
  "wait_for",
];
const parts = ["tab", "dialog", "network", "console"];
const selector = {
  type: "string",
  description: "Which element, as a person would describe it, such as 'Save'",
};

function tool(name: string, description: string, run: FixtureTool["run"] = ran): FixtureTool {
  const properties = {
    element: selector,
    timeout: {
      type: "integer",
      description: "How long to wait for it, in milliseconds",
      minimum: 0,
    },
    options: {
      type: "object",
      description: "How exactly to do it, for example with a modifier key held down",
      properties: {
        modifiers: { type: "array", items: { type: "string", enum: ["Alt", "Control", "Shift"] } },
      },
    },
  };
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required: ["element"] },
    run,
  };
}

function ran({ tool: name, arguments: { element } }: ToolCall) {
  return textResult(`${name} ${element} ${process.env.STORY ?? ""}`.trim());
}

const { STORY_MARK: mark = "" } = process.env;
const playwright = [
  ...actions.map((word) =>
    tool(`browser_${word}`, `Do "${word}" with an element of the page, for example a button.`),
  ),
  ...parts.flatMap((part) =>
    actions.map((word) =>
      tool(
        `${part}_${word}`,
        `Do "${word}" with the ${part} of the page, such as its first entry.`,
      ),
    ),
  ),
  tool(
    "browser_take_screenshot",
    "Takes a screenshot of the page or of one element, e.g. of the header.",
  ),
];
const filesystem: FixtureTool[] = [
  {
    ...tool("read_file", "Reads a file and returns its text."),
    annotations: { readOnlyHint: true },
  },
  tool("create_file", "Creates a file with this name, for example notes.txt."),
  tool("update_file", "Replaces the text of a file, for example of notes.txt."),
  tool("delete_file", "Deletes a file with this name, for example notes.txt."),
  tool("list_files", "Lists the files of a directory, such as the current one."),
  {
    ...tool("flaky_read", "Reads a file on a bad line; the first time the line breaks.", (call) => {
      if (existsSync(mark)) return ran(call);
      writeFileSync(mark, "");
      process.exit(7);
    }),
    annotations: { readOnlyHint: true },
  },
  tool("forbidden", "Never works, whatever it is asked.", () => {
    throw new RpcError(errorCodes.internal, "403 unauthorized");
  }),
];
const bare: FixtureTool = {
  name: "doIt",
  description: "",
  inputSchema: { type: "object", properties: { x: {} } },
  run: ran,
};

const servers: Record<string, FixtureTool[]> = { playwright, filesystem, notes: [bare] };
serveRaw({ name: server, tools: servers[server] ?? [] });
