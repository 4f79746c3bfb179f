import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { isObject, type UnknownObject } from "../../src/model/json.ts";
import { type KnownServer, readInventory } from "./inventory.ts";
import { failure, planResult, templateResult } from "./plan-result.ts";
import { readAnswer } from "./read-answer.ts";
import { renderCatalogue } from "./render-catalogue.ts";
import { readSample, type Said, samplingFor } from "./sampling.ts";

type Given = { task: string; _mcp_data?: unknown };
type Sample = { said: Said } | { missing: string } | { ask: InputRequiredResult };

const step = z.object({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  why: z.string(),
  dependsOn: z.array(z.number().int()).optional(),
});
const output = z.object({
  results: z.string(),
  artifacts: z.array(
    z.object({ name: z.string(), b64: z.string(), mime: z.string(), viewer: z.string() }),
  ),
  display: z.object({ open_canvas: z.boolean(), primary_file: z.string(), mode: z.string() }),
  task: z.string(),
  steps: z.array(step),
  script: z.string(),
});

export function servePlanner(): void {
  serveStdio(createPlannerServer);
}

/** Turns a task into calls of the tools that its caller may use. It calls none of them, and asks the host's model. */
function createPlannerServer(): McpServer {
  const server = new McpServer({ name: "toolplane-planner", version: "1.0.0" });
  server.registerTool(
    "plan_with_tools",
    {
      title: "Plan with tools",
      description:
        "Plans a task with the tools there are: which to call, in which order, with which arguments. Returns the steps and a bash script that makes the calls. Nothing is called.",
      inputSchema: z.object({
        task: z.string().min(1).max(20_000).describe("what is to be done, in plain words"),
        _mcp_data: z.looseObject({}).optional().describe("the tools there are; set by the host"),
      }),
      outputSchema: output,
      annotations: { readOnlyHint: true },
    },
    (given, context) => plan(server, given, context),
  );
  return server;
}

async function plan(
  server: McpServer,
  { task, _mcp_data }: Given,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const tell = progressOf(context);
  const { servers, omitted } = readInventory(_mcp_data);
  const catalogue = renderCatalogue(servers, omitted);
  const isFirstRound = context.mcpReq.inputResponses === undefined;
  if (isFirstRound) await tell(0, "reading the catalogue");
  if (isFirstRound) await tell(1, "asking a model");
  const sample = await sampleText(server, task, catalogue, context);
  if ("ask" in sample) return sample.ask;
  await tell(2, "reading the answer");
  const result =
    "missing" in sample
      ? templateResult(task, catalogue, sample.missing)
      : resultOf(task, sample.said, servers);
  await tell(3, "done");
  return result;
}

/** Half a plan is worse than none. */
function resultOf(
  task: string,
  { text, isCut }: Said,
  servers: readonly KnownServer[],
): CallToolResult {
  if (text === "")
    return failure("Unable to generate plan: the model answered nothing. Ask again.");
  if (isCut)
    return failure(
      "Unable to generate plan: the model's answer was cut off. Plan a smaller task, or let the host give it more tokens.",
    );
  return planResult(task, readAnswer(text, servers), servers);
}

/** In the newer era a question is a result that the client comes back from; in the older one it is a request. */
async function sampleText(
  server: McpServer,
  task: string,
  catalogue: string,
  { mcpReq }: ServerContext,
): Promise<Sample> {
  const params = samplingFor(task, catalogue);
  const capabilities = (mcpReq.envelope as UnknownObject | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];
  const isModern = mcpReq.envelope !== undefined;
  const declared = isModern ? capabilities : server.server.getClientCapabilities();
  if (!isObject(declared) || declared.sampling === undefined)
    return { missing: "the host has no model to ask" };
  if (isModern) {
    const answer = inputResponse(mcpReq.inputResponses, "plan");
    if (answer.kind === "sampling") return { said: readSample(answer.result) };
    if (mcpReq.inputResponses !== undefined) return { missing: "the host did not answer" };
    return { ask: inputRequired({ inputRequests: { plan: inputRequired.createMessage(params) } }) };
  }
  const asked = mcpReq.requestSampling(params, { timeout: 600_000, signal: mcpReq.signal });
  return asked.then(
    (result) => ({ said: readSample(result) }),
    (thrown: Error) => ({ missing: thrown.message }),
  );
}

function progressOf({
  mcpReq,
}: ServerContext): (progress: number, message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return async () => undefined;
  return (progress, message) =>
    mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, total: 3, message },
    });
}
