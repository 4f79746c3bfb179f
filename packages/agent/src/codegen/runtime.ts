/** Parts of generated programs. They compile with any `lib` and without other packages. */

export const outcomeTypesText = `/** A plane of the library: \`await createPlane({ config })\`. */
export type Plane = {
  call(tool: string, args?: unknown, options?: CallOptions): Promise<Outcome>;
};

/** A plane that serves. \`key\` is an API key, where it asks for one. */
export type Address = { url: string; key?: string | undefined; fetch?: Fetch | undefined };

export type CallOptions = {
  /** 0 for no limit. */
  timeoutMs?: number;
  idempotencyKey?: string;
  conversation?: string;
  /** An AbortSignal; it cancels the call. */
  signal?: { readonly aborted: boolean };
};

export type Content = { type: string; text?: unknown; [name: string]: unknown };

export type Outcome = {
  ok: boolean;
  call: { id: string; status: string };
  result?: { content: readonly Content[]; structuredContent?: unknown } | undefined;
  error?: { code: string; message: string; data?: unknown } | undefined;
  approval?: { id: string } | undefined;
};

/** \`data\` is the structured content of the answer, or its text where it has none. */
export type ToolAnswer<Data> = { data: Data; text: string; content: readonly Content[]; callId: string };

/** The tool reported an error, a provider failed, or the plane refused. \`outcome\` has all of it. */
export class ToolError extends Error {
  readonly code: string;
  readonly outcome: Outcome;
  constructor(tool: string, outcome: Outcome) {
    super(outcome.error?.message ?? \`\${tool} did not answer\`);
    this.name = "ToolError";
    this.code = outcome.error?.code ?? "INTERNAL";
    this.outcome = outcome;
  }
}`;

export const callOverHttpText = `export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string; signal?: never },
) => Promise<{ status: number; text(): Promise<string> }>;

const failure = (code: string, message: string, data: unknown = {}): Outcome => ({
  ok: false,
  call: { id: "", status: "failed" },
  error: { code, message, data },
});

/** \`POST /tools/{name}/call\`: the answer is an outcome, or a problem with a code. */
async function callOverHttp(to: Address, tool: string, args: unknown, options: CallOptions): Promise<Outcome> {
  const { signal, ...others } = options;
  const ask = to.fetch ?? (globalThis as unknown as { fetch: Fetch }).fetch;
  const headers = { "content-type": "application/json", accept: "application/json" };
  let answer: { status: number; text: string };
  try {
    const response = await ask(\`\${to.url.replace(/\\/+$/, "")}/tools/\${encodeURIComponent(tool)}/call\`, {
      method: "POST",
      headers: to.key === undefined ? headers : { ...headers, authorization: \`Bearer \${to.key}\` },
      body: JSON.stringify({ ...others, arguments: args ?? {} }),
      ...(signal === undefined ? {} : { signal: signal as never }),
    });
    answer = { status: response.status, text: await response.text() };
  } catch (thrown) {
    if (signal?.aborted) return failure("CANCELLED", "The call was cancelled.");
    return failure("SERVER_UNAVAILABLE", \`The plane cannot be reached (\${String(thrown)}). Start it: toolplane serve\`);
  }
  try {
    const body = JSON.parse(answer.text) as Outcome & { code?: string; detail?: string; data?: unknown };
    if (typeof body.ok === "boolean") return body;
    return failure(body.code ?? "INTERNAL", body.detail ?? \`HTTP \${answer.status}\`, body.data);
  } catch {
    return failure("PROVIDER_FAILED", \`HTTP \${answer.status}, and not from a plane.\`);
  }
}`;
