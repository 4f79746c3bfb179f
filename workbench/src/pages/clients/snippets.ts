export type Snippet = { name: string; title: string; hint: string; text: string };

/** How clients that cannot be connected from here reach this plane. */
export function snippetsFor(origin: string, needsKey: boolean): Snippet[] {
  const url = `${origin}/mcp`;

  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const remote = needsKey ? { url, headers: { Authorization: "Bearer tp_…" } } : { url };
  const flag = needsKey ? ' --header "Authorization: Bearer tp_…"' : "";
  return [
    {
      name: "claude",
      title: "Claude Code",
      hint: "Run it in a terminal.",
      text: `claude mcp add --transport http toolplane ${url}${flag}`,
    },
    {
      name: "json",
      title: "Cursor, Windsurf",
      hint: "Into ~/.cursor/mcp.json or the client's own file.",
      text: json({ mcpServers: { toolplane: remote } }),
    },
    {
      name: "vscode",
      title: "VS Code",
      hint: "Into .vscode/mcp.json.",
      text: json({ servers: { toolplane: { type: "http", ...remote } } }),
    },
    {
      name: "stdio",
      title: "stdio",
      hint: "For clients that start their servers, on the plane's machine.",
      text: json({
        mcpServers: { toolplane: { command: "npx", args: ["-y", "toolplane", "mcp"] } },
      }),
    },
    {
      name: "code",
      title: "TypeScript",
      hint: "With the MCP SDK.",
      text: `const transport = new StreamableHTTPClientTransport(new URL("${url}"));\nawait client.connect(transport);`,
    },
  ];
}
