import type { HealthSummary, ProviderHealth } from "./health.ts";
import type { ProviderSpec } from "./tool.ts";

/** For whom an entry is, and whether it is for the one who asked. */
export type Compatibility = {
  persona: string | null;
  persona_specific: boolean;
  matches_request: boolean;
  allowlist: string[] | null;
};

export type ToolEntry = {
  name: string;
  persona: string | null;
  version: string;
  capabilities: string[];
  capability_tags: string[];
  compatibility: Compatibility;
  health: {
    tool: HealthSummary;
    providers: Record<string, ProviderHealth>;
    last_invocation: string | null;
  };
  providers: ProviderSpec[];
};

/** Everything the catalogue holds for one persona, in short. */
export type RegistrySummary = {
  revision: number;
  persona: string | null;
  compatibility: { persona: string | null; shared: number; persona_specific: number };
  tools: ToolEntry[];
  skills: never[];
  tasks: never[];
  jobs: never[];
};
