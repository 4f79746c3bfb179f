import type { AnswerOf } from "../../../src/operations/operations.ts";
import { operationQuery } from "./operations.ts";

export type ClientRow = AnswerOf<"clients.list">["clients"][number];

/** MCP clients of the plane's machine. Their files raise no event. */
export const clientsQuery = () => operationQuery("clients.list", {}, { staleTime: 0, retry: false });
