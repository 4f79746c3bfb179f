import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openLocalPlane } from "../../src/local-plane.ts";
import { freePort } from "../../test/fixtures/free-port.ts";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { type Agent, createAgent, createHand } from "../../test/scenarios/signing-by-hand.ts";
import { startServeProcess, writeConfig } from "../../test/scenarios/support.ts";
import { password } from "../../test/workbench/signing-world.ts";
import { type Bar, isMissed, median, renderBars, renderTable } from "../report.ts";

const { values } = parseArgs({
  options: { json: { type: "boolean" }, flows: { type: "string", default: "400" } },
});
const flows = Number(values.flows);
const people = Array.from({ length: 8 }, (_, at) => `person-${at}@example.org`);
/** Linux counts the time of a process in these. */
const ticksPerSecond = 100;

type Measured = { perSecond: number; processorMs: number };

await using directory = await temporaryDirectory();
const port = await freePort();
const url = `http://localhost:${port}`;
const config = await writeConfig(
  directory,
  {},
  { auth: { publicUrl: url, server: { enabled: true } } },
);
const data = directory.file("data");
await using serving = await startServeProcess(config, data, String(port));
const place = { files: [config], directory: process.cwd(), dataDirectory: data };
await using plane = await openLocalPlane({
  ...place,
  user: undefined,
  groups: [],
  persona: undefined,
});
const hand = createHand({
  url,
  withPlane: (work: (one: typeof plane) => unknown) => work(plane),
} as never);

function processorSeconds(): number {
  const fields =
    readFileSync(`/proc/${serving.process.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** All people at once, each one flow after the other. */
async function measure(count: number, flow: (person: number) => Promise<void>): Promise<Measured> {
  const [startedAt, before] = [performance.now(), processorSeconds()];
  let left = count;
  await Promise.all(
    people.map(async (_, at) => {
      while (left-- > 0) await flow(at);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    perSecond: count / seconds,
    processorMs: ((processorSeconds() - before) * 1_000) / count,
  };
}

type Known = { clientId: string; agent: Agent; refreshToken: string };
const known: Known[] = [];
for (const user of people) {
  await hand.invite(user);
  const { clientId, agent, refresh_token: refreshToken } = await hand.signIn(user);
  known.push({ clientId, agent, refreshToken });
}
const at = (person: number) => known[person] as Known;
let token = "";

/** From the request of a client to its tokens; the consent is remembered. */
async function complete(person: number, agent: Agent): Promise<void> {
  const { clientId } = at(person);
  const asked = hand.request(clientId);
  const back = await hand.allow(agent, asked.path, people[person] ?? "");
  const answer = await hand.exchange(clientId, back, asked.verifier);
  if (answer.status !== 200) throw new Error(answer.text);
  const given = answer.json() as { access_token: string; refresh_token: string };
  token = given.access_token;
  at(person).refreshToken = given.refresh_token;
}
const signedIn = (person: number) => complete(person, at(person).agent);
const asGuest = (person: number) => complete(person, createAgent(url));
async function renew(person: number): Promise<void> {
  const one = at(person);
  const answer = await hand.refresh(one.clientId, one.refreshToken);
  if (answer.status !== 200) throw new Error(answer.text);
  one.refreshToken = String(answer.json().refresh_token);
}

/** Processor time: the machine may be busy with other things. */
async function verifyMicroseconds(): Promise<number> {
  const [rounds, each] = [9, 500];
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let done = 0; done < each; done++)
      await plane.identity.identify(token, { at: `${url}/mcp` });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / each);
  }
  return median(times.slice(1));
}

await measure(flows / 4, signedIn);
const measured: Record<string, Measured> = {
  "signed in already: authorize, code, tokens": await measure(flows, signedIn),
  "renewed tokens": await measure(flows, renew),
  [`with the password (${password.length} characters): page, password, code, tokens`]:
    await measure(flows / 4, asGuest),
};
const verified = await verifyMicroseconds();
const [first] = Object.values(measured) as [Measured];
const bars: Bar[] = [
  {
    name: "processor time of a sign-in, for 100 a second on two cores",
    value: first.processorMs,
    limit: 20,
    unit: "ms",
  },
  { name: "a token verified in memory", value: verified, limit: 1_000, unit: "µs" },
];
const load = loadavg()[0]?.toFixed(1);
if (values.json) console.log(JSON.stringify({ measured, verified, bars, load }));
else {
  const rows = Object.entries(measured).map(([name, { perSecond, processorMs }]) => [
    name,
    perSecond.toFixed(0),
    processorMs.toFixed(1),
  ]);
  console.log(renderTable(["flow", "a second", "ms of processor time in the plane"], rows));
  console.log(`\nLoad of the machine: ${load}.\n\n${renderBars(bars)}`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
