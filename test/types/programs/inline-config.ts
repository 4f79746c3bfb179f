import { type ConfigInput, createPlane, type ServerInput } from "toolplane";

const demo = {
  command: "npx",
  args: ["-y", "demo-server"],
  env: { LEVEL: "3" },
} satisfies ServerInput;
const servers = new Map<string, ServerInput>([["demo", demo]]);

const config: ConfigInput = {
  mcpServers: {
    ...Object.fromEntries(servers),
    remote: {
      url: "https://example.org/mcp",
      headers: { "X-Team": "ops" },
      timeoutMs: 5_000,
      allow_tools: ["read_*"],
    },
  },
  toolsets: { reading: { providers: ["remote"], max_tool_call_turns: 5, timeout_sec: 60 } },
  models: { default: { baseURL: "http://127.0.0.1:1234/v1", model: "small" } },
  policy: {
    profile: "guarded",
    rules: [{ tool: "remote.*", arguments: { path: { regex: "^/etc" } }, verdict: "deny" }],
  },
  tools: {
    lookup: {
      description: "Looks up.",
      side_effects: "none",
      providers: [{ name: "http", config: { url: "https://example.org" } }],
    },
  },
  store: "sqlite",
};

export const plane = await createPlane({ config, dataDirectory: ".toolplane" });
