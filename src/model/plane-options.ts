import type { LibraryHooks } from "./access/hook.ts";
import type { ChatModel } from "./agent/chat.ts";
import type { ForeignModel } from "./agent.ts";
import type { Relay } from "./calls/provider.ts";
import type { Embed } from "./catalogue/search.ts";
import type { ConfigInput } from "./config/config-input.ts";

import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Principal } from "./principal.ts";

/** Answers a server's request for a model's words; `params` and the result are those of `sampling/createMessage`. */
export type Sampling = (
  params: UnknownObject,
  context: {
    server: string;
    callId: string;
    tool: string;
    user: string | null;
    signal: AbortSignal;
    /** What the run that made the call has left, and what counts it; left out outside a run. */
    tokens?: Relay["tokens"];
    /** Asks whoever made the call; null when nobody can be asked. */
    confirm(message: string): Promise<boolean | null>;
  },
) => Promise<UnknownObject>;

/**
 * What `createPlane` takes. Only `config` is needed.
 *
 * @example
 * const options: PlaneOptions = { config: [".mcp.json"], dataDirectory: ".toolplane", watch: true };
 */
export type PlaneOptions = {
  /** One or more files, of which later ones win, or the configuration itself. */
  config: string | readonly string[] | ConfigInput;
  /** Where state is kept; without it the state lives and dies with the plane. */
  dataDirectory?: string;
  /** `sqlite` or `postgres://…`, in the place of what the configuration says. */
  store?: string;
  /** Who calls when a call does not say; may do everything unless its scopes say less. */
  principal?: Partial<Principal>;
  /** Others than the people of this machine can reach it: everybody has to say who they are. */
  exposed?: boolean;
  /** Somebody answers what servers ask people: `questions` shows it, `answer` answers it. */
  answersQuestions?: boolean;
  /** Clients of other MCP servers are connected through it: what servers ask is passed on to them. */
  relays?: boolean;
  /** Serves what servers ask of a model. */
  sampling?: Sampling;
  /** Start nothing and ask nobody: the catalogue of the last time has to do. */
  offline?: boolean;
  /** Begins jobs when they are due, once the plane is started. */
  schedules?: boolean;
  /** A call that runs as a background task is told to be one after this time; 10 s. */
  taskQuietMs?: number;
  /** Apply changes of the configuration files while running. */
  watch?: boolean;
  /** Turns texts into vectors, so that a search finds what is meant in other words, too. */
  embed?: Embed;
  /** Models for agents, by name, beside the configured ones: language models of the AI SDK. */
  models?: Readonly<Record<string, ForeignModel | ChatModel>>;
  /** Functions that are asked about calls, after the configured commands. */
  hooks?: LibraryHooks;
};
