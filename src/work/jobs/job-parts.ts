import type { Config, Manifests } from "../../model/config/config.ts";
import type { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { Recorder } from "../../store/store.ts";
import type { PlaneDueWork } from "./due-work.ts";

/** What skills and jobs are made of. */
export type PlaneJobParts = {
  config(): Config;
  memory: Pick<Recorder, "store" | "emit" | "onNews" | "tells">;
  /** Samples of health were added. */
  healthChanged(): void;
  /** What takes what is due, where this plane does that. */
  loop: Pick<PlaneDueWork, "isRunning" | "wake" | "changed">;
  defaultPrincipal: Principal;
  /** Once what people set is among them. */
  manifests(): Promise<Manifests>;
  /** A caller with the rights of today. */
  currentPrincipal(principal: Principal): Promise<Principal>;
  /** Why a model cannot be asked, the usual one without a name. */
  modelTrouble(name?: string): PlaneError | null;
  plane(): Pick<Plane, "call" | "tools" | "policy" | "conversations" | "agent" | "jobs">;
};
