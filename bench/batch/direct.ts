import { inOrder } from "../../src/lib/async/semaphore.ts";
import { openBarePipe } from "../client/bare-pipe.ts";
import { callsOf, parallel, prompts, servers } from "./work.ts";

type Client = Awaited<ReturnType<typeof openBarePipe>>;

/** The same calls by raw clients on four sessions; with a model, also the same requests to it, read to their end. */
export async function callDirectly<T>(
  command: (server: string) => string[],
  model: string | null,
  measure: (work: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const clients = new Map<string, Client>();
  for (const name of servers)
    clients.set(name, await openBarePipe(process.execPath, command(name)));
  const work = async (prompt: number) => {
    if (model) await askModel(model, [{ role: "user", content: `Prompt ${prompt}` }]);
    const results = callsOf(prompt).map(({ server, message }) =>
      clients.get(server)?.request("tools/call", { name: "echo", arguments: { message } }),
    );
    await Promise.all(results);
    if (model) await askModel(model, [{ role: "tool", content: "", tool_call_id: "1" }]);
  };
  const measured = await measure(async () => {
    await Array.fromAsync(inOrder(Array(prompts).keys(), { parallel }, work));
  });
  for (const client of clients.values()) await client.close();
  return measured;
}

async function askModel(url: string, messages: object[]): Promise<void> {
  const body = JSON.stringify({ model: "scripted", stream: true, messages });
  const response = await fetch(`${url}/chat/completions`, { method: "POST", body });
  await response.text();
}
