import type { Plane } from "./plane.ts";

/** What the rooms make; `groupVerbs` puts each where its noun is. */
export type Verbs = {
  registerToolset: Plane["toolsets"]["register"];
  toolsetSelection: Plane["toolsets"]["select"];
  tools: Plane["tools"]["list"];
  queryTools: Plane["tools"]["page"];
  tool: Plane["tools"]["get"];
  setTool: Plane["tools"]["set"];
  deleteTool: Plane["tools"]["delete"];
  register: Plane["tools"]["register"];
  unregister: Plane["tools"]["unregister"];
  overlay: Plane["tools"]["overlay"];
  previewOverlay: Plane["tools"]["previewOverlay"];
  weigh: Plane["tools"]["weigh"];
  quality: Plane["tools"]["quality"];
  isLazy: Plane["tools"]["isLazy"];
  countTokens: Plane["tools"]["countTokens"];
  registerProvider: Plane["tools"]["registerProvider"];
  servers: Plane["servers"]["list"];
  server: Plane["servers"]["get"];
  lockedServers: Plane["servers"]["locked"];
  ping: Plane["servers"]["ping"];
  connect: Plane["servers"]["connect"];
  disconnect: Plane["servers"]["disconnect"];
  refresh: Plane["servers"]["refresh"];
  logs: Plane["servers"]["logs"];
  followLogs: Plane["servers"]["followLogs"];
  poolInfo: Plane["servers"]["poolInfo"];
  clearCaches: Plane["servers"]["clearCaches"];
  seesServer: Plane["servers"]["sees"];
  serverInstructions: Plane["servers"]["instructions"];
  forward: Plane["servers"]["forward"];
  wantLogs: Plane["servers"]["wantLogs"];
  onSaid: Plane["servers"]["onMessage"];
  prompts: Plane["prompts"]["list"];
  prompt: Plane["prompts"]["get"];
  resources: Plane["resources"]["list"];
  resourceTemplates: Plane["resources"]["templates"];
  resource: Plane["resources"]["read"];
  watchResource: Plane["resources"]["watch"];
  approvals: Plane["approvals"]["list"];
  approvalPage: Plane["approvals"]["page"];
  approval: Plane["approvals"]["get"];
  answerApproval: Plane["approvals"]["answer"];
  remembered: Plane["approvals"]["remembered"];
  forgetRemembered: Plane["approvals"]["forget"];
  testPolicy: Plane["policy"]["test"];
  plans: Plane["plans"]["list"];
  plan: Plane["plans"]["get"];
  approvePlan: Plane["plans"]["approve"];
  rejectPlan: Plane["plans"]["reject"];
  checkPlan: Plane["plans"]["check"];
  deadLetters: Plane["deadLetters"]["page"];
  deadLetter: Plane["deadLetters"]["get"];
  retryDeadLetter: Plane["deadLetters"]["retry"];
  resolveDeadLetter: Plane["deadLetters"]["resolve"];
  abandonDeadLetter: Plane["deadLetters"]["abandon"];
  deleteDeadLetter: Plane["deadLetters"]["delete"];
  jobs: Plane["jobs"]["list"];
  queryJobs: Plane["jobs"]["page"];
  job: Plane["jobs"]["get"];
  runJob: Plane["jobs"]["run"];
  rerunJob: Plane["jobs"]["rerun"];
  pauseJob: Plane["jobs"]["pause"];
  resumeJob: Plane["jobs"]["resume"];
  cancelJobRun: Plane["jobs"]["cancel"];
  jobRun: Plane["jobs"]["status"];
  jobRuns: Plane["jobs"]["history"];
  tasks: Plane["tasks"]["list"];
  queryTasks: Plane["tasks"]["page"];
  task: Plane["tasks"]["get"];
  skills: Plane["skills"]["page"];
  skill: Plane["skills"]["get"];
  runSkill: Plane["skills"]["run"];
  registrySummary: Plane["registry"]["summary"];
  deleteEntry: Plane["registry"]["delete"];
  changes: Plane["registry"]["changes"];
  exportBundle: Plane["registry"]["export"];
  importBundle: Plane["registry"]["import"];
  pins: Plane["pins"]["list"];
  pin: Plane["pins"]["get"];
  acceptPin: Plane["pins"]["accept"];
  rejectPin: Plane["pins"]["reject"];
  keys: Plane["keys"]["list"];
  createKey: Plane["keys"]["create"];
  revokeKey: Plane["keys"]["revoke"];
  usualCaller: Plane["identity"]["usualCaller"];
  identify: Plane["identity"]["identify"];
  needsCredentials: Plane["identity"]["needsCredentials"];
  setToken: Plane["tokens"]["set"];
  tokens: Plane["tokens"]["list"];
  forgetToken: Plane["tokens"]["forget"];
  beginSignIn: Plane["tokens"]["beginSignIn"];
  signIn: Plane["tokens"]["signIn"];
  finishSignIn: Plane["tokens"]["finishSignIn"];
  calls: Plane["calls"]["list"];
  callRecord: Plane["calls"]["get"];
  callSeries: Plane["calls"]["series"];
  verifyCalls: Plane["calls"]["verify"];
  activity: Plane["calls"]["activity"];
  result: Plane["results"]["get"];
  results: Plane["results"]["page"];
  events: Plane["events"]["list"];
  eventPage: Plane["events"]["page"];
  lastEventId: Plane["events"]["lastId"];
  onStored: Plane["events"]["onStored"];
  runs: Plane["runs"]["page"];
  run: Plane["runs"]["get"];
  renderRun: Plane["runs"]["render"];
  runAgent: Plane["agent"]["run"];
  generate: Plane["agent"]["generate"];
  generateAll: Plane["agent"]["generateAll"];
  budget: Plane["conversations"]["budget"];
  endConversation: Plane["conversations"]["end"];
  questions: Plane["questions"]["list"];
  answer: Plane["questions"]["answer"];
  watchClient: Plane["clients"]["watch"];
  keptSessions: Plane["clients"]["sessions"];
};

type TopVerbs = Pick<
  Plane,
  | "config"
  | "reload"
  | "doctor"
  | "readiness"
  | "start"
  | "call"
  | "toolset"
  | "search"
  | "recommend"
  | "stats"
  | "on"
  | "drain"
  | "stop"
>;

export function groupVerbs(verbs: Verbs & TopVerbs): Plane {
  const { config, reload, doctor, readiness, start, call, toolset, search, recommend, stats, on, drain, stop } = verbs;
  return {
    ...{ config, reload, doctor, readiness, start, call, toolset, search, recommend, stats, on, drain, stop },
    [Symbol.asyncDispose]: stop,
    toolsets: { register: verbs.registerToolset, select: verbs.toolsetSelection },
    tools: {
      list: verbs.tools,
      page: verbs.queryTools,
      get: verbs.tool,
      set: verbs.setTool,
      delete: verbs.deleteTool,
      register: verbs.register,
      unregister: verbs.unregister,
      overlay: verbs.overlay,
      previewOverlay: verbs.previewOverlay,
      weigh: verbs.weigh,
      quality: verbs.quality,
      isLazy: verbs.isLazy,
      countTokens: verbs.countTokens,
      registerProvider: verbs.registerProvider,
    },
    servers: {
      list: verbs.servers,
      get: verbs.server,
      locked: verbs.lockedServers,
      ping: verbs.ping,
      connect: verbs.connect,
      disconnect: verbs.disconnect,
      refresh: verbs.refresh,
      logs: verbs.logs,
      followLogs: verbs.followLogs,
      poolInfo: verbs.poolInfo,
      clearCaches: verbs.clearCaches,
      sees: verbs.seesServer,
      instructions: verbs.serverInstructions,
      forward: verbs.forward,
      wantLogs: verbs.wantLogs,
      onMessage: verbs.onSaid,
    },
    prompts: { list: verbs.prompts, get: verbs.prompt },
    resources: {
      list: verbs.resources,
      templates: verbs.resourceTemplates,
      read: verbs.resource,
      watch: verbs.watchResource,
    },
    approvals: {
      list: verbs.approvals,
      page: verbs.approvalPage,
      get: verbs.approval,
      answer: verbs.answerApproval,
      remembered: verbs.remembered,
      forget: verbs.forgetRemembered,
    },
    policy: { test: verbs.testPolicy },
    plans: {
      list: verbs.plans,
      get: verbs.plan,
      approve: verbs.approvePlan,
      reject: verbs.rejectPlan,
      check: verbs.checkPlan,
    },
    deadLetters: {
      page: verbs.deadLetters,
      get: verbs.deadLetter,
      retry: verbs.retryDeadLetter,
      resolve: verbs.resolveDeadLetter,
      abandon: verbs.abandonDeadLetter,
      delete: verbs.deleteDeadLetter,
    },
    jobs: {
      list: verbs.jobs,
      page: verbs.queryJobs,
      get: verbs.job,
      run: verbs.runJob,
      rerun: verbs.rerunJob,
      pause: verbs.pauseJob,
      resume: verbs.resumeJob,
      cancel: verbs.cancelJobRun,
      status: verbs.jobRun,
      history: verbs.jobRuns,
    },
    tasks: { list: verbs.tasks, page: verbs.queryTasks, get: verbs.task },
    skills: { page: verbs.skills, get: verbs.skill, run: verbs.runSkill },
    registry: {
      summary: verbs.registrySummary,
      delete: verbs.deleteEntry,
      changes: verbs.changes,
      export: verbs.exportBundle,
      import: verbs.importBundle,
    },
    pins: { list: verbs.pins, get: verbs.pin, accept: verbs.acceptPin, reject: verbs.rejectPin },
    keys: { list: verbs.keys, create: verbs.createKey, revoke: verbs.revokeKey },
    identity: { usualCaller: verbs.usualCaller, identify: verbs.identify, needsCredentials: verbs.needsCredentials },
    tokens: {
      set: verbs.setToken,
      list: verbs.tokens,
      forget: verbs.forgetToken,
      beginSignIn: verbs.beginSignIn,
      signIn: verbs.signIn,
      finishSignIn: verbs.finishSignIn,
    },
    calls: {
      list: verbs.calls,
      get: verbs.callRecord,
      series: verbs.callSeries,
      verify: verbs.verifyCalls,
      activity: verbs.activity,
    },
    results: { get: verbs.result, page: verbs.results },
    events: { list: verbs.events, page: verbs.eventPage, lastId: verbs.lastEventId, onStored: verbs.onStored },
    runs: { page: verbs.runs, get: verbs.run, render: verbs.renderRun },
    agent: { run: verbs.runAgent, generate: verbs.generate, generateAll: verbs.generateAll },
    conversations: { budget: verbs.budget, end: verbs.endConversation },
    questions: { list: verbs.questions, answer: verbs.answer },
    clients: { watch: verbs.watchClient, sessions: verbs.keptSessions },
  };
}

export type ApprovalVerbs = Pick<
  Verbs,
  | "testPolicy"
  | "approvals"
  | "approvalPage"
  | "approval"
  | "answerApproval"
  | "plans"
  | "plan"
  | "approvePlan"
  | "rejectPlan"
  | "remembered"
  | "forgetRemembered"
>;

export type IdentityVerbs = Pick<
  Verbs,
  "usualCaller" | "identify" | "needsCredentials" | "keys" | "createKey" | "revokeKey"
>;

export type AgentVerbs = Pick<Verbs, "registerToolset" | "toolsetSelection" | "runAgent" | "generate" | "generateAll"> &
  Pick<Plane, "toolset">;

export type OverlayVerbs = Pick<Verbs, "overlay" | "previewOverlay">;

export type ClientVerbs = Pick<Verbs, "watchClient" | "countTokens">;

export type QualityVerbs = Pick<Verbs, "quality" | "weigh" | "isLazy" | "pins" | "pin" | "acceptPin" | "rejectPin"> &
  Pick<Plane, "stats">;

export type ServerVerbs = Pick<
  Verbs,
  | "servers"
  | "server"
  | "ping"
  | "connect"
  | "disconnect"
  | "refresh"
  | "logs"
  | "followLogs"
  | "poolInfo"
  | "clearCaches"
  | "prompts"
  | "prompt"
  | "resources"
  | "resourceTemplates"
  | "resource"
>;

export type DeadLetterVerbs = Pick<
  Verbs,
  "deadLetters" | "deadLetter" | "retryDeadLetter" | "resolveDeadLetter" | "abandonDeadLetter" | "deleteDeadLetter"
>;

export type JobVerbs = Pick<
  Verbs,
  "job" | "runJob" | "rerunJob" | "pauseJob" | "resumeJob" | "cancelJobRun" | "jobRun" | "jobRuns"
>;

export type SkillVerbs = Pick<Verbs, "runSkill">;

export type ToolPlanVerbs = Pick<Verbs, "checkPlan">;
