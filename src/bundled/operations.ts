import { agentOperations } from "../../packages/agent/src/operations/agent.ts";
import { codegenOperations } from "../../packages/agent/src/operations/codegen.ts";
import { toolsetOperations } from "../../packages/agent/src/operations/toolsets.ts";
import { codeOperations } from "../../packages/code/src/operations/code.ts";
import { deadLetterOperations } from "../../packages/work/src/operations/dead-letters.ts";
import { jobOperations } from "../../packages/work/src/operations/jobs.ts";
import { skillOperations } from "../../packages/work/src/operations/skills.ts";

/** The verbs that packages bring. */
export const bundledOperations = [
  deadLetterOperations,
  skillOperations,
  jobOperations,
  agentOperations,
  codeOperations,
  codegenOperations,
  toolsetOperations,
] as const;
