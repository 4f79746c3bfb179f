import type { Outcome } from "../../src/index.ts";
import { fixture } from "../scenarios/support.ts";
import { openWorld, type Page, type World } from "./browser.ts";

/** What the plane adds to the arguments of a tool. */
export const secret = "an-injected-secret";
const insider = fixture("insider", [], {
  inject: [{ parameter: "_key", from: "constant", value: secret }],
});
const policy = {
  profile: "guarded",
  rules: [{ tool: "insider.*", verdict: "ask", reason: "it knows a key" }],
};

export type Answered = Partial<Outcome> & { plan?: { id: string } };

export type ApprovingWorld = World & {
  /** A call that waits for its answer. */
  call(tool: string, args: object, more?: object): Promise<Answered>;
};

/** A plane that asks before a tool writes, and one whose tools know a secret. */
export async function openApprovingWorld(): Promise<ApprovingWorld> {
  const world = await openWorld({ echo: fixture("echo"), insider }, { policy });
  return Object.assign(world, {
    async call(tool: string, args: object, more: object = {}) {
      const response = await fetch(`${world.url}/tools/${tool}/call`, {
        method: "POST",
        headers: { prefer: "wait=60" },
        body: JSON.stringify({ arguments: args, ...more }),
      });
      return (await response.json()) as Answered;
    },
  });
}

export const waitingCard = (page: Page, tool: string) =>
  page.getByRole("article", { name: `${tool} waits for approval` });
