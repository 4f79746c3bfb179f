import { bundledViews } from "#bundled/views";
import type { Cli } from "./cli.ts";

/** What a command does with its arguments and, last, its options. A number is its exit code. */
type Body = (cli: Cli, ...args: never[]) => unknown;

const tools = () => import("./commands/tools.ts");
const registry = () => import("./commands/registry.ts");
const quality = () => import("./commands/quality.ts");
const searchEval = () => import("./commands/search-eval.ts");
const callHistory = () => import("./commands/calls/call-history.ts");
const results = () => import("./commands/calls/results.ts");
const call = () => import("./commands/call.ts");
const batch = () => import("./batch/batch.ts");
const agent = () => import("./agent/agent.ts");
const chat = () => import("./chat/chat.ts");
const audit = () => import("./commands/audit.ts");
const approvals = () => import("./commands/approvals.ts");
const plans = () => import("./commands/plans.ts");
const planFiles = () => import("./commands/plan-files.ts");
const serve = () => import("./start/serve.ts");
const serving = () => import("./start/serving.ts");
const add = () => import("./commands/add.ts");
const servers = () => import("./commands/servers.ts");
const editServers = () => import("./commands/edit-servers.ts");
const wizard = () => import("./start/wizard.ts");
const keys = () => import("./commands/keys.ts");
const state = () => import("./commands/state.ts");
const clients = () => import("./commands/clients.ts");
const trust = () => import("./commands/trust.ts");
const explain = () => import("./commands/explain.ts");
const completion = () => import("./completion/scripts.ts");
const extensions = () => import("./extensions/list-extensions.ts");
const config = () => import("./commands/config.ts");

/** The same body for two commands, which tells them apart by a verb before the options. */
function withVerb(body: Body, verb: string): Body {
  return (cli, ...args) => body(cli, ...args.slice(0, -1), verb as never, ...args.slice(-1));
}

/**
 * What each command runs, in the order of `--help`. It is loaded when it runs, so that help and short commands stay
 * quick. A command that is not here does what its operation does, and prints the answer.
 */
export const commandBodies: Readonly<Record<string, () => Promise<Body>>> = {
  "tools list": async () => (await tools()).listTools,
  "tools show": async () => (await tools()).showTool,
  "tools export": async () => (await tools()).exportTools,
  "tools set": async () => (await registry()).setTool,
  "tools delete": async () => (await registry()).deleteTool,
  "tools changes": async () => (await registry()).listRegistryChanges,
  "tools lint": async () => (await quality()).lintTools,
  "registry summary": async () => (await registry()).showSummary,
  "registry export": async () => (await registry()).exportBundle,
  "registry delete": async () => (await registry()).deleteEntry,
  "registry import": async () => (await registry()).importBundle,
  search: async () => (await tools()).searchTools,
  "search eval": async () => (await searchEval()).evaluateSearch,
  recommend: async () => (await tools()).recommendTools,
  activity: async () => (await callHistory()).showActivity,
  stats: async () => (await quality()).showStats,
  "pins list": async () => (await quality()).listPins,
  "pins diff": async () => (await quality()).diffPin,
  "pins accept": async () => withVerb((await quality()).decidePin, "accept"),
  "pins reject": async () => withVerb((await quality()).decidePin, "reject"),
  ...bundledViews,
  call: async () => (await call()).callTool,
  batch: async () => (await batch()).batchCalls,
  generate: async () => (await batch()).generateAnswers,
  agent: async () => (await agent()).askAgent,
  chat: async () => (await chat()).chat,
  "calls list": async () => (await callHistory()).listCalls,
  "calls export": async () => (await callHistory()).exportCalls,
  "calls show": async () => (await callHistory()).showCall,
  "calls runs": async () => (await callHistory()).listRuns,
  "calls prove": async () => (await callHistory()).proveCall,
  "calls verify": async () => (await callHistory()).verifyCalls,
  "audit list": async () => (await audit()).listAuditedChanges,
  "audit show": async () => (await audit()).showChange,
  "audit verify": async () => (await audit()).verifyAudit,
  "results get": async () => (await results()).getResult,
  "results list": async () => (await results()).listResults,
  "approvals list": async () => (await approvals()).listApprovals,
  "approvals show": async () => (await approvals()).showApproval,
  "approvals approve": async () => (await approvals()).approveCall,
  "approvals reject": async () => (await approvals()).rejectCall,
  "approvals remembered": async () => (await approvals()).listRemembered,
  "approvals forget": async () => (await approvals()).forgetRemembered,
  "plan list": async () => (await plans()).listPlans,
  "plan show": async () => (await plans()).showPlan,
  "plan approve": async () => (await plans()).approvePlan,
  "plan reject": async () => (await plans()).rejectPlan,
  "plan make": async () => (await planFiles()).makePlanFile,
  "plan check": async () => (await planFiles()).checkPlanFile,
  "plan run": async () => (await planFiles()).runPlan,
  "policy test": async () => (await approvals()).testPolicy,
  "policy preview": async () => (await approvals()).previewRules,
  "policy save": async () => (await approvals()).saveRules,
  serve: async () => (await serve()).runServe,
  mcp: async () => (await serving()).serveMcp,
  stop: async () => (await serving()).stopBackground,
  demo: async () => (cli: Cli) => cli.runDemoServer(),
  planner: async () => (cli: Cli) => cli.runPlannerServer(),
  add: async () => (await add()).add,
  "servers list": async () => (await servers()).listServers,
  "servers show": async () => (await servers()).showServer,
  "servers ping": async () => (await servers()).pingServer,
  "servers connect": async () => withVerb((await servers()).switchServer, "connect"),
  "servers disconnect": async () => withVerb((await servers()).switchServer, "disconnect"),
  "servers restart": async () => (await servers()).restartServers,
  "servers refresh": async () => (await servers()).refreshServers,
  "servers reconnect": async () => (await servers()).refreshServers,
  "servers logs": async () => (await servers()).showLogs,
  "servers record": async () => (await servers()).recordMessages,
  "servers messages": async () => (await servers()).showRecordedMessages,
  "servers login": async () => (await servers()).login,
  "servers logout": async () => (await servers()).logout,
  "servers tools": async () => (await servers()).listServerTools,
  "servers add": async () => (await editServers()).addServer,
  "servers search": async () => (await add()).searchServers,
  "servers update": async () => (await add()).updateServers,
  "servers wizard": async () => (await wizard()).runWizard,
  "servers edit": async () => (await editServers()).editServer,
  "servers remove": async () => (await editServers()).removeServer,
  "prompts list": async () => (await servers()).listPrompts,
  "prompts get": async () => (await servers()).getPrompt,
  "resources list": async () => (await servers()).listResources,
  "resources read": async () => (await servers()).readResource,
  "people invite": async () => (await keys()).invitePerson,
  "keys create": async () => (await keys()).createKey,
  "keys list": async () => (await keys()).listKeys,
  "keys revoke": async () => (await keys()).revokeKey,
  "state export": async () => (await state()).exportState,
  "state import": async () => (await state()).importState,
  init: async () => (await clients()).init,
  import: async () => (await clients()).importClients,
  connect: async () => (await clients()).connectClient,
  disconnect: async () => (await clients()).disconnectClient,
  doctor: async () => (await servers()).runDoctor,
  "extensions list": async () => (await extensions()).listExtensions,
  "extensions show": async () => (await extensions()).showExtension,
  trust: async () => (await trust()).trust,
  explain: async () => (await explain()).explainError,
  completion: async () => (await completion()).printScript,
  "config validate": async () => (await config()).validateConfig,
  "config show": async () => (await config()).showConfig,
  "config explain": async () => (await config()).explainConfig,
  "config schema": async () => (await config()).printSchema,
};
