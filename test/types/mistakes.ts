// Compilers refuse each line below such a comment; the comment has a word of what they say about it.
import { type ConfigInput, createPlane, type Outcome, type Plane, resultText } from "toolplane";

declare const plane: Plane;
declare const outcome: Outcome;

// @ts-expect-error: mcpServer
await createPlane({ config: { mcpServer: { demo: { command: "demo" } } } });
// @ts-expect-error: comand
await createPlane({ config: { mcpServers: { demo: { comand: "demo" } } } });
// @ts-expect-error: "htpp"
await createPlane({ config: { mcpServers: { demo: { command: "demo", transport: "htpp" } } } });
// @ts-expect-error: config
await createPlane({ dataDirectory: ".toolplane" });

const rules: ConfigInput = {
  // @ts-expect-error: "refuse"
  policy: { rules: [{ tool: "git.*", verdict: "refuse" }] },
};

// @ts-expect-error: undefined
resultText(outcome.result);
// @ts-expect-error: outcome.error
if (outcome.ok) outcome.error.code;
// @ts-expect-error: outcome.approval
if (!outcome.ok) outcome.approval.id;

// @ts-expect-error: provider
plane.toolset({ provider: ["demo"] });
// @ts-expect-error: "openia"
await plane.toolset("demo").schemas("openia");
// @ts-expect-error: "tool.results"
plane.on("tool.results", () => undefined);
// @ts-expect-error: number
await plane.call("demo.add", {}, { timeoutMs: "5s" });
// @ts-expect-error: "aprove"
await plane.approvals.answer("1", { decision: "aprove" });
// @ts-expect-error: number
await plane.call("demo.add", {}, { signal: 5 });

export { rules };
