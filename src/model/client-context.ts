/** What the plane has put into the context of one MCP client. */
export type ClientContext = {
  id: string;
  user: string | null;
  client: string | null;
  era: "legacy" | "modern";
  mode: "full" | "lazy" | "code";
  since: string;
  tools: number;
  loaded: string[];
  loadedTokens: number;
};

/** A client as its face knows it, measured on request. */
export type ClientSource = Pick<ClientContext, "id" | "user" | "client" | "era" | "since"> & {
  measure(): Promise<Pick<ClientContext, "mode" | "tools" | "loaded" | "loadedTokens">>;
};

export type ClientHandle = {
  loaded(tools: readonly string[], loadedTokens: number): void;
  close(): void;
};
