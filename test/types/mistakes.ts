// Each line that the compilers must refuse ends with a word of what they say about it.
import { type ConfigInput, createPlane, type Outcome, type Plane, resultText } from "toolplane";

declare const plane: Plane;
declare const outcome: Outcome;

await createPlane({ config: { mcpServer: { demo: { command: "demo" } } } }); // refused: mcpServer
await createPlane({ config: { mcpServers: { demo: { comand: "demo" } } } }); // refused: comand
await createPlane({ config: { mcpServers: { demo: { command: "demo", transport: "htpp" } } } }); // refused: "htpp"
await createPlane({ dataDirectory: ".toolplane" }); // refused: config

const rules: ConfigInput = {
  policy: { rules: [{ tool: "git.*", verdict: "refuse" }] }, // refused: "refuse"
};

resultText(outcome.result); // refused: undefined
if (outcome.ok) outcome.error.code; // refused: outcome.error
if (!outcome.ok) outcome.approval.id; // refused: outcome.approval

plane.toolset({ provider: ["demo"] }); // refused: provider
await plane.toolset("demo").schemas("openia"); // refused: "openia"
plane.on("tool.results", () => undefined); // refused: "tool.results"
await plane.call("demo.add", {}, { timeoutMs: "5s" }); // refused: number
await plane.approvals.answer("1", { decision: "aprove" }); // refused: "aprove"
await plane.call("demo.add", {}, { signal: 5 }); // refused: number

export { rules };
