import type { Trial } from "../../model/config/adding.ts";
import type { DoctorReport } from "../../model/config/doctor-schema.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { EndedSignIn } from "../auth/records.ts";
import type { RequestCredentials } from "../open-session.ts";
import type { ServerOptions } from "../server.ts";
import type { ServerDirectory } from "../server-directory.ts";
import type { ServerLifecycle } from "../server-lifecycle.ts";

/** Finds out why a server does not work. */
export type DoctorPackage = {
  examineServers(
    names: readonly string[],
    directory: Pick<ServerDirectory, "all" | "broken" | "waitsFor" | "status">,
    means: DoctorMeans,
  ): Promise<DoctorReport>;
  /** One server that is not configured yet: how many tools it offers, or what is in the way. */
  tryServer(
    name: string,
    definition: ServerDefinition,
    where: Pick<ServerOptions, "environment" | "packages"> & {
      /** Where a server without a `cwd` starts. */
      directory: string;
    },
  ): Promise<Trial>;
};

export type DoctorMeans = Pick<
  ServerOptions,
  "environment" | "packages" | "resolveSecrets" | "secretValues"
> &
  Pick<ServerLifecycle, "discover"> & {
    takeTools: TakeTools;
    /** Of the plane's own user, by server. */
    endedSignIns: ReadonlyMap<string, EndedSignIn>;
    access(name: string, definition: ServerDefinition, user: string | null): RequestCredentials;
  };

/** Which listed tools the catalogue accepts. */
export type TakeTools = (
  server: string,
  definition: ServerDefinition,
  listed: unknown[],
) => { tools: readonly unknown[]; rejected: readonly { tool: string; reason: string }[] };
