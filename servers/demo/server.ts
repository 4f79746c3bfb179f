import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

export function serveDemo(): void {
  serveStdio(createDemoServer);
}

/** A small server to try things on: it needs no key, no network and no file. */
function createDemoServer(): McpServer {
  const server = new McpServer({ name: "toolplane-demo", version: "1.0.0" });
  const notes: string[] = [];

  server.registerTool(
    "greet",
    {
      title: "Greet a person",
      description: "Says hello to a person by name.",
      inputSchema: z.object({ name: z.string().describe("whom to greet") }),
      annotations: { readOnlyHint: true },
    },
    ({ name }) => text(`Hello, ${name}!`),
  );
  server.registerTool(
    "add",
    {
      title: "Add two numbers",
      description: "Adds two numbers and returns the sum, for example 1 and 2.",
      inputSchema: z.object({
        a: z.number().describe("first number"),
        b: z.number().describe("second number"),
      }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    "add_note",
    {
      title: "Write a note",
      description: "Keeps a note for as long as the server runs.",
      inputSchema: z.object({ note: z.string().min(1).describe("what to keep") }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    },
    ({ note }) => text(`Note ${notes.push(note)} kept.`),
  );
  server.registerTool(
    "list_notes",
    {
      title: "Read the notes",
      description: "Returns all notes kept so far.",
      annotations: { readOnlyHint: true },
    },
    () => text(notes.length === 0 ? "No notes yet." : notes.join("\n")),
  );
  server.registerTool(
    "whoami",
    {
      title: "Show what is injected",
      description:
        "Tells who calls and which tools there are, from values that only Toolplane sets.",
      inputSchema: z.object({
        _atlas_user: z.string().optional().describe("the caller, set by Toolplane"),
        username: z
          .string()
          .optional()
          .describe("set by Toolplane where the configuration asks for it"),
        _mcp_data: z
          .looseObject({ available_servers: z.array(z.looseObject({})).optional() })
          .optional()
          .describe("the catalogue of the caller, set by Toolplane"),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ _atlas_user, username, _mcp_data }) => {
      const servers =
        _mcp_data?.available_servers?.map(({ server_name }) => String(server_name)) ?? [];
      const who = describeCaller(_atlas_user, username);
      return text(
        `${who} ${_mcp_data === undefined ? "No catalogue came." : `Servers: ${servers.join(", ")}.`}`,
      );
    },
  );
  server.registerTool(
    "swatch",
    {
      title: "Show a colour",
      description: "Draws a square in a colour such as teal or #0aa and returns it as an image.",
      inputSchema: z.object({
        color: z
          .string()
          .regex(/^(#[0-9a-f]{3,6}|[a-z]+)$/i)
          .describe("a CSS colour"),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ color }) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="${color}"/></svg>`;
      return {
        content: [
          {
            type: "image" as const,
            mimeType: "image/svg+xml",
            data: Buffer.from(svg).toString("base64"),
          },
        ],
      };
    },
  );
  return server;
}

function text(value: string): { content: [{ type: "text"; text: string }] } {
  return { content: [{ type: "text", text: value }] };
}

/** `username` is an ordinary argument where the configuration does not ask for it, and then anyone may set it. */
function describeCaller(caller: string | undefined, username: string | undefined): string {
  if (caller !== undefined) return `You are ${caller}.`;
  return username === undefined ? "No caller is known." : `The argument 'username' is ${username}.`;
}
