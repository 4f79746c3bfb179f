/** `mcp` says which server. */
export const providerText = (provider: string, server: string | null): string =>
  provider === "mcp" && server !== null ? `MCP server ${server}` : provider;
