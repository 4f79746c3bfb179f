import { PlaneError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import type { ContentBlock } from "../../model/result.ts";

const maxBytes = 10 * 1024 * 1024;

/** What an endpoint answered: data, text, or a picture or sound. */
export type Answer = { json: Json } | { text: string } | { block: ContentBlock };

export async function readAnswer(response: Response, host: string): Promise<Answer> {
  const bytes = await readBytes(response, host);
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const [kind] = /^(image|audio)(?=\/)/.exec(type) ?? [];
  if (kind !== undefined) {
    return { block: { type: kind, mimeType: type, data: Buffer.from(bytes).toString("base64") } };
  }
  const text = new TextDecoder().decode(bytes);
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(type) || text.trim() === "") return { text };
  try {
    return { json: JSON.parse(text) as Json };
  } catch {
    // It says JSON and sends something else; that is still what it said.
    return { text };
  }
}

/** Counted as it comes in, after decompression: what is announced need not be true. */
async function readBytes({ body }: Response, host: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (thrown) {
    const message = `The answer of the endpoint at ${host} broke off.`;
    throw new PlaneError("SERVER_UNAVAILABLE", message, { data: { sent: true }, cause: thrown });
  }
  if (size <= maxBytes) return Buffer.concat(chunks);
  const message = `The answer of the endpoint at ${host} is larger than ${maxBytes / 1024 / 1024} MiB.`;
  throw new PlaneError("PROVIDER_FAILED", message, { data: { sent: true } });
}
