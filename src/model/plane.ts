import type { CallOptions, CallRecord, Outcome } from "./call.ts";
import type { Config } from "./config.ts";
import type { EventOf, EventType } from "./events.ts";
import type { HealthSummary } from "./health.ts";
import type { Face, Principal } from "./principal.ts";
import type { ServerStatus, ServersChange } from "./server.ts";
import type { DoctorReport } from "./setup.ts";
import type { CallFilter } from "./store.ts";
import type { Tool, ToolId } from "./tool.ts";

/** Who calls through which face; the library's own caller when left out. */
export type Caller = { principal?: Principal; face?: Face };

export type PlaneCallOptions = CallOptions & Caller & { signal?: AbortSignal };

export type ToolListing = Tool & {
  health: HealthSummary;
  /** Why it cannot be called right now, when that is known. */
  unavailable: string | null;
};

/** What every face is given and what `createPlane` returns. */
export interface Plane extends AsyncDisposable {
  /** The configuration in force. */
  config(): Config;
  /** Reads the configuration again and applies what is different; what cannot be read changes nothing. */
  reload(): Promise<ServersChange>;
  /** What is wrong with a server, or with all of them, and the first thing to try. */
  doctor(server?: string): Promise<DoctorReport>;
  /** Connects every server that wants to be connected; the others start on first use. */
  start(): void;
  call(tool: string | ToolId, args?: unknown, options?: PlaneCallOptions): Promise<Outcome>;
  /** Waits until every server has answered or failed. */
  tools(caller?: Caller & { server?: string }): Promise<ToolListing[]>;
  tool(name: string | ToolId, caller?: Caller): Promise<ToolListing>;
  servers(options?: { connect?: boolean }): Promise<ServerStatus[]>;
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
  stop(): Promise<void>;
}
