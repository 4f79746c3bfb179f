import { bundled } from "./bundled.ts";
import type { Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import { createPlane as createPlaneWith } from "./plane.ts";

export type { ConfigInput, ModelInput, ToolsetInput } from "../generated/config/config-input.ts";
export type { PolicyInput, PolicyRuleInput } from "../generated/config/policy-input.ts";
export type { ServerInput } from "../generated/config/server-input.ts";
export type { ToolInput, ToolOverlayInput } from "../generated/config/tool-input.ts";
export { type AiSdkTool, asAiSdkTools, type ToolOutput } from "./agent/adapters/ai-sdk.ts";
export {
  type AnthropicTurn,
  answerAnthropicMessage,
  type ToolResultBlock,
} from "./agent/adapters/anthropic.ts";
export { asFunctionMap, type MappedFunction } from "./agent/adapters/function-map.ts";
export { asLangChainTools, type LangChainFields } from "./agent/adapters/langchain.ts";
export {
  answerOpenAiCompletion,
  answerOpenAiResponse,
  type FunctionCallOutput,
} from "./agent/adapters/openai.ts";
export type {
  HookAnswer,
  HookCall,
  HookEvent,
  LibraryHook,
  LibraryHooks,
} from "./model/access/hook.ts";
export type {
  AgentMessage,
  RenderedRun,
  RunFormat,
  RunPage,
  RunQuery,
} from "./model/agent/agent-run.ts";
export type {
  AssistantMessage,
  ChatMessage,
  ChatModel,
  ModelPart,
  ModelRequest,
  ModelTool,
  ToolMessage,
} from "./model/agent/chat.ts";
export type {
  AgentCall,
  AgentOutcome,
  AgentRun,
  AgentStep,
  MissingServer,
  RunSummary,
  TokenUsage,
  WaitingCall,
} from "./model/agent/run-schema.ts";
export type {
  AgentOptions,
  AgentResult,
  AnswerParser,
  CallAnswer,
  Generated,
  GenerateRequest,
  Generation,
  ModelChoice,
  ProcessOptions,
  RunAgentOptions,
  Toolset,
} from "./model/agent.ts";
export type {
  CallOptions,
  CallReport,
  FailedOutcome,
  Outcome,
  QueuedOutcome,
  SucceededOutcome,
  WaitingOutcome,
} from "./model/calls/call.ts";
export type {
  ActivityEntry,
  CallChain,
  CallRecord,
  CallStatus,
  Cost,
  HookRun,
} from "./model/calls/call-schema.ts";
export type {
  AddedProvider,
  ProviderContext,
  ProviderOptions,
  ToolFunction,
  Unregister,
} from "./model/calls/provider.ts";
export type { ArtifactView } from "./model/calls/result.ts";
export { type ContentBlock, readMedia, resultText, type ToolResult } from "./model/calls/result.ts";
export type { ResultPage, StoredResult } from "./model/calls/result-schema.ts";
export type {
  ResultHandle,
  ResultList,
  ResultQuery,
  ResultShape,
} from "./model/calls/stored-result.ts";
export type { CheckedStep, PlanCheck, PlanProblem, PlanStep } from "./model/calls/tool-plan.ts";
export type { BundleExport, ChangePage } from "./model/catalogue/change.ts";
export type { BundleImport, Change, EntryChange } from "./model/catalogue/change-schema.ts";
export type {
  JobEntry,
  JobListing,
  JobPage,
  RegistrySummary,
  SkillListing,
  SkillQuery,
  TaskEntry,
  TaskPage,
  WorkQuery,
} from "./model/catalogue/registry-summary.ts";
export type { Embed, Recommendation, SearchRequest } from "./model/catalogue/search.ts";
export type { FoundTool, SearchAnswer } from "./model/catalogue/search-schema.ts";
export type { ProviderSpec, Tool, ToolId } from "./model/catalogue/tool.ts";
export { type ErrorCode, PlaneError } from "./model/errors.ts";
export type { ErrorReport } from "./model/errors-schema.ts";
export type { EventOf, EventType, PlaneEvent } from "./model/events.ts";
export {
  type ApprovalChannel,
  type BroughtExtension,
  defineExtension,
  type ExecuteStage,
  type Extension,
  type ExtensionLife,
  type ExtensionOperation,
  type ExtensionRoute,
  type ExtensionSetup,
  type FileFormat,
  type OpenTransport,
  type Panel,
  type PanelFact,
  type PlanePart,
  type RankTools,
  type ReadSecret,
  type ScanDefinition,
  type ToolSource,
  type ToolSourceHandle,
} from "./model/extensions/extension.ts";
export type {
  ExtensionPanel,
  ExtensionState,
  ExtensionVerb,
} from "./model/extensions/extension-schema.ts";
export type { Plane, PlaneCallOptions } from "./model/plane.ts";
export type { ConversationBudget } from "./model/plane-history.ts";
export type { PlaneOptions } from "./model/plane-options.ts";
export type { Registration, ToolListing } from "./model/plane-tools.ts";
export type { JobRunPage, JobRunQuery, JobStatus, RunJobOptions } from "./model/plane-work.ts";
export { narrow, type Principal, principalOf } from "./model/principal.ts";
export type { CircuitStatus, ServerState, ServerStatus } from "./model/servers/server-schema.ts";
export type {
  DeadLetterPage,
  DeadLetterQuery,
  DeadLetterStatus,
} from "./model/work/dead-letter.ts";
export type { DeadLetter } from "./model/work/dead-letter-schema.ts";
export type { JobRunState, TaskState } from "./model/work/job-run.ts";
export type { JobRun, SkillRun, StepRun, TaskRun } from "./model/work/run-schema.ts";
export type { NotReady, RunSkillOptions, SkillOutcome } from "./model/work/skill-run.ts";

/**
 * Makes a plane of a configuration. Servers start when they are used. Throws a `PlaneError` where nothing could be read, or
 * where a part that guards something cannot be understood.
 *
 * @example
 * await using plane = await createPlane({
 *   config: { mcpServers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } } },
 * });
 * const outcome = await plane.call("files.read_file", { path: "notes.txt" });
 */
export function createPlane(options: PlaneOptions): Promise<Plane> {
  return createPlaneWith(options, bundled);
}
