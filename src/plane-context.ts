import type { createAccess, createAnswers } from "./access/access.ts";
import type { AgentPackage, CodePackage, createAgent } from "./agent/agent.ts";
import type {
  createCalls,
  createLimits,
  createResults,
  loadRecordings,
  TelemetryPackage,
} from "./calls/calls.ts";
import type { createCatalogue, SearchPackage } from "./catalogue/catalogue.ts";
import type {
  createReload,
  ImportPackage,
  loadSettings,
  processEnvironment,
} from "./config/config.ts";
import type { createExtensions, PackageState } from "./extensions/extensions.ts";
import type { createEgress } from "./lib/net/egress.ts";
import type { SignInPackage } from "./model/access/sign-in.ts";
import type { CataloguePackages, ResultPackages, StorePackages } from "./model/packages.ts";
import type { Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import type { Principal } from "./model/principal.ts";
import type { createServers, DoctorPackage, ServerPackages } from "./servers/servers.ts";
import type { createAudit, createRecorder, createRoots } from "./store/store.ts";
import type { createWork, WorkPackage } from "./work/work.ts";

/** What is not part of the core. Each is loaded when it is used. */
export type Packages = ServerPackages &
  CataloguePackages &
  ResultPackages &
  StorePackages & {
    agent(): Promise<AgentPackage>;
    code(): Promise<CodePackage>;
    doctor(): Promise<DoctorPackage>;
    import(): Promise<ImportPackage>;
    search(): Promise<SearchPackage>;
    signIn(): Promise<SignInPackage>;
    telemetry(): Promise<TelemetryPackage>;
    work(): Promise<WorkPackage>;
  };

/** The rooms of a plane. Each takes the whole context and reads of it what it uses, when it uses it. */
export type Context = {
  options: PlaneOptions;
  packages: Packages;
  packageStates: () => PackageState[];
  environment: ReturnType<typeof processEnvironment>;
  recordings: Awaited<ReturnType<typeof loadRecordings>>;
  settings: Awaited<ReturnType<typeof loadSettings>>;
  egress: ReturnType<typeof createEgress>;
  /** The caller of those who name none. */
  defaultPrincipal: Principal;
  recorder: ReturnType<typeof createRecorder>;
  audit: ReturnType<typeof createAudit>["audit"];
  access: ReturnType<typeof createAccess>;
  limits: ReturnType<typeof createLimits>;
  results: ReturnType<typeof createResults>;
  roots: ReturnType<typeof createRoots>;
  agent: ReturnType<typeof createAgent>;
  answers: ReturnType<typeof createAnswers>;
  extensions: ReturnType<typeof createExtensions>;
  catalogue: ReturnType<typeof createCatalogue>;
  servers: ReturnType<typeof createServers>;
  calls: Awaited<ReturnType<typeof createCalls>>;
  work: ReturnType<typeof createWork>;
  config: ReturnType<typeof createReload>;
  plane: Plane;
};
