/** What one MCP client has in its context, as far as we have put it there. */
export type ClientContext = {
  id: string;
  /** Whose client it is. */
  user: string | null;
  /** What it calls itself. */
  client: string | null;
  era: "legacy" | "modern";
  mode: "full" | "lazy";
  /** Since when it is connected. */
  since: string;
  /** Tools that it is shown, ours included. */
  tools: number;
  /** The names of those that were loaded because they were needed. */
  loaded: string[];
  /** Of all that it is shown. */
  loadedTokens: number;
};

/** A client as its face knows it; measured when somebody asks. */
export type ClientSource = Pick<ClientContext, "id" | "user" | "client" | "era" | "since"> & {
  measure(): Promise<Pick<ClientContext, "mode" | "tools" | "loaded" | "loadedTokens">>;
};

export type ClientHandle = {
  /** It has these definitions from now on. */
  loaded(tools: readonly string[], loadedTokens: number): void;
  close(): void;
};
