import type { JsonObject } from "../../model/json.ts";

/** The configuration starts 'toolplane' as this very program, installed or not. They need no key, no network and no file. The planner has nothing to say until somebody wants a plan. */
export const bundledServers: Record<"demo" | "planner", JsonObject> = {
  demo: { command: "toolplane", args: ["demo"], description: "Comes with Toolplane" },
  planner: {
    command: "toolplane",
    args: ["planner"],
    description: "Comes with Toolplane: plans tasks with the tools there are",
    lazy: true,
    trusted: true,
    inject_options: { exclude_self: true },
  },
};
