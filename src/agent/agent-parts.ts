import type { Catalogue } from "../catalogue/catalogue.ts";
import type { AgentRun } from "../model/agent/agent-run.ts";
import type { Config } from "../model/config/config.ts";



import type { Plane } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { Servers } from "../servers/servers.ts";
import type { Models } from "./models/models.ts";
import type { KnownServers } from "./select-tools.ts";

/** What agents are made of. */
export type AgentParts = {
  config(): Config;
  defaultPrincipal: Principal;
  models: Models;
  plane(): Pick<Plane, "call" | "conversations">;
  catalogue(): Pick<Catalogue, "forModel">;
  servers(): KnownServers & Pick<Servers, "status">;
  maySeeServer(principal: Principal, server: string): boolean;
  keepRun(run: AgentRun): Promise<void>;
};
