import type { Plane, Toolset } from "toolplane";

export async function shapes(plane: Plane): Promise<number> {
  const everything: Toolset = plane.toolset();
  const inline = plane.toolset({
    providers: ["demo"],
    allow_tools: ["add"],
    max_tool_call_turns: 5,
    timeout_sec: 60,
  });
  const names: readonly string[] = inline.providers;
  const [openai] = await everything.schemas("openai");
  const [anthropic] = await inline.schemas("anthropic");
  const limit: number = inline.timeout_sec ?? 60;
  const name: string = inline.alias ?? "(inline)";
  return (
    names.length +
    limit +
    name.length +
    (openai?.function.name.length ?? 0) +
    (anthropic?.name.length ?? 0)
  );
}
