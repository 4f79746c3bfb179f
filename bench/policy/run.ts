import { parseArgs } from "node:util";
import { createPolicy } from "../../src/access/policy/decide.ts";
import type { Policy, PolicyRule } from "../../src/model/access/policy.ts";
import type { Validated } from "../../src/model/calls/call.ts";
import { injectedCall, sampleTool } from "../../test/samples/calls.ts";
import { type Bar, isMissed, median, renderBars, renderTable } from "../report.ts";

const { values } = parseArgs({ options: { json: { type: "boolean" } } });
const rounds = 15;
const callsPerRound = 5_000;
const tools = Array.from({ length: 200 }, (_, at) =>
  sampleTool({
    id: { server: `team-${at % 20}`, tool: `tool_${at}` },
    name: `team-${at % 20}.tool_${at}`,
    modelName: `team-${at % 20}__tool_${at}`,
  }),
);
const calls: Validated[] = tools.map((tool, at) => {
  const call = injectedCall(tool);
  return {
    ...call,
    input: { ...call.input, arguments: { path: `/srv/project-${at}/notes.txt`, command: "ls" } },
  };
});

/** None of them matches, so each that is about the tool is looked at to the end. */
const kinds: Record<string, (at: number) => PolicyRule> = {
  "by tool": (at) => ({ tool: `other-${at}.*`, verdict: "deny" }),
  "by server and group": (at) => ({
    server: `team-${at % 20}`,
    groups: [`group-${at}`],
    verdict: "ask",
  }),
  "by an argument of every tool": (at) => ({
    arguments: { path: `/etc/part-${at}/**` },
    verdict: "ask",
  }),
  "by a pattern of one server": (at) => ({
    server: `team-${at % 20}`,
    arguments: { command: { regex: `^rm .*-${at}$` } },
    verdict: "ask",
  }),
};
const makers = Object.values(kinds);
const variants: Record<string, PolicyRule[]> = {
  "no rule": [],
  "1,000 mixed": Array.from({ length: 1_000 }, (_, at) =>
    (makers[at % makers.length] as (at: number) => PolicyRule)(at),
  ),
  ...Object.fromEntries(
    Object.entries(kinds).map(([name, make]) => [
      `1,000 ${name}`,
      Array.from({ length: 1_000 }, (_, at) => make(at)),
    ]),
  ),
};

async function microsecondsPerCall(rules: PolicyRule[]): Promise<number> {
  const policy: Policy = { profile: "personal", mode: "build", rules, effects: {} };
  const decide = createPolicy({
    policy: () => policy,
    isIsolated: () => false,
    targetsOf: () => [],
  });
  for (const call of calls) await decide(call, "guarded");
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    for (let at = 0; at < callsPerRound; at++)
      await decide(calls[at % calls.length] as Validated, "guarded");
    times.push(((performance.now() - startedAt) * 1_000) / callsPerRound);
  }
  return median(times);
}

const measured: Record<string, number> = {};
for (const [name, rules] of Object.entries(variants))
  measured[name] = await microsecondsPerCall(rules);
const bars: Bar[] = [
  {
    name: "1,000 mixed rules",
    value: measured["1,000 mixed"] ?? Number.NaN,
    limit: 20,
    unit: "µs",
  },
];
if (values.json) console.log(JSON.stringify({ measured, bars }));
else {
  console.log(
    renderTable(
      ["rules", "µs a call"],
      Object.entries(measured).map(([name, value]) => [name, value.toFixed(2)]),
    ),
  );
  console.log(`\n${renderBars(bars)}`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
