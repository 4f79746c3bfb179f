import type { z } from "zod";
import type { Session as SessionSchema } from "../../../src/faces/http/session-routes.ts";
import type { ApiKey } from "../../../src/model/access/credentials.ts";
import type { RunPage } from "../../../src/model/agent/agent-run.ts";
import type { PinDiff, PinView } from "../../../src/model/catalogue/pin.ts";
import type { LockedServer, ServerStatus } from "../../../src/model/servers/server.ts";
import type { DeadLetterPage } from "../../../src/model/work/dead-letter.ts";
import type { CallRecord as CallRecordSchema } from "../../../src/operations/schemas/outcome.ts";
import type { Tool as ToolSchema } from "../../../src/operations/schemas/tool.ts";
import type { ToolRow as ToolRowSchema } from "../../../src/operations/schemas/tool-row.ts";

/** The types of the API's answers, from the plane's own schemas and model. */
export type Session = z.infer<typeof SessionSchema>;
export type ToolAnswer = z.infer<typeof ToolSchema>;
/** A tool in a list. */
export type ToolRow = z.infer<typeof ToolRowSchema>;
export type CallAnswer = z.infer<typeof CallRecordSchema>;

export type Paged<Name extends string, Item> = Record<Name, Item[]> & { nextCursor: string | null };
export type ServersAnswer = Paged<"servers", ServerStatus> & { total: number; locked?: LockedServer[] };
export type ToolRowsAnswer = Paged<"tools", ToolRow> & { count: number; total: number; note?: string };
export type CallsAnswer = Paged<"calls", CallAnswer>;
export type KeysAnswer = Paged<"keys", ApiKey>;
export type RunsAnswer = RunPage;
export type DeadLettersAnswer = DeadLetterPage;
export type PinsAnswer = { pins: PinView[] };
export type PinAnswer = PinDiff;
