import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";

export type OpenPlaneOptions = {
  files: readonly string[];
  directory: string;
  dataDirectory: string | undefined;
  user: string | undefined;
  groups: string[];
  persona: string | undefined;
  fallback?: UnknownObject;
};

export type ServeOptions = { host: string; port: number };
export type Serving = { url: string; close(): Promise<void> };

/** What the command line is given from outside: its words, and how to get a plane and serve one. */
export type Cli = {
  argv: readonly string[];
  openPlane(options: OpenPlaneOptions): Promise<Plane>;
  serve(plane: Plane, options: ServeOptions): Promise<Serving>;
  runDemoServer(): Promise<void>;
};

export type GlobalOptions = {
  config?: string[];
  json?: boolean;
  user?: string;
  group?: string[];
  persona?: string;
  dataDir?: string;
};
