import { createPlane, type LibraryHooks } from "toolplane";

const hooks: LibraryHooks = {
  PreToolUse: [
    ({ payload }) =>
      payload.tool === "demo.rm" ? { decision: "deny", reason: "not here" } : undefined,
  ],
};
await using plane = await createPlane({ config: { mcpServers: {} }, hooks });
plane.tools.register({
  manifest: {
    name: "double",
    description: "Doubles a number.",
    side_effects: "none",
    parameters: { type: "object", properties: { n: { type: "number" } } },
  },
  run: ({ n }) => Number(n) * 2,
});
const unregister = plane.tools.registerProvider("mail", async (spec, args, { signal }) => {
  signal.throwIfAborted();
  return { content: [{ type: "text", text: `${spec.name} ${String(args.to)}` }] };
});
export const wasThere: boolean = unregister();
