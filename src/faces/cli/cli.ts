import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Setup } from "../../model/setup.ts";

export type OpenPlaneOptions = {
  files: readonly string[];
  directory: string;
  dataDirectory: string | undefined;
  user: string | undefined;
  groups: string[];
  persona: string | undefined;
  compliance?: string | undefined;
  fallback?: UnknownObject;
  watch?: boolean;
  answersQuestions?: boolean;
  /** MCP clients are connected through it. */
  relays?: boolean;
  /** Not the plane that serves already. */
  standalone?: boolean;
  offline?: boolean;
  /** Others than the people of this machine can reach it. */
  exposed?: boolean;
};

export type OpenSetupOptions = { files: readonly string[]; directory: string };

export type ServeOptions = OpenSetupOptions & {
  host: string;
  port: number;
  dataDirectory: string | undefined;
};
export type Serving = {
  url: string;
  /** Can other commands of this user ask this plane? */
  hasSocket: boolean;
  close(): Promise<void>;
};

/** What the command line is given from outside: its words, and how to get a plane and serve one. */
export type Cli = {
  argv: readonly string[];
  openPlane(options: OpenPlaneOptions): Promise<Plane>;
  serve(plane: Plane, options: ServeOptions): Promise<Serving>;
  /** Is one MCP server on standard input and output, until the input ends. */
  serveMcp(plane: Plane, interrupted: AbortSignal): Promise<void>;
  openSetup(options: OpenSetupOptions): Promise<Setup>;
  runDemoServer(): Promise<void>;
};

export type GlobalOptions = {
  config?: string[];
  json?: boolean;
  user?: string;
  group?: string[];
  persona?: string;
  compliance?: string;
  dataDir?: string;
  standalone?: boolean;
  offline?: boolean;
};
