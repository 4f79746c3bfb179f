import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import { get, part, put, remove } from "./client.ts";

/** The status of the user's tokens; never the tokens themselves. */
export const tokensQuery = () =>
  queryOptions({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => get<AnswerOf<"tokens.list">>("/tokens?limit=1000", signal),
  });

/** Stores the user's token for a server; null deletes it. */
export function useToken(server: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string | null): Promise<unknown> =>
      token === null ? remove(`/servers/${part(server)}/token`) : put(`/servers/${part(server)}/token`, { token }),
    onSettled: () => {
      for (const topic of ["tokens", "servers"]) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}
