import { extraPackages } from "#bundled/packages";
import type { Packages } from "./plane.ts";

/**
 * The packages of this repository, which come with the published one. With those of `#bundled/packages`, no other file of the
 * core imports them.
 */
export const bundled: Packages = {
  agent: extraPackages.agent,
  code: extraPackages.code,
  containers: () => import("../packages/containers/src/containers.ts"),
  doctor: () => import("../packages/doctor/src/doctor.ts"),
  import: () => import("../packages/import/src/import.ts"),
  openapi: () => import("../packages/openapi/src/openapi.ts"),
  postgres: () => import("../packages/postgres/src/postgres.ts"),
  s3: () => import("../packages/s3/src/s3.ts"),
  scan: () => import("../packages/scan/src/scan.ts"),
  search: () => import("../packages/search/src/search.ts"),
  signIn: () => import("../packages/sign-in/src/sign-in.ts"),
  telemetry: () => import("../packages/telemetry/src/telemetry.ts"),
  work: extraPackages.work,
};
