import type { z } from "zod";
import { addingOperations } from "./adding.ts";
import { agentOperations } from "./agent.ts";
import { approvalOperations } from "./approvals.ts";
import { auditOperations } from "./audit.ts";
import { callOperations } from "./calls.ts";
import { clientOperations } from "./clients.ts";
import { codeOperations } from "./code.ts";
import { deadLetterOperations } from "./dead-letters.ts";
import { entryOperations } from "./entries.ts";
import { identityOperations } from "./identity.ts";
import { jobOperations } from "./jobs.ts";
import { localOperations } from "./local.ts";
import { offerOperations } from "./offers.ts";
import type { Operation } from "./operation.ts";
import { qualityOperations } from "./quality.ts";
import { changeOperations, registryOperations } from "./registry.ts";
import { serverOperations } from "./servers.ts";
import { setupOperations } from "./setup.ts";
import { skillOperations } from "./skills.ts";
import { toolOperations } from "./tools.ts";
import { toolsetOperations } from "./toolsets.ts";
import { trustOperations } from "./trust.ts";

/** Every verb of the plane, declared once. Those whose path could be taken for a name come first. */
const declared = [
  ...changeOperations,
  ...qualityOperations,
  ...callOperations,
  ...auditOperations,
  ...approvalOperations,
  ...deadLetterOperations,
  ...registryOperations,
  ...serverOperations,
  ...skillOperations,
  ...jobOperations,
  ...offerOperations,
  ...identityOperations,
  ...toolOperations,
  ...entryOperations,
  ...agentOperations,
  ...codeOperations,
  ...setupOperations,
  ...addingOperations,
  ...clientOperations,
  ...toolsetOperations,
  ...trustOperations,
  ...localOperations,
];

export const operations = declared as readonly Operation[];

type Declared = (typeof declared)[number];

/** The answer of an operation over HTTP: `AnswerOf<"keys.list">`. */
export type AnswerOf<Name extends Declared["name"]> = z.output<Extract<Declared, { name: Name }>["output"]>;
