import type { JsonObject } from "../../model/json.ts";

/** How to start one of the servers that come with the product: by ourselves, wherever we are installed. */
export function bundledCommand(verb: "demo" | "planner"): { command: string; args: string[] } {
  return { command: process.execPath, args: [process.argv[1] ?? "", verb] };
}

/** They need no key, no network and no file. The planner has nothing to say until somebody wants a plan. */
export const bundledServers: Record<"demo" | "planner", JsonObject> = {
  demo: { ...bundledCommand("demo"), description: "Comes with Toolplane" },
  planner: {
    ...bundledCommand("planner"),
    description: "Comes with Toolplane: plans tasks with the tools there are",
    lazy: true,
    trusted: true,
    inject_options: { exclude_self: true },
  },
};
