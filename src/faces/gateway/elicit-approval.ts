import type { Answer, AskHere, HeldView } from "../../model/calls/held-call.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";

type Request = (method: string, params: UnknownObject, signal: AbortSignal) => Promise<UnknownObject>;

/** Can the client put a form to its person? One that names only other ways cannot. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  if (!isObject(elicitation)) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** Puts a call that waits to the person at the client. Whoever turns away has said neither yes nor no. */
export function createElicitation(request: Request): AskHere {
  return async (held, signal, problem) => {
    const asked = { message: messageFor(held, problem), requestedSchema: formFor(held) };
    const { action, content } = await request("elicitation/create", asked, signal);
    if (action === "accept") return toAnswer(held, isObject(content) ? content : {});
    return action === "decline" ? { decision: "reject" } : null;
  };
}

function messageFor({ tool, principal, verdict, shown, before }: HeldView, problem: string | null): string {
  return [
    ...(problem === null ? [] : [problem, ""]),
    `May '${tool}' run for ${principal.user ?? "the caller"}? It is asked about because: ${verdict.reason}.`,
    "",
    JSON.stringify(shown, null, 2),
    ...(before ? ["", "The caller gave:", JSON.stringify(before, null, 2)] : []),
  ].join("\n");
}

function formFor({ arguments: args, allowEdit, adminRequired }: HeldView): JsonObject {
  return {
    type: "object",
    properties: {
      decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
      ...(allowEdit
        ? {
            arguments: {
              type: "string",
              title: "Arguments",
              description: "JSON; change it to run the call with other arguments.",
              default: JSON.stringify(args),
            },
          }
        : {}),
      ...(adminRequired
        ? {}
        : { remember: { type: "boolean", title: "Do not ask again for this tool", default: false } }),
      reason: { type: "string", title: "Reason" },
    },
    required: ["decision"],
  };
}

function toAnswer({ tool }: HeldView, content: UnknownObject): Answer {
  const { decision, arguments: json, reason, remember } = content;
  if (decision !== "approve" && decision !== "reject")
    throw new PlaneError("USAGE", `'decision' on '${tool}' must be approve or reject.`);
  const said = typeof reason === "string" && reason.trim() !== "" ? { reason } : {};
  if (decision === "reject") return { decision, ...said };
  return {
    decision,
    ...said,
    ...(typeof json === "string" && json.trim() !== "" ? { arguments: parseArguments(json) } : {}),
    ...(remember === true ? { remember: { for: "tool" } } : {}),
  };
}

function parseArguments(json: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(json);
    if (isObject(parsed)) return parsed as JsonObject;
  } catch {
    // Said below, as for everything else that is no object.
  }
  throw new PlaneError("USAGE", `The arguments are no JSON object like {"key": "value"}.`);
}
