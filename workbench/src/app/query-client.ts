import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/client.ts";

/** Retries transport failures only; a refusal is final. */
const isWorthRetrying = (failures: number, error: unknown) =>
  failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500);

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey: [topic] }) {
      if (error instanceof ApiError && error.status === 401 && topic !== "session")
        void queryClient.refetchQueries({ queryKey: ["session"] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: isWorthRetrying,
      refetchOnWindowFocus: true,
      refetchOnReconnect: "always",
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
