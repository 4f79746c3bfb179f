import type { z } from "zod";
import { addingOperations } from "./declared/adding.ts";
import { agentOperations } from "./declared/agent.ts";
import { approvalOperations } from "./declared/approvals.ts";
import { auditOperations } from "./declared/audit.ts";
import { callOperations } from "./declared/calls.ts";
import { clientOperations } from "./declared/clients.ts";
import { codeOperations } from "./declared/code.ts";
import { deadLetterOperations } from "./declared/dead-letters.ts";
import { defaultOperations } from "./declared/defaults.ts";
import { entryOperations } from "./declared/entries.ts";
import { extensionOperations } from "./declared/extensions.ts";
import { identityOperations } from "./declared/identity.ts";
import { jobOperations } from "./declared/jobs.ts";
import { localOperations } from "./declared/local.ts";
import { offerOperations } from "./declared/offers.ts";
import { peopleOperations } from "./declared/people.ts";
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
import type { AnswerIn, Named, Operation } from "./operation.ts";

/** Every verb of the plane, declared once. Those whose path could be taken for a name come first. */
const declared = [
  changeOperations,
  qualityOperations,
  callOperations,
  auditOperations,
  approvalOperations,
  policyOperations,
  deadLetterOperations,
  registryOperations,
  serverOperations,
  skillOperations,
  jobOperations,
  offerOperations,
  identityOperations,
  peopleOperations,
  toolOperations,
  searchOperations,
  entryOperations,
  agentOperations,
  codeOperations,
  setupOperations,
  defaultOperations,
  addingOperations,
  clientOperations,
  toolsetOperations,
  trustOperations,
  extensionOperations,
] as const;

export const operations: readonly Operation[] = [
  ...(declared as readonly (readonly Operation[])[]).flat(),
  ...localOperations,
];

export type Declared = (typeof declared)[number][number];

/** Those that clients reach over HTTP. */
export type OperationName = Declared["name"];

type Sent<One> = One extends { input: infer Input extends z.ZodObject } ? z.input<Input> : never;

/** What a client sends to an operation: `InputOf<"calls.list">`. */
export type InputOf<Name extends OperationName> = Sent<Named<Name, Declared>>;

/** The answer of an operation over HTTP: `AnswerOf<"keys.list">`. */
export type AnswerOf<Name extends OperationName> = AnswerIn<Named<Name, Declared>>;
