/** What all raw clients share: one request that is parsed, and one call that is only looked at. */
export type Era = "legacy" | "modern";

export type Tool = { name: string };

export type LoadClient = {
  /** The handshake, in the era that has one. */
  open(): Promise<void>;
  /** Every tool of the servers behind, page by page. */
  listTools(): Promise<Tool[]>;
  /** Rejects when the answer is an error or shorter than `size`. */
  call(tool: string, args: object, size: number): Promise<void>;
  close(): Promise<void>;
};

export type Params = Record<string, unknown>;

export const clientInfo = { name: "toolplane-bench", version: "1.0.0" };
export const legacyVersion = "2025-11-25";
export const modernVersion = "2026-07-28";
export const meta = {
  "io.modelcontextprotocol/protocolVersion": modernVersion,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
export const initializeParams = (protocolVersion: string): Params => ({
  protocolVersion,
  capabilities: {},
  clientInfo,
});

export function bodyOf(id: number, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** Keys of the envelope are at the front or the very end; quotes inside of a payload are escaped. */
export function checkBytes(answer: Buffer, size: number): void {
  const edge = 600;
  const isSmall = answer.length <= 4_096;
  const head = answer.toString("latin1", 0, isSmall ? answer.length : edge);
  const tail = isSmall ? "" : answer.toString("latin1", answer.length - edge);
  const isResult = head.includes('"result"') || tail.includes('"result"');
  const isError = head.includes('"isError":true') || tail.includes('"isError":true');
  if (answer.length < size || !isResult || isError)
    throw new Error(`answered ${head.slice(0, 400)}`);
}

type Answer = { id?: unknown; result?: Params; error?: { code: number; message: string } };

export function resultOf(text: string): Params {
  const { result, error } = JSON.parse(text) as Answer;
  if (error) throw new Error(`JSON-RPC ${error.code}: ${error.message}`);
  return result ?? {};
}

/** Tools of the echo servers; a gateway may list its own beside them. */
export async function listPages(
  request: (method: string, params: Params) => Promise<Params>,
): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: unknown;
  do {
    const page = await request("tools/list", cursor ? { cursor } : {});
    tools.push(...((page.tools ?? []) as Tool[]));
    cursor = page.nextCursor;
  } while (cursor);
  return tools.filter(({ name }) => /echo_s\d+_\d+$/.test(name));
}

/** The id of a serialised answer, without parsing it. */
export function idOf(line: Buffer): number | undefined {
  const found =
    /"id":(\d+)/.exec(line.toString("latin1", 0, 80)) ??
    /"id":(\d+)\}\s*$/.exec(line.toString("latin1", Math.max(0, line.length - 60)));
  return found === null ? undefined : Number(found[1]);
}

/** Answers that are waited for, by id. */
export class Pending {
  readonly #waiting = new Map<
    number,
    { resolve(answer: Buffer): void; reject(error: Error): void }
  >();

  wait(id: number, send: () => void): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send();
    });
  }

  settle(answer: Buffer): void {
    const id = idOf(answer);
    const found = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || found === undefined) return;
    this.#waiting.delete(id);
    found.resolve(answer);
  }

  fail(error: Error, id?: number): void {
    for (const [key, { reject }] of this.#waiting) {
      if (id !== undefined && id !== key) continue;
      this.#waiting.delete(key);
      reject(error);
    }
  }
}
