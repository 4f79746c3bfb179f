import { createPlane, narrow, principalOf } from "toolplane";

await using left = await createPlane({ config: { mcpServers: {} } });
await using right = await createPlane({
  config: { mcpServers: {} },
  principal: { user: "bob", groups: ["ops"] },
});
const principal = narrow(principalOf({ user: "ann" }), { servers: ["demo"] });
const outcomes = await Promise.all([
  left.call("a.b", {}, { principal }),
  right.call({ server: "a", tool: "b" }, '{"c": 1}'),
]);
export const ok: boolean = outcomes.every((outcome) => outcome.ok);
