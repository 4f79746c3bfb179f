import type { ConfigInput } from "../../generated/config/config-input.ts";
import type { ServerInput } from "../../generated/config/server-input.ts";
import type { LibraryHooks } from "./access/hook.ts";
import type { ChatModel } from "./agent/chat.ts";
import type { ForeignModel } from "./agent.ts";
import type { Relay } from "./calls/provider.ts";
import type { SamplingAsked } from "./calls/question-schema.ts";
import type { Embed } from "./catalogue/search.ts";

import type { BroughtExtension } from "./extensions/extension.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Face, Principal } from "./principal.ts";

/** Answers `sampling/createMessage` of a server. */
export type Sampling = (
  params: UnknownObject,
  context: {
    server: string;
    callId: string;
    tool: string;
    user: string | null;
    signal: AbortSignal;
    /** The token budget of the run; missing outside a run. */
    tokens?: Relay["tokens"];
    /** Asks the caller; null when that is not possible. */
    confirm(message: string): Promise<boolean | null>;
    /** Has the person who made the call answer; null when they decline, no text when the model is to. Missing where none can. */
    byHand?(asked: SamplingAsked): Promise<{ text?: string } | null>;
  },
) => Promise<UnknownObject>;

/**
 * What `createPlane` takes: at least one of `config`, `servers` and `extensions`, and options.
 * @example
 * const options: PlaneOptions = { config: [".mcp.json"], dataDirectory: ".toolplane", watch: true };
 */
export type PlaneOptions = PlaneSettings &
  (
    | {
        /** Servers, by name. */
        servers: NonNullable<PlaneSettings["servers"]>;
      }
    | {
        /** Extensions of the program. */
        extensions: NonNullable<PlaneSettings["extensions"]>;
      }
    | {
        /** Files, or the configuration itself. */
        config: NonNullable<PlaneSettings["config"]>;
      }
  );

type PlaneSettings = {
  /** Files, of which later ones win, or the configuration itself. Needed unless `servers` or `extensions` is given. */
  config?: string | readonly string[] | ConfigInput;
  /** Servers beside those of `config`, by name; of the same name, these win. Tests put `inMemory(…)` of `toolplane/testing` here. */
  servers?: Readonly<Record<string, ServerInput>>;
  /** Files of `config` that come with a project: of them nothing runs before a person trusts it. Default: none. */
  projectFiles?: readonly string[];
  /** Where the person works, for servers of their own that work there too; null for none. Default: the working directory. */
  projectDirectory?: string | null;
  /** Where it is kept that a project is trusted. Default: `dataDirectory`. */
  trustDirectory?: string;
  /** Where state is kept. Default: in memory. */
  dataDirectory?: string;
  /** `sqlite` or `postgres://…`; replaces the configuration's. */
  store?: string;
  /** The caller of calls that name none. Default: may do everything. */
  principal?: Partial<Principal>;
  /** The face of changes that name none. Default: `library`. */
  face?: Face;
  /** Reachable from other machines: callers must authenticate. */
  exposed?: boolean;
  /** The address that clients know it by; replaces the configuration's `auth.publicUrl`. */
  publicUrl?: string;
  /** Questions of servers are answered through `plane.questions`. */
  answersQuestions?: boolean;
  /** Questions of servers are passed on to connected MCP clients. */
  relays?: boolean;
  /** Answers servers that ask for a model. */
  sampling?: Sampling;
  /** Starts and asks nothing; uses the last known catalogue. */
  offline?: boolean;
  /** Runs jobs when they are due. */
  schedules?: boolean;
  /** After this time a background task reports that it is one. Default: 10 s. */
  taskQuietMs?: number;
  /** Applies changes of the configuration files. */
  watch?: boolean;
  /** Turns texts into vectors, for search by meaning. */
  embed?: Embed;
  /** Models for agents by name, beside the configured ones. */
  models?: Readonly<Record<string, ForeignModel | ChatModel>>;
  /** A file that every call is added to, with its arguments and its result; secrets are masked. */
  record?: string;
  /** A file of an earlier `record`: calls are answered from it, and no server is started. */
  replay?: string;
  /** What becomes of a call that `replay` has no answer to: it fails, or is made. Default: `fail`. */
  replayMiss?: "fail" | "live";
  /** Extensions of the program, before those of the configuration; with settings as `{ use: ours, with: { … } }`. */
  extensions?: readonly BroughtExtension[];
  /** Functions that are asked about calls, after the configured commands. */
  hooks?: LibraryHooks;
};
