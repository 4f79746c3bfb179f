export {
  type AiSdkTool,
  type AnthropicTurn,
  answerAnthropicMessage,
  answerOpenAiCompletion,
  answerOpenAiResponse,
  asAiSdkTools,
  asLangChainTools,
  type FunctionCallOutput,
  type LangChainFields,
  type ToolOutput,
  type ToolResultBlock,
} from "./agent/agent.ts";
export type { ActivityEntry } from "./model/activity.ts";
export type {
  AgentCall,
  AgentMessage,
  AgentOutcome,
  AgentRun,
  AgentStep,
  MissingServer,
  WaitingCall,
} from "./model/agent-run.ts";
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
} from "./model/agent-verbs.ts";
export type { ArtifactView } from "./model/artifact.ts";
export type { BundleExport, BundleImport } from "./model/bundle.ts";
export type {
  CallOptions,
  CallRecord,
  CallReport,
  CallStatus,
  Cost,
  FailedOutcome,
  Outcome,
  QueuedOutcome,
  SucceededOutcome,
  WaitingOutcome,
} from "./model/call.ts";
export type { CallChain } from "./model/call-chain.ts";
export type { Change, ChangePage, EntryChange } from "./model/change.ts";
export type {
  AssistantMessage,
  ChatMessage,
  ChatModel,
  ModelPart,
  ModelRequest,
  ModelTool,
  TokenUsage,
  ToolMessage,
} from "./model/chat.ts";
export type { ConfigInput, ModelInput, ToolsetInput } from "./model/config-input.ts";
export type { DeadLetter, DeadLetterPage, DeadLetterQuery, DeadLetterStatus } from "./model/dead-letter.ts";
export type { Registration } from "./model/entry-verbs.ts";
export { type ErrorCode, type ErrorReport, PlaneError } from "./model/errors.ts";
export type { EventOf, EventType, PlaneEvent } from "./model/events.ts";
export type { HookAnswer, HookCall, HookEvent, HookRun, LibraryHook, LibraryHooks } from "./model/hook.ts";
export type { JobRun, JobRunState, TaskRun, TaskState } from "./model/job-run.ts";
export type { JobRunPage, JobRunQuery, JobStatus, RunJobOptions } from "./model/job-verbs.ts";
export type { ConversationBudget, Plane, PlaneCallOptions, ToolListing } from "./model/plane.ts";
export type { PlaneOptions } from "./model/plane-options.ts";
export type { PolicyInput, PolicyRuleInput } from "./model/policy-input.ts";
export { narrow, type Principal, principalOf } from "./model/principal.ts";
export type {
  AddedProvider,
  ProviderContext,
  ProviderOptions,
  ToolFunction,
  Unregister,
} from "./model/provider.ts";
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
} from "./model/registry-summary.ts";
export { type ContentBlock, readMedia, resultText, type ToolResult } from "./model/result.ts";
export type { RenderedRun, RunFormat, RunPage, RunQuery, RunSummary } from "./model/run-verbs.ts";
export type {
  Embed,
  FoundTool,
  Recommendation,
  SearchAnswer,
  SearchRequest,
} from "./model/search.ts";
export type { CircuitStatus, ServerState, ServerStatus } from "./model/server.ts";
export type { ServerInput } from "./model/server-input.ts";
export type { NotReady, RunSkillOptions, SkillOutcome, SkillRun, StepRun } from "./model/skill-run.ts";
export type {
  ResultHandle,
  ResultList,
  ResultPage,
  ResultQuery,
  ResultShape,
  StoredResult,
} from "./model/stored-result.ts";
export type { ProviderSpec, Tool, ToolId } from "./model/tool.ts";
export type { ToolInput, ToolOverlayInput } from "./model/tool-input.ts";
export type { CheckedStep, PlanCheck, PlanProblem, PlanStep } from "./model/tool-plan.ts";
export { createPlane } from "./plane.ts";
