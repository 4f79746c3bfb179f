import type { ClientContext } from "./catalogue/quality-schema.ts";
/** A client as its face knows it, measured on request. */
export type ClientSource = Pick<ClientContext, "id" | "user" | "client" | "era" | "since"> & {
  measure(): Promise<Pick<ClientContext, "mode" | "tools" | "loaded" | "loadedTokens">>;
};

export type ClientHandle = {
  loaded(tools: readonly string[], loadedTokens: number): void;
  close(): void;
};
