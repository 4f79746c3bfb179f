import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { begin } from "./app/begin.ts";
import { queryClient } from "./app/query-client.ts";
import { router } from "./app/router.tsx";
import "./styles.css";

const root = document.getElementById("root");
await begin();
document.getElementById("did-not-start")?.remove();
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
