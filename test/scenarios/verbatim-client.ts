import { type Era, EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";

const prefix = "io.modelcontextprotocol/";

/** Asks in texts and shows the text of the answer: what a parser would change is there to see. */
export async function openVerbatim(url: string, era: Era, capabilities: JsonObject = {}) {
  const client = await EraClient.open(url, era, { capabilities });
  const envelope = `"${prefix}protocolVersion":"2026-07-28","${prefix}clientCapabilities":${JSON.stringify(capabilities)}`;
  return async (method: string, members: string, id = "7", meta = ""): Promise<string> => {
    const own = [era === "modern" ? envelope : "", meta].filter((part) => part !== "").join();
    const said = [members, own === "" ? "" : `"_meta":{${own}}`]
      .filter((part) => part !== "")
      .join();
    const { name, uri } = JSON.parse(`{${members}}`) as JsonObject;
    const named = { jsonrpc: "2.0", method, params: { name, uri } } as const;
    const response = await fetch(url, {
      method: "POST",
      headers: client.headersFor(named as Parameters<EraClient["headersFor"]>[0]),
      body: `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${said}}}`,
    });
    const text = await response.text();
    const events = text
      .split("\n")
      .flatMap((line) => (line.startsWith("data: {") ? line.slice(6) : []));
    return events.at(-1) ?? text;
  };
}
