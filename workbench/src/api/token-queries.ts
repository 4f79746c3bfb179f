import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { TokenStatus } from "../../../src/model/access/credentials.ts";
import type { Paged } from "./answers.ts";
import { get, part, put, remove } from "./client.ts";

/** The status of the user's tokens; never the tokens themselves. */
export const tokensQuery = () =>
  queryOptions({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => get<Paged<"tokens", TokenStatus>>("/tokens?limit=1000", signal),
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
