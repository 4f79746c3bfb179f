/** `mcp` says which server; its name comes first, so that it is seen where the rest is cut. */
export const providerText = (provider: string, server: string | null): string =>
  provider === "mcp" && server !== null ? `${server} (MCP)` : provider;
