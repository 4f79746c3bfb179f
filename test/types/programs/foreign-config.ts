import type { ConfigInput } from "toolplane";

export const providerList = {
  providers: [
    { name: "files", provider_type: "stdio", command: "files-server", args: [] },
    { name: "web", endpoint: "https://example.org/sse", api_key: "WEB_KEY" },
  ],
  tool_configs: [
    {
      tool_alias: "reading",
      providers: ["files"],
      allow_tools: null,
      max_tool_call_turns: 5,
      timeout_sec: 60,
    },
  ],
} as const satisfies ConfigInput;

export const listed: ConfigInput = {
  servers: [{ name: "demo", command: ["npx", "demo"], disabled: true, auth_token: "x" }],
};

export const remoteTools: ConfigInput = {
  mcp: { balance: { url: "https://example.org/mcp", "remote-name": "get_balance" } },
  tool: {
    balance: { type: "mcp-tool", name: "bank_balance", "mcp-tool": "balance", group: ["finance"] },
  },
};

export const block: ConfigInput = {
  tools: { mcp: { enabled: true, servers: { demo: { cmd: "demo" } } } },
};
