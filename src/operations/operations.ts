import type { z } from "zod";
import { bundledOperations } from "#bundled/operations";
import { addingOperations } from "./declared/adding.ts";
import { approvalOperations } from "./declared/approvals.ts";
import { auditOperations } from "./declared/audit.ts";
import { callOperations } from "./declared/calls.ts";
import { clientOperations } from "./declared/clients.ts";
import { defaultOperations } from "./declared/defaults.ts";
import { entryOperations } from "./declared/entries.ts";
import { extensionOperations } from "./declared/extensions.ts";
import { identityOperations } from "./declared/identity.ts";
import { localOperations } from "./declared/local.ts";
import { offerOperations } from "./declared/offers.ts";
import { peopleOperations } from "./declared/people.ts";
import { policyOperations } from "./declared/policy.ts";
import { qualityOperations } from "./declared/quality.ts";
import { changeOperations, registryOperations } from "./declared/registry.ts";
import { searchOperations } from "./declared/search.ts";
import { serverOperations } from "./declared/servers.ts";
import { setupOperations } from "./declared/setup.ts";
import { toolOperations } from "./declared/tools.ts";
import { trustOperations } from "./declared/trust.ts";
import { userOperations } from "./declared/users.ts";
import type { AnswerIn, Named, Operation } from "./operation.ts";

/** Every verb, declared once. Those whose path could be taken for a name come first. */
const declared = [
  changeOperations,
  qualityOperations,
  callOperations,
  auditOperations,
  approvalOperations,
  policyOperations,
  registryOperations,
  serverOperations,
  offerOperations,
  identityOperations,
  peopleOperations,
  toolOperations,
  searchOperations,
  entryOperations,
  setupOperations,
  defaultOperations,
  addingOperations,
  clientOperations,
  userOperations,
  trustOperations,
  extensionOperations,
  ...bundledOperations,
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
