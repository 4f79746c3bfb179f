import type { z } from "zod";
import type { Session as SessionSchema } from "../../../src/faces/http/session-routes.ts";
import type { LockedServer, ServerStatus } from "../../../src/model/servers/server.ts";
import type { DeadLetterPage } from "../../../src/model/work/dead-letter.ts";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import type { ToolRow as ToolRowSchema } from "../../../src/operations/schemas/tool-row.ts";

/** The types of the API's answers, from the plane's operations. */
export type Session = z.infer<typeof SessionSchema>;
export type ToolAnswer = AnswerOf<"tools.get">;
/** A tool in a list. */
export type ToolRow = z.infer<typeof ToolRowSchema>;
export type CallAnswer = AnswerOf<"calls.get">;

export type Paged<Name extends string, Item> = Record<Name, Item[]> & { nextCursor: string | null };
export type ServersAnswer = Paged<"servers", ServerStatus> & { total: number; locked?: LockedServer[] };
export type ToolRowsAnswer = Omit<AnswerOf<"tools.page">, "tools"> & { tools: ToolRow[] };
export type CallsAnswer = AnswerOf<"calls.list">;
export type ApiKey = KeysAnswer["keys"][number];
export type KeysAnswer = AnswerOf<"keys.list">;
export type RunSummary = RunsAnswer["runs"][number];
export type RunsAnswer = AnswerOf<"runs.page">;
export type DeadLettersAnswer = DeadLetterPage;
export type ContextStats = AnswerOf<"stats">;
export type PinsAnswer = AnswerOf<"pins.list">;
export type PinAnswer = AnswerOf<"pins.get">;
