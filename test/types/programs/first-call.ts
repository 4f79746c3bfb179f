import { createPlane, resultText } from "toolplane";

await using plane = await createPlane({ config: ".mcp.json" });
const outcome = await plane.call("demo.add", { a: 1, b: 2 });
export const text: string = outcome.ok ? resultText(outcome.result) : outcome.error.message;
