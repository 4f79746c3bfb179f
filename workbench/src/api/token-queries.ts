import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callOperation } from "./operations.ts";

/** Stores the user's token for a server; null deletes it. */
export function useToken(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (token: string | null): Promise<void> => {
      if (token === null) await callOperation("tokens.forget", { name });
      else await callOperation("tokens.set", { name, token });
    },
    onSettled: () => {
      for (const topic of ["tokens", "servers"]) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}
