import type { z } from "zod";
import { addingOperations } from "./declared/adding.ts";
import { agentOperations } from "./declared/agent.ts";
import { approvalOperations } from "./declared/approvals.ts";
import { auditOperations } from "./declared/audit.ts";
import { callOperations } from "./declared/calls.ts";
import { clientOperations } from "./declared/clients.ts";
import { codeOperations } from "./declared/code.ts";
import { deadLetterOperations } from "./declared/dead-letters.ts";
import { entryOperations } from "./declared/entries.ts";
import { identityOperations } from "./declared/identity.ts";
import { jobOperations } from "./declared/jobs.ts";
import { localOperations } from "./declared/local.ts";
import { offerOperations } from "./declared/offers.ts";
import { policyOperations } from "./declared/policy.ts";
import { qualityOperations } from "./declared/quality.ts";
import { changeOperations, registryOperations } from "./declared/registry.ts";
import { searchOperations } from "./declared/search.ts";
import { serverOperations } from "./declared/servers.ts";
import { setupOperations } from "./declared/setup.ts";
import { skillOperations } from "./declared/skills.ts";
import { toolOperations } from "./declared/tools.ts";
import { toolsetOperations } from "./declared/toolsets.ts";
import { trustOperations } from "./declared/trust.ts";
import type { Operation } from "./operation.ts";

/** Every verb of the plane, declared once. Those whose path could be taken for a name come first. */
const declared = [
  ...changeOperations,
  ...qualityOperations,
  ...callOperations,
  ...auditOperations,
  ...approvalOperations,
  ...policyOperations,
  ...deadLetterOperations,
  ...registryOperations,
  ...serverOperations,
  ...skillOperations,
  ...jobOperations,
  ...offerOperations,
  ...identityOperations,
  ...toolOperations,
  ...searchOperations,
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
