import type { PlanePlans } from "../model/plane-access.ts";
import type { PlaneDeadLetters, PlaneJobs, PlaneSkills } from "../model/plane-work.ts";
import type { Inside } from "../model/principal.ts";

export type DeadLetterVerbs = Inside<PlaneDeadLetters>;
/** The catalogue lists them. */
export type JobVerbs = Omit<Inside<PlaneJobs>, "list" | "page">;
export type SkillVerbs = Pick<Inside<PlaneSkills>, "run">;
export type ToolPlanVerbs = Pick<Inside<PlanePlans>, "check">;
