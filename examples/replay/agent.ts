import type { AgentResult, Plane } from "../../src/index.ts";

/** The agent that is tested: it may use every tool of the demo server. */
export function askAgent(plane: Plane, question: string): Promise<AgentResult> {
  return plane.agent.run(question, { toolset: { providers: ["demo"] } });
}

/** Stands for a model: it calls two tools at once, then answers with what it got. */
export const script = {
  responses: [
    {
      kind: "tools" as const,
      calls: [
        { name: "add", arguments: { a: 19, b: 23 } },
        { name: "greet", arguments: { name: "Ann" } },
      ],
    },
    { kind: "text" as const, text: "Hello, Ann! It is 42." },
  ],
};
