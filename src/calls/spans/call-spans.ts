import type { Span } from "@opentelemetry/api";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import { type Provider, type ProviderContext, type Relay, withTraceContext } from "../../model/calls/provider.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import { toPlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import { beginSpan, endSpan, runWithin } from "./tracer.ts";

const operation = { "gen_ai.operation.name": "execute_tool" };
const toolCall = { "mcp.method.name": "tools/call" };

/** The spans of calls that are on the path. */
const open = new Map<string, Span>();

/** One span for a call on the path; what is tried for it says that it belongs below. */
export async function traceCall(
  requested: Requested,
  relay: Relay | undefined,
  run: (relay: Relay) => Promise<Outcome>,
): Promise<Outcome> {
  const { id, face, options } = requested;
  const isServed = face === "mcp";
  const begun = beginSpan({
    // The tool is named when it is found: what callers write is theirs, and there is no end to it.
    name: isServed ? toolCall["mcp.method.name"] : operation["gen_ai.operation.name"],
    kind: isServed ? "SERVER" : "INTERNAL",
    attributes: {
      ...operation,
      ...(isServed ? toolCall : {}),
      "gen_ai.tool.call.id": id,
      "toolplane.face": face,
      ...(options.conversation === undefined ? {} : { "gen_ai.conversation.id": options.conversation }),
      ...(options.run === undefined ? {} : { "toolplane.run.id": options.run }),
    },
    meta: relay?.meta,
  });
  const { span, said } = begun;
  open.set(id, span);
  try {
    const passed = { ...relay, meta: withTraceContext(relay?.meta, said) };
    const outcome = await runWithin(begun, () => run(passed));
    const { status, attempts } = outcome.call;
    span.setAttributes({ "toolplane.call.status": status, "toolplane.call.attempts": attempts });
    endSpan(span, errorOf(outcome));
    return outcome;
  } catch (thrown) {
    endSpan(span, toPlaneError(thrown).code);
    throw thrown;
  } finally {
    open.delete(id);
  }
}

/** What was learned of a call on its way. */
export function describeCall({ id, face, tool, executed }: Requested & Partial<Executed>): void {
  const span = open.get(id);
  if (span === undefined || tool === undefined) return;
  const { server } = tool.id;
  const kind = executed?.provider.split(":")[0];
  span.updateName(`${face === "mcp" ? toolCall["mcp.method.name"] : "execute_tool"} ${tool.name}`);
  span.setAttributes({
    "gen_ai.tool.name": tool.name,
    "gen_ai.tool.type": kind === "function" || kind === "builtin" ? "function" : "extension",
    ...(server === null ? {} : { "toolplane.server": server }),
    ...(executed === undefined ? {} : { "toolplane.provider": executed.provider }),
  });
}

/** One span for each time that a provider is asked. */
export async function traceAttempt(
  provider: Provider,
  spec: ProviderSpec,
  args: Parameters<Provider>[1],
  context: ProviderContext,
): Promise<unknown> {
  const begun = beginSpan({ ...attemptOf(spec), meta: context.meta });
  const { span, said } = begun;
  // The path does not wait for a provider that goes on after its time, and neither does the span.
  const end = (error: string | null) => {
    context.signal.removeEventListener("abort", abandon);
    if (span.isRecording()) endSpan(span, error);
  };
  const abandon = () => end("CANCELLED");
  context.signal.addEventListener("abort", abandon, { once: true });
  try {
    const meta = withTraceContext(context.meta, said);
    const result = await runWithin(begun, () => provider(spec, args, { ...context, meta }));
    end(isObject(result) && result.isError === true ? "tool_error" : null);
    return result;
  } catch (thrown) {
    const { code, data } = toPlaneError(thrown);
    if (typeof data.rpcCode === "number") span.setAttribute("rpc.response.status_code", String(data.rpcCode));
    end(code);
    throw thrown;
  }
}

function attemptOf({ name, config }: ProviderSpec) {
  const isRemote = ["mcp", "http", "model"].includes(name);
  const kind = isRemote ? ("CLIENT" as const) : ("INTERNAL" as const);
  if (name !== "mcp") return { name: `attempt ${name}`, kind, attributes: { "toolplane.provider": name } };
  const tool = String(config.tool);
  return {
    ...{ name: `${toolCall["mcp.method.name"]} ${tool}`, kind },
    attributes: {
      ...{ ...operation, ...toolCall, "gen_ai.tool.name": tool },
      ...{ "toolplane.provider": name, "toolplane.server": String(config.server) },
    },
  };
}

/** What waits for a person has not failed. */
function errorOf(outcome: Outcome): string | null {
  const { status } = outcome.call;
  if (outcome.ok || status === "waiting") return null;
  return status === "tool_error" ? "tool_error" : outcome.error.code;
}
