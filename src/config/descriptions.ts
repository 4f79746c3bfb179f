import { defaultOnError, hookEvents } from "../model/access/hook.ts";
import { authKeys } from "./auth-descriptions.ts";

/** The keys of a hook, the same for each event. */
const hookKeys = Object.fromEntries(
  hookEvents.flatMap((event) =>
    Object.entries({
      name: "Its name in reasons and records.",
      matcher: "Pattern for tool names, matched anywhere; * for all.",
      command: "The program and its arguments; no shell. It runs in this file's directory.",
      timeout_ms: "Timeout; reaching it is a failure.",
      on_error: `What a failure means; default ${defaultOnError[event]}.`,
    }).map(([key, text]) => [`hooks.${event}.${key}`, text]),
  ),
);

/** What each key of the native configuration means. The schema, editors and docs/configuration.md take it from here. */
export const descriptions: Readonly<Record<string, string>> = {
  ...hookKeys,
  $schema: "Where editors find this schema.",
  mcpServers: "The MCP servers, by name.",
  "mcpServers.command":
    "The program to start for a local server; it is never split or run by a shell. A relative path starts at this file's directory.",
  "mcpServers.args": "Its arguments.",
  "mcpServers.env":
    "Variables for it, over those at the top level. Beside these it gets a safe base, proxy, certificate and package settings; servers.md lists them.",
  "mcpServers.inheritEnv":
    "More variables of the plane's environment to pass on: names or globs, beside those at the top level. true: all of them; false: only the default ones.",
  "mcpServers.cwd":
    "The directory to start it in, relative to this file's; in your own file relative to the one that you work in, which needs trust. Default: the file's.",
  "mcpServers.container":
    "Start it in a container: no network, a read-only root, no capabilities, limits; removed when it ends.",
  "mcpServers.container.image":
    "The image. Without 'command', the image's own entry point is the server.",
  "mcpServers.container.network": "The network it joins; none by default.",
  "mcpServers.container.mounts":
    "Files of this machine that it sees: source:/target, read-only, or source:/target:rw; a relative source starts at this file's directory.",
  "mcpServers.container.runtime": "docker or podman; auto takes the first that is installed.",
  "mcpServers.container.memory": "Its memory limit.",
  "mcpServers.container.pids": "Its process limit.",
  "mcpServers.container.user": "The user inside, such as 1000:1000; by default the image's.",
  "mcpServers.container.env":
    "Names of the plane's variables that it gets beside those of 'env'. Values never appear on a command line.",
  "mcpServers.url": "The address of a remote server. Redirects to other hosts are not followed.",
  "mcpServers.openapi":
    "An OpenAPI 3.0 or 3.1 or Swagger 2.0 document, as a file or URL: its operations become the tools of this server. A relative path starts at this file's directory.",
  "mcpServers.baseUrl":
    "The address of the API; by default as its document says, or the document's own address.",
  "mcpServers.operations": "Which operations of the document become tools; by default all.",
  "mcpServers.operations.tags": "Globs of tags; one that begins with ! excludes.",
  "mcpServers.operations.paths":
    "Globs of paths such as /users/*; one that begins with ! excludes.",
  "mcpServers.operations.methods": "Methods such as get; one that begins with ! excludes.",
  "mcpServers.skills":
    "A folder with skills: each directory with a SKILL.md is one, with the files beside it. A relative path starts at this file's directory. Links are not followed.",
  "mcpServers.transport": "The transport; detected by default.",
  "mcpServers.headers": "Headers for every request to a remote server.",
  "mcpServers.auth": "Authentication to a remote server.",
  "mcpServers.auth.type":
    "bearer sends the token in Authorization; basic sends user:password there; api_key uses the header named below; with oauth each user signs in.",
  "mcpServers.auth.token":
    "The token for all users, best as ${TOKEN}; without it each user gives their own. An empty one sends nothing.",
  "mcpServers.auth.header": "The header of an API key.",
  "mcpServers.auth.scopes": "Scopes to request; by default the server's.",
  "mcpServers.auth.clientId":
    "The OAuth client that was registered for you; discovered by default.",
  "mcpServers.auth.clientSecret": "Its secret, best as a reference such as ${SECRET}.",
  "mcpServers.auth.clientMetadataUrl":
    "The address of your client metadata document, used as client id.",
  "mcpServers.auth.issuer": "The only authorization server to trust with this client.",
  "mcpServers.auth.tokenUrl":
    "The token endpoint of the authorization server; discovered, or taken from the OpenAPI document, by default.",
  "mcpServers.auth.authorizationUrl":
    "Where people sign in; discovered, or taken from the OpenAPI document, by default.",
  "mcpServers.auth.schemes":
    "A value for each security scheme of the OpenAPI document, best as ${KEY}; for an API that requires several.",
  "mcpServers.auth.grant": "client_credentials signs in as this client, without a person.",
  "mcpServers.description": "What the server is for.",
  "mcpServers.author": "Who wrote it.",
  "mcpServers.help_email": "Contact for questions.",
  "mcpServers.enabled": "false: not listed, not callable.",
  "mcpServers.autoConnect":
    "false: started only by an explicit connect or a call of one of its tools.",
  "mcpServers.lazy":
    "true: not started before its first use; false: started with the plane. By default, started with the plane only while its tools are unknown.",
  "mcpServers.alwaysOn":
    "Started with the plane, never stopped when idle, restarted when it exits.",
  "mcpServers.trusted": "Trust its annotations (read-only, idempotent).",
  "mcpServers.timeoutMs": "Limit of a call in milliseconds, 0 for none; 60000 by default.",
  "mcpServers.connectTimeoutMs": "Limit of start, handshake and listing together.",
  "mcpServers.installTimeoutMs":
    "Limit of a first start through npx, uvx, docker run and the like, which may have to install the server.",
  "mcpServers.idleTimeoutMs": "Idle time before it is stopped, 0 for never.",
  "mcpServers.sharedConcurrency":
    "Calls at once of all planes on one store together; more wait. Without it each plane has its own maxConcurrency.",
  "mcpServers.maxConcurrency": "Its concurrency limit: requests at once; more wait.",
  "mcpServers.maxQueue": "Length of its queue; more are refused with BUSY.",
  "mcpServers.rateLimitPerMinute":
    "Its rate limit: calls in a minute, a sixth of them at once. The next waits up to 5 s, or is refused with RATE_LIMITED.",
  "mcpServers.circuit": "Its circuit breaker.",
  "mcpServers.circuit.failures": "Failed calls in a row that open it, 0 to disable.",
  "mcpServers.circuit.openMs":
    "The first cooldown; then one call tries the server. Doubled with each failure, 5 minutes at most.",
  "mcpServers.cache":
    "Cache for results of its read-only tools. Any write to the server, a changed list and a restart empty it.",
  "mcpServers.cache.ttlMs": "How long a result is kept; 0 keeps none.",
  "mcpServers.cache.maxEntries":
    "Maximum number of results; the least recently used are dropped first.",
  "mcpServers.cache.shared": "One result for all callers; by default each caller has their own.",
  "mcpServers.coalesce":
    "Equal concurrent calls of one caller share one request, if the tool is known to be read-only. By default on where results are cached.",
  "mcpServers.retry": "Attempts of its calls; by default as in 'retry'.",
  "mcpServers.retry.attempts": "Attempts of a call that may be repeated, the first included.",
  "mcpServers.retry.delayMs": "The wait before the second attempt; doubled with each failure.",
  "mcpServers.retry.maxDelayMs": "The longest wait between two attempts.",
  "mcpServers.maxMessageBytes": "Maximum message size. A larger one fails only its call.",
  "mcpServers.backoffMs": "The backoff after a failure; doubled with each failure in a row.",
  "mcpServers.maxBackoffMs": "The longest time between two automatic attempts.",
  "mcpServers.pingIntervalMs": "Ping interval of a WebSocket.",
  "mcpServers.listingTtlMs":
    "Time to live of its lists of tools, prompts and resources, 0 for no expiry.",
  "mcpServers.protocol":
    "legacy opens with a handshake, modern is 2026-07-28; discovered by default.",
  "mcpServers.logLevel":
    "The lowest level of its log messages to request and keep; by default the server decides.",
  "mcpServers.roots": "Directories or file URIs it gets as roots.",
  "mcpServers.session":
    "Who shares a session with it. By default all share a local server, and a remote one has a session for each user.",
  "mcpServers.groups": "Groups with access; empty for all callers.",
  "mcpServers.persona": "Only for this persona.",
  "mcpServers.compliance_level":
    "The compliance level of its data; callers whose level does not allow it do not see it.",
  "mcpServers.workspaces": "Only for callers of one of these workspaces; empty for all.",
  "mcpServers.discoverable":
    "true: callers without access see only its name, description and contact.",
  "mcpServers.allow_tools": "Globs of allowed tools; null allows all, an empty list none.",
  "mcpServers.deny_tools": "Globs of denied tools; they win over allow_tools.",
  "mcpServers.side_effects": "The strongest effect of its tools; a tool's own wins.",
  "mcpServers.allow_parallel":
    "false: serial execution of each tool. By default, up to maxConcurrency calls run at once.",
  "mcpServers.requires_consent": "Its tools need a person's approval.",
  "mcpServers.isolated":
    "It runs in its own container or machine; tools whose safety_level is high may need that ('policy.isolation'). By default true where there is a 'container'.",
  "mcpServers.idempotency_key": "Whether a call can be repeated safely.",
  "mcpServers.version": "The version of its tools; a tool's own wins.",
  "mcpServers.source":
    "Where 'add' took it from: its name in the MCP registry and the version. 'servers update' compares it with the newest.",
  "mcpServers.auth_required":
    "Whether its tools need a sign-in; by default only if there are scopes.",
  "mcpServers.auth_env": "Variables that hold its credentials; listings show whether they are set.",
  "mcpServers.inject":
    "Parameters that only the system sets, where a tool declares them: _mcp_data, _atlas_user, username, or {parameter, from} with where the value comes from.",
  "mcpServers.inject_options": "Options of the inventory in _mcp_data.",
  "mcpServers.inject_options.exclude_self": "Exclude its own tools.",
  "mcpServers.inject_options.exclude": "Servers to leave out; 'canvas' by default.",
  "mcpServers.inject_options.max_bytes":
    "Maximum size; beyond it descriptions are cut, then parameters dropped, then tools. 65536 by default.",
  registries:
    "MCP registries to search and to add servers from; the first that knows a name counts.",
  tools: "Hand-written tools, by name: manifests with their providers.",
  overlays: "Overrides of servers' tools, by server.tool; other fields keep the server's value.",
  "overlays.description": "Replaces the server's description.",
  "overlays.arguments": "Changes to its arguments.",
  "overlays.arguments.name": "The argument; an unknown one is added.",
  "overlays.arguments.type": "Its type.",
  "overlays.arguments.description": "Its description.",
  "overlays.arguments.required": "Whether callers must set it.",
  "overlays.arguments.default": "Used if the caller omits it.",
  "overlays.arguments.enum": "The allowed values.",
  "overlays.arguments.hidden": "Hidden from callers; a default is then always sent.",
  "overlays.arguments.fixed": "Always sent, hidden from callers; use ${VAR} for secrets.",
  "overlays.version": "Its version.",
  "overlays.side_effects": "Its strongest effect.",
  "overlays.default_timeout": "Limit of a call in seconds, 0 for none.",
  "overlays.allow_parallel": "false: serial execution.",
  "overlays.idempotency_key": "Whether a call can be repeated safely.",
  "overlays.safety_level": "Its risk; high needs approval.",
  "overlays.requires_consent": "It needs a person's approval.",
  "overlays.capabilities": "Capabilities to find it by.",
  "overlays.cost_per_call": "Cost of a call.",
  "overlays.cost_unit": "Unit of the cost.",
  "overlays.cache": "Cache for its results, if it is known to be read-only.",
  "overlays.cache.ttlMs": "How long a result is kept; 0 keeps none.",
  "overlays.cache.maxEntries":
    "Maximum number of results; the least recently used are dropped first.",
  "overlays.cache.shared": "One result for all callers; by default each caller has their own.",
  "overlays.coalesce":
    "Equal concurrent calls of one caller share one request, if the tool is known to be read-only.",
  "overlays.rate_limit_per_minute": "Its rate limit: calls per minute.",
  "overlays.persona_allowlist": "Only for these personas.",
  "overlays.requires_flags": "By operation: the flags a persona needs for it.",
  "overlays.group": "Its tool groups; default is 'default'.",
  "overlays.state": "The agent's state after success.",
  "overlays.applicable-states": "The states it is available in; all by default.",
  "overlays.workspaces": "Only for callers of one of these workspaces.",
  "overlays.enabled": "False: people still see the tool; models neither see nor call it.",
  "overlays.compliance_level": "The compliance level of its data, in addition to its server's.",
  "overlays.notes": "Notes for people in listings.",
  env: "Variables for all local servers; a server's own 'env' wins.",
  inheritEnv:
    "Variables of the plane's environment that all local servers get beside the default ones: names or globs, or true for all.",
  inject:
    "Parameters that only the system sets, for all servers and hand-written tools; see mcpServers.inject.",
  inject_options: "Default options of the inventory in _mcp_data.",
  "inject_options.exclude_self": "Exclude the tools of the same server.",
  "inject_options.exclude": "Servers to leave out; 'canvas' by default.",
  "inject_options.max_bytes": "Maximum size.",
  manifests:
    "Globs of manifest files to read, relative to this file's directory; manifest.schema.json has their schema.",
  toolsets: "Named selections of tools with a budget.",
  "toolsets.providers": "The servers whose tools are in it.",
  "toolsets.allow_tools": "The allowed tools; null for all.",
  "toolsets.max_tool_call_turns": "Maximum tool-call turns; null for 5, or 10 in the style react.",
  "toolsets.timeout_sec": "Limit of each call in seconds.",
  models: "Models, by name.",
  "models.provider": "The kind of endpoint.",
  "models.baseURL": "Its address.",
  "models.model": "The model's name there.",
  "models.apiKey": "The key, best as a reference such as ${KEY}.",
  "models.price": "Token prices, per million; without them no cost is shown.",
  "models.price.input": "Price of a million input tokens.",
  "models.price.output": "Price of a million output tokens.",
  "models.price.cached": "Price of a million cached input tokens; `input` when left out.",
  "models.price.currency": "The currency of these prices.",
  sampling: "Sampling: requests of servers to the models; see agents.md.",
  "sampling.enabled": "false: sampling is not offered to servers.",
  "sampling.verdict":
    "allow, ask or deny; by default the profile decides: personal allows, guarded asks unless the server is trusted, strict asks.",
  "sampling.model": "The model if no hint of the server matches; 'default', or the first.",
  "sampling.maxTokens": "Maximum tokens of an answer; 512 if the server sets none.",
  "sampling.maxCallsPerToolCall": "Maximum sampling requests per tool call.",
  policy: "What runs, what needs approval, what is refused.",
  "policy.profile":
    "What needs approval if no rule matches; personal while no credentials are required, otherwise guarded.",
  "policy.mode":
    "build runs writes, plan queues them, debug asks for approval, review refuses them; reads run.",
  "policy.isolation":
    "required: a tool whose safety_level is high runs only on servers that say 'isolated'. By default only the strict profile requires it.",
  "policy.askAlways":
    "Every call that is not refused needs a person's yes. The variable FORCE_TOOL_APPROVAL_GLOBALLY=true sets it, whatever files say.",
  "policy.askByDefault":
    "Every call that no rule decides needs a person's yes. The variable REQUIRE_TOOL_APPROVAL_BY_DEFAULT=true sets it, whatever files say.",
  "policy.effects": "By glob of tool names: read or write, overriding the tool's own claim.",
  "policy.rules": "Rules in order; the first that matches decides.",
  "policy.rules.tool":
    "Glob of tool names: * is any run of characters, ? is one; braces have no meaning.",
  "policy.rules.server": "Glob of server names.",
  "policy.rules.side_effects": "Any of these effects.",
  "policy.rules.effects": "Any of read, write and unknown, as 'policy test' shows for a tool.",
  "policy.rules.risk":
    "Any of these risks: a tool's safety_level, else high if its server declares it destructive, low if it is read-only, otherwise medium.",
  "policy.rules.arguments":
    "Conditions on arguments, all must match: a glob, or {regex} matched anywhere.",
  "policy.rules.users": "Any of these callers, by glob.",
  "policy.rules.groups": "Callers in any of these groups.",
  "policy.rules.personas": "Callers that are any of these personas.",
  "policy.rules.faces": "Calls through any of these faces.",
  "policy.rules.pages": "True: only calls of pages of MCP Apps. False: all other calls.",
  "policy.rules.time": "Only at these times.",
  "policy.rules.time.from": "From this time of day.",
  "policy.rules.time.to": "Until this time; past midnight if it is earlier than 'from'.",
  "policy.rules.time.days": "On these days, by the start of the period; every day by default.",
  "policy.rules.time.timezone": "The time zone.",
  "policy.rules.verdict": "The verdict.",
  "policy.rules.reason": "The reason sent to the caller.",
  "policy.rules.from":
    "The key that made it, set for rules of a server's 'require_approval'; such a rule has no number.",
  hooks: "Programs that decide on calls; see hooks.md.",
  extensions:
    "Extensions: a path or the name of a package, or an object with 'use' and its settings in 'with'. Their code runs in the plane.",
  "hooks.PermissionRequest":
    "Decides whether approval is needed; may waive it if only the profile requires it.",
  "hooks.PreToolUse": "Runs before a call; may change its arguments.",
  "hooks.PostToolUse": "Runs on a result; may replace or withhold it.",
  "hooks.SessionStart": "Runs before the first question or call of a conversation; may refuse it.",
  "hooks.UserPromptSubmit":
    "Runs on the question of an agent's run, before anything else; may refuse it.",
  "hooks.BeforeModel":
    "Runs before each request to an agent's model; may refuse it. `PreLlmCall` says the same.",
  "hooks.SessionEnd": "Runs when a conversation ends.",
  approvals: "Approvals by people.",
  "approvals.holdMs":
    "How long the call of an MCP client is held open while it waits for a person. Without a progress token it is answered before 55 s.",
  "approvals.expireMs": "How long a question lives: a day; an hour in the profile personal.",
  "approvals.timeoutMs": "Key of 0.3 for holdMs and expireMs; counts where they are not set.",
  "approvals.onCallerGone":
    "Whether a question stays when its caller cancels or leaves. Default: keep for MCP clients that show no forms, cancel for all other callers.",
  "approvals.allowEdit": "Whether approvers may edit the arguments.",
  "approvals.approvers":
    "Groups whose members answer, and only they. Default: each caller for their own calls.",
  "approvals.fourEyes":
    "Whether a caller's own yes never counts, with any key that is theirs or that they created. Without approvers, others with the scope admin answer.",
  "approvals.threshold":
    "How many different people have to say yes. Above 1, arguments cannot be edited and no yes is remembered.",
  "approvals.rememberConsent": "Whether consent to a tool covers the rest of the conversation.",
  budgets: "Time and cost budgets of conversations.",
  "budgets.maxToolDurationMs": "Total run time of a conversation's tools, 0 for no limit.",
  "budgets.maxCost":
    "Maximum cost of a conversation's calls: a number for every unit, or numbers by unit.",
  "budgets.perPersona": "Maximum cost of all calls of a persona, by its name.",
  "budgets.perPersona.maxCost": "As above.",
  retry: "Attempts of a call that may be repeated, or that was never sent.",
  "retry.attempts": "Attempts, the first included.",
  "retry.delayMs":
    "The wait before the second attempt; doubled with each failure, give or take a quarter.",
  "retry.maxDelayMs": "The longest wait between two attempts.",
  lazy: "How much of the catalogue a client sees at first.",
  "lazy.mode":
    "Lazy loading of definitions. auto: if all of them exceed the threshold; code: two tools, and programs that call the others. A client can override it with 'mode'.",
  "lazy.thresholdTokens": "The threshold.",
  "lazy.alwaysLoadTools":
    "Tools that are always loaded: names in any spelling, globs, or a part of the name.",
  "lazy.summaryDescriptionLimit": "Characters of a description in a summary.",
  "lazy.maxToolsPerSearch": "Maximum tools that a search loads.",
  "lazy.maxLoadedTokens":
    "Maximum tokens of loaded definitions per client; the least recently used are dropped first.",
  "lazy.callable":
    "all: a client may call any tool. found: only tools that a search or list showed it, and always-loaded ones.",
  search: "Tool search.",
  "search.synonyms":
    "Words and their synonyms, which score a little less; they replace the built-in ones, an empty list removes them.",
  "search.embeddings":
    "A model of your own that compares queries and tools, in place of the built-in vectors.",
  "search.embeddings.model":
    "Its name in 'models'; its endpoint has to answer OpenAI-compatible `/embeddings`.",
  "search.learn":
    "true: tools that you call after a search rank higher when you search for the same words. Kept in the data directory only.",
  results: "Storage of large results.",
  "results.maxInlineBytes":
    "Characters of text that an MCP client gets in full. For more, or for half as much structured content, it gets a handle. 0 for no limit.",
  "results.keepMs": "How long a large result is stored.",
  "results.maxStoredBytes": "Maximum total size in the store; the oldest are dropped first.",
  "results.store":
    "A bucket for their content: 's3://BUCKET/PREFIX?region=REGION', with '&endpoint=URL' for a store that speaks the protocol of S3. Without it the content is in the store.",
  "results.builtinTool": "false: the tool 'read_result' is not offered.",
  "results.redact": "Redaction of secrets in results that models read; each becomes [redacted].",
  "results.redact.secrets":
    "Known patterns: keys and tokens of well-known services, private keys, passwords in URLs.",
  "results.redact.entropy": "Words of 20 characters and more that look random.",
  "results.redact.patterns": "Patterns of your own, in the syntax of RE2.",
  calls: "Call records.",
  "calls.keepDays": "Days to keep records of calls and changes, 0 to keep them forever.",
  "calls.maxBytes":
    "Size of the records of calls, changes, runs and events together, 0 for no limit. Beyond it, the oldest calls, runs and events are removed, whatever their age.",
  quotas: "What one caller may hold open at a time.",
  "quotas.maxHeldOpen":
    "Event streams and waiting HTTP requests that one caller may hold open at a time.",
  "quotas.maxSessionsPerCaller":
    "MCP sessions over HTTP of one caller, and listeners of revision 2026-07-28. Beyond it, one that is not in use ends, or the new one is refused.",
  audit: "The record of calls and changes.",
  "audit.required": "true: nothing is answered unless it was recorded.",
  "audit.signingKey": "An Ed25519 private key as PEM, which signs the roots over all records.",
  "audit.rootFile": "A file that each root is appended to, as one line of JSON.",
  "audit.rootWebhook": "An address that each root is posted to, as JSON.",
  "audit.hmacKey":
    "Secrets in the record of changes become their HMAC-SHA-256 with this key, instead of a mask, so that equal ones are recognised. By reference, such as ${AUDIT_KEY}.",
  observability: "Traces, metrics, and what is kept of calls.",
  "observability.otlp": "Spans and metrics by OTLP over HTTP, as JSON.",
  "observability.otlp.endpoint":
    "The collector, such as http://127.0.0.1:4318; /v1/traces and /v1/metrics are added. Empty: nothing is sent.",
  "observability.otlp.headers":
    "Headers for the collector, best as references; or a string such as name=value,name=value.",
  "observability.otlp.traces": "false: no spans.",
  "observability.otlp.metrics": "false: no metrics.",
  "observability.otlp.intervalMs": "Time between two batches in milliseconds.",
  "observability.otlp.serviceName": "The name of this plane at the collector.",
  "observability.keepPayloads":
    "true: arguments and results of calls are kept, so that the page of a call shows them. Secrets are redacted, injected values never stored; see calls.md.",
  "observability.payloadDays": "Days to keep them.",
  jobs: "Job runs; see jobs.md.",
  "jobs.concurrency": "Concurrency limit of job runs on a plane; more wait.",
  "jobs.keepDays": "Days to keep finished runs, 0 to keep them forever.",
  security: "Handling of changed or poisoned tool definitions; see quality.md.",
  "security.pinning":
    "A definition that differs from its pin: off, warn, or quarantine until it is accepted.",
  "security.newTools": "A new tool of a known server: accept, or quarantine.",
  "security.poisoning":
    "Hidden text and orders to the model: off, warn, or quarantine. By default, certain findings are quarantined and others warned about.",
  "security.allowOrigins":
    "Origins of web pages that may ask at /mcp, with a credential, and register at the sign-in.",
  "security.egress":
    "Which addresses others may name: for a server's sign-in, and for tools that were set over a face.",
  "security.egress.allow":
    "Hosts, addresses and networks beyond public ones: localhost:8080, *.corp.example, 10.0.0.0/8. A cloud's metadata service is never reached.",
  bundles: "Catalogue entries from other planes.",
  "bundles.trustedKeys": "Fingerprints of trusted signing keys; the plane's own is always trusted.",
  store: "sqlite, or postgres://… to share the state between planes.",
  durability:
    "What has to survive when it is answered: process, the end of the plane; power, a power cut, with calls up to 200 ms later; strict, calls before their answer, too. power when it is not set. See stores.md.",
  defaultServer:
    "The server whose tools `mcp.TOOL` means. The block `tools.mcp` calls it `default_server`.",
  vaultKey:
    "Seals the tokens and what waits in the store: 32 bytes as hex or base64, by reference such as ${VAULT_KEY}. Planes on one store need the same; without it each has its own in its data directory.",
  ...authKeys,
  users: "Attributes of users, by name.",
  "users.groups": "The groups of the user.",
  "users.persona": "The persona of the user.",
  "users.workspace": "The workspace of the user.",
  "users.compliance": "The compliance level of the user's data.",
  "users.tool_groups": "The tool groups the user may request; default is 'default', * for all.",
  personas: "What personas may do, by name.",
  "personas.flags": "Flags that tools require with requires_flags; only true counts.",
  compliance:
    "Which compliance levels go together: default for the built-in ones, or your own as {levels, unknown}; see identity.md. Without it, levels have no effect.",
};
