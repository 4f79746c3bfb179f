import type { DoctorCheck } from "../../model/config/doctor-schema.ts";
import type { Address, Foreign } from "../../model/foreign.ts";
import type { ServerContainer, ServerDefinition } from "../../model/servers/server.ts";
import type { Channel, ChannelHandlers } from "../../protocol/message.ts";
import type { CredentialTarget, RequestCredentials } from "./http-request.ts";

/** Ways to a server that packages bring. Each is loaded when a server needs it. */
export type ServerPackages = {
  containers(): Promise<ContainersPackage>;
  openapi(): Promise<OpenApiPackage>;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Servers in containers of Docker or Podman. */
type ContainersPackage = {
  openContainer(options: ContainerOptions, handlers: ChannelHandlers): Promise<Channel>;
  /** The runtime that starts it, and what of this machine it is to see. */
  checkContainer(container: ServerContainer, environment: Environment): DoctorCheck;
  /** Containers that an earlier plane could not remove, of these runtimes. */
  removeLeftovers(
    wanted: readonly ServerContainer["runtime"][],
    environment: Environment,
  ): Promise<void>;
};

export type ContainerOptions = Pick<
  ServerDefinition,
  "args" | "env" | "inheritEnv" | "maxMessageBytes"
> & {
  container: ServerContainer;
  command?: string | undefined;
  cwd?: string | undefined;
  parentEnvironment: Environment;
};

type OpenApiPackage = {
  openApi(
    definition: ServerDefinition,
    handlers: ChannelHandlers,
    access: RequestCredentials,
  ): Channel;
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
