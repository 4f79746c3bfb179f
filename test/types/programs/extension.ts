import {
  type ApprovalChannel,
  createPlane,
  defineExtension,
  type ExecuteStage,
  type ExtensionLife,
  type ExtensionOperation,
  type FileFormat,
  type OpenTransport,
  type Panel,
  type RankTools,
  type ReadSecret,
  type ScanDefinition,
  type ToolSource,
} from "toolplane";

/** Interface 1 in types: what was written for it compiles. `test/fixtures/extensions/interface-1.mjs` is the same at work. */
const format: FileFormat = {
  name: "First Desktop",
  read: (document, file) => (file.endsWith(".json") ? { mcpServers: { ...document } } : null),
};
const operation: ExtensionOperation = {
  name: "first.run",
  summary: "Runs the first operation",
  scope: "call",
  input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  changes: true,
  positional: ["word"],
  columns: { word: "WORD" },
  run: ({ word = null }, { principal, signal }) => [
    { word, user: principal.user, ended: signal?.aborted ?? false },
  ],
};
const open: OpenTransport = async (url, { onMessage, onClose, signal }) => ({
  send: (message) => (signal.aborted ? onClose("over") : onMessage({ ...message, url })),
  close() {},
});
const source: ToolSource = {
  list: async () => [{ name: "first_tool", description: "Says a word back." }],
};
const read: ReadSecret = (name, { directory, signal }) =>
  signal.aborted ? "" : `${directory}/${name}`;
const scan: ScanDefinition = ({ name }) =>
  name === "bad" ? [{ severity: "high", excerpt: "bad" }] : [];
const rank: RankTools = (query, tools) => tools.map(({ name }) => name + query);
const channel: ApprovalChannel = {
  name: "first-chat",
  ask: async (held, answer) => answer("approve", held.principal.user ?? "ann", "because"),
  settled: ({ status, answer }) => [status, answer?.by],
};
const stage: ExecuteStage = async ({ id, tool, arguments: args, principal, signal }, next) => {
  signal.throwIfAborted();
  const result = await next();
  const text = `${id} ${tool} ${Object.keys(args)} ${principal.user}`;
  return { ...result, content: [...result.content, { type: "text", text }] };
};
const panel: Panel = {
  title: "First",
  facts: () => [{ label: "Word", value: null, about: "From the settings." }],
};

const first = defineExtension({
  name: "first",
  interface: 1,
  about: "Uses every function of interface 1.",
  settings: { type: "object", properties: { word: { type: "string" } } },
  secrets: ["first"],
  providers: ["plain", "made"],
  transports: ["first"],
  formats: [format],
  needs: ["approvals", "call", "calls", "events", "registry", "search", "servers", "tools"],
  async setup(to) {
    const { settings, directory, plane, log } = to;
    log(`${settings.word} in ${directory}`);
    to.addOperation(operation);
    to.addProvider("plain", async ({ config }, { word = null }, { signal }) => [
      config.key,
      word,
      signal.aborted,
    ]);
    to.addProvider("made", { create: async () => () => "made" }, { check: async () => undefined });
    to.addTransport("first", open);
    const { changed } = to.addToolSource(source);
    to.addSecrets("first", read);
    to.addScanner(scan);
    to.addEmbedder(async (texts) => texts.map(() => [1, 0]));
    to.addRanker(rank);
    to.addApprovalChannel(channel);
    to.aroundExecute(stage);
    to.onEvent((event) => event.type, "tool.result");
    to.onEvent(({ type }) => type);
    to.addPanel(panel);
    const life: ExtensionLife = {
      start: () => plane.call("first_tool", {}),
      reload: async (next) => {
        log(String(next.word));
        await changed();
      },
      stop: async () => void (await plane.servers.list()),
    };
    return life;
  },
});

await using plane = await createPlane({ config: {}, extensions: [first] });
const shown = (await plane.extensions.list()).map(({ name, state, adds, error }) => [
  name,
  state,
  adds,
  error,
]);
export const all = [
  shown,
  await plane.extensions.run("first.run", { word: "hello" }),
  await plane.extensions.panels(),
];
