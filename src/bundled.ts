import type { Packages } from "./plane.ts";

/** The packages of this repository, which come with the published one. No other file of the core imports them. */
export const bundled: Packages = {
  openapi: () => import("../packages/openapi/src/openapi.ts"),
  scan: () => import("../packages/scan/src/scan.ts"),
};
