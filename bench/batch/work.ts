export const prompts = 1_000;
export const callsEach = 3;
export const servers = ["one", "two", "three", "four"] as const;
export const parallel = 8;

/** What the model asks for at one prompt: three calls of three of the four servers. */
export function callsOf(prompt: number): { server: string; message: string }[] {
  return Array.from({ length: callsEach }, (_, at) => ({
    server: servers[(prompt + at) % servers.length] as string,
    message: `prompt ${prompt}, call ${at}`,
  }));
}
