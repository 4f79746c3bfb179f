import type { Plane } from "toolplane";

export async function count(plane: Plane): Promise<number> {
  const { answer } = await plane.agent.run("What is in the file?", {
    toolset: { providers: ["files"] },
    maxTurns: 3,
  });
  const { value } = await plane.agent.generate({
    prompt: `How many lines? ${answer}`,
    parser: (text) => Number(text),
    maxCorrectionSteps: 1,
  });
  const generated = await plane
    .toolset("reading")
    .generate({ prompt: "Read.", parser: (text) => text.split("\n") });
  const lines: string[] | null = generated.value;
  for await (const { index, generation, error } of plane.agent.generateAll(["a", "b"], {
    parallel: 2,
  }))
    if (error) throw new Error(`${index}: ${error.code} ${generation?.answer}`);
  return (value ?? 0) + (lines?.length ?? 0);
}
