import { createHeldCallTable, createPlanTable } from "./approvals.ts";
import { createAuditTable } from "./audit.ts";
import { createCallTable } from "./calls.ts";
import { createCatalogueTables, createPinTable, createVectorTable } from "./catalogue.ts";
import { createCredentialTables, createSharedValues } from "./credentials.ts";
import type { Database } from "./database.ts";
import { createHoldings } from "./holdings.ts";
import { createJournalTables, createPayloadTable, createResultTable } from "./records.ts";
import { createRootTable } from "./roots.ts";
import { createSignInTable } from "./sign-ins.ts";
import { createVersionTables } from "./versions.ts";
import { createDeadLetterTable, createJobStore } from "./work.ts";

/** What both stores answer with the same queries. */
export function createTables(database: Database) {
  return {
    ...createJournalTables(database),
    ...createCallTable(database),
    ...createAuditTable(database),
    ...createRootTable(database),
    ...createResultTable(database),
    ...createPayloadTable(database),
    ...createHeldCallTable(database),
    ...createPlanTable(database),
    ...createCredentialTables(database),
    ...createSharedValues(database),
    ...createSignInTable(database),
    ...createCatalogueTables(database),
    ...createPinTable(database),
    ...createVectorTable(database),
    ...createHoldings(database),
    ...createDeadLetterTable(database),
    ...createJobStore(database),
    ...createVersionTables(database),
  };
}
