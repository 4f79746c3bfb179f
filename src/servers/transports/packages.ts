import type { Address, Foreign } from "../../model/foreign.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Channel, ChannelHandlers } from "../../protocol/message.ts";
import type { CredentialTarget, RequestCredentials } from "./http-request.ts";

/** Ways to a server that packages bring. Each is loaded when a server needs it. */
export type ServerPackages = {
  openapi(): Promise<OpenApiPackage>;
};

export type OpenApiPackage = {
  openApi(definition: ServerDefinition, handlers: ChannelHandlers, access: RequestCredentials): Channel;
  /** Null where there is no document to read. Rejects with a TransportError that says what is wrong with it. */
  describeApi(definition: ServerDefinition, signal?: AbortSignal): Promise<DescribedApi | null>;
};

type NamedBy = NonNullable<RequestCredentials["namedBy"]>;

/** What the document of an API says, without a call of it. */
export type DescribedApi = {
  title: string;
  base: Foreign<URL>;
  tools: unknown[];
  /** Names of its security schemes. */
  schemes: readonly string[];
  /** Where its operations are called. Rejects where the configured credentials must not go there. */
  address(namedBy: NamedBy): Promise<Address>;
  /** What the document adds to the definition: where the API is, and where callers sign in. */
  target(namedBy: NamedBy): Promise<CredentialTarget>;
};
