import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createPlane } from "../../src/index.ts";
import { openBarePipe } from "./bare-pipe.ts";
import { openOurConnection } from "./our-connection.ts";

export type Variant = {
  name: string;
  /** How many of the calls it makes, where a call takes so long that fewer say as much. */
  share: number;
  /** One call of the tool `echo`; resolves with the text that came back. */
  echo(message: string): Promise<unknown>;
  close(): Promise<unknown>;
};

export const bare = "bare pipe";
export const ours = "our connection";

type Opener = (command: string, args: readonly string[]) => Promise<Variant>;

const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;
const call = (message: string) => ({ name: "echo", arguments: { message } });

const openBare: Opener = async (command, args) => {
  const { request, close } = await openBarePipe(command, args);
  return {
    name: bare,
    share: 1,
    echo: async (message) => text(await request("tools/call", call(message))),
    close,
  };
};

const openOurs: Opener = async (command, args) => {
  const { request, close } = await openOurConnection(command, args);
  return {
    name: ours,
    share: 1,
    echo: async (message) => text(await request("tools/call", call(message), {})),
    close,
  };
};

/** As the path of a call uses it: every request can be cancelled and may report progress. */
const openOursLimited: Opener = async (command, args) => {
  const { request, close } = await openOurConnection(command, args);
  return {
    name: `${ours}, signal and progress`,
    share: 1,
    async echo(message) {
      const options = { signal: new AbortController().signal, onProgress: () => undefined };
      return text(await request("tools/call", call(message), options));
    },
    close,
  };
};

const openPlane: Opener = async (command, args) => {
  const plane = await createPlane({ config: { mcpServers: { echo: { command, args } } } });
  return {
    name: "whole plane",
    share: 0.1,
    async echo(message) {
      const { ok, result, error } = await plane.call({ server: "echo", tool: "echo" }, { message });
      if (!ok) throw new Error(`The plane failed: ${error?.message}`);
      return text(result);
    },
    close: plane.stop,
  };
};

const openSdk: Opener = async (command, args) => {
  const client = new Client({ name: "sdk", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args: [...args] }));
  return {
    name: "SDK client",
    share: 0.5,
    echo: async (message) => text(await client.callTool(call(message))),
    close: () => client.close(),
  };
};

export const openers: Opener[] = [openBare, openOurs, openOursLimited, openPlane, openSdk];
