import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import { get } from "./client.ts";

export type ClientRow = AnswerOf<"clients.list">["clients"][number];

/** MCP clients of the plane's machine. */
export const clientsQuery = () =>
  queryOptions({
    queryKey: ["clients"],
    queryFn: ({ signal }) => get<AnswerOf<"clients.list">>("/clients", signal),
    // Files of other programs raise no event.
    staleTime: 0,
    retry: false,
  });
