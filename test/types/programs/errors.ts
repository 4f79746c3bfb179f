import {
  type ActivityEntry,
  createPlane,
  type ErrorCode,
  PlaneError,
  type PlaneOptions,
} from "toolplane";

const options: PlaneOptions = { config: ["a.json", "b.yaml"], watch: true, offline: true };

export async function start(): Promise<ErrorCode | ActivityEntry[]> {
  try {
    await using plane = await createPlane(options);
    const tools = await plane.tools.list({ server: "demo" });
    await plane.call(
      tools[0]?.id ?? "demo.add",
      { a: 1 },
      { timeoutMs: 5_000, conversation: "c", dryRun: true },
    );
    return await plane.calls.activity();
  } catch (thrown) {
    if (thrown instanceof PlaneError) return thrown.code;
    throw thrown;
  }
}
