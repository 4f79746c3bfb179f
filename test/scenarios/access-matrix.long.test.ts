import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { listed, names, type Person, people, principalFor, tools, world } from "./access-world.ts";
import { type RunningServe, runCli, startServe, writeConfig } from "./support.ts";

type Face = "library" | "http" | "cli";
type Answer = "yes" | "locked" | "hidden" | "refused";

/** Who may use what, said once more in other words than the policy's: nothing of ours decides here. */
function mayUse(person: Person, tool: string): boolean {
  const { groups, persona, ...more } = people[person] as {
    groups: string[];
    persona: string | null;
    workspace?: string;
    compliance?: string;
    tool_groups?: string[];
  };
  const inHr = groups.indexOf("hr") >= 0;
  switch (tool) {
    case "hr.pay":
    case "a_b.c":
    case "wrap_hr":
      return inHr;
    case "lab.mix":
      return groups.indexOf("lab") >= 0;
    case "red.paint":
    case "wrap_red":
      return more.workspace === "red";
    case "med.chart":
      return more.compliance !== "public";
    case "pub.news":
      return more.compliance !== "HIPAA";
    case "off.gone":
    case "wrap_off":
      return false;
    case "kb":
      return more.tool_groups !== undefined;
    case "calendar":
    case "of_clerk":
      return persona === "clerk";
    default:
      return true;
  }
}

/** The local user may ask for every group of tools. */
function expected(
  person: Person,
  tool: string,
  face: Face,
  verb: "list" | "show" | "call",
): Answer {
  const may = mayUse(person, tool) || (tool === "kb" && face === "cli");
  const isAside = tool === "kb" || tool === "research";
  // A caller without persona may look at what any of them has; over HTTP it is listed, too.
  const isOfPersona = (tool === "calendar" || tool === "of_clerk") && !may;
  if (isOfPersona && verb === "list") return face === "http" ? "yes" : "hidden";
  if (tool === "calendar" && verb === "show") return "yes";
  if (verb === "list") return may && !isAside ? "yes" : "hidden";
  if (verb === "call") return may && !isAside ? "yes" : "refused";
  if (may) return "yes";
  if (tool === "lab.mix") return "locked";
  // Who is no persona may look at what any of them has.
  return tool === "of_clerk" ? "refused" : "hidden";
}

/** What was answered, from the code alone. */
function read(code: string | undefined, isLocked: boolean): Answer {
  if (code === undefined) return "yes";
  if (code === "FORBIDDEN") return isLocked ? "locked" : "refused";
  assert.equal(code, "TOOL_NOT_FOUND");
  return "hidden";
}

/** A call is never told more than that it is refused; a server that is off may be said to be off. */
function readCall(code: string | undefined): Answer {
  if (code === undefined) return "yes";
  assert.match(code, /^(FORBIDDEN|TOOL_NOT_FOUND|SERVER_UNAVAILABLE)$/);
  return "refused";
}

type Body = {
  tools: { name: string }[];
  code?: string;
  data?: { locked?: boolean };
  error?: { code: string };
};
type Asked = {
  list(): Promise<string[]>;
  show(tool: string): Promise<Answer>;
  call(tool: string): Promise<Answer>;
};

suite("who may use what", () => {
  let directory: TemporaryDirectory;
  let config: string;
  let plane: Plane;
  let serving: RunningServe;
  const secrets = new Map<Person, string>();

  before(async () => {
    directory = await temporaryDirectory();
    const { mcpServers, ...more } = world;
    config = await writeConfig(directory, mcpServers, more);
    plane = await createPlane({ config, dataDirectory: directory.file("data") });
    for (const person of names)
      secrets.set(person, (await plane.keys.create({ name: person, user: person })).secret);
    serving = await startServe(config, directory.file("data"));
    // All tools are known, so that nothing is hidden only because no one has looked.
    await plane.tools.list({ waitMs: 20_000 });
  });
  after(async () => {
    await serving?.stop();
    await plane?.stop();
    await directory?.[Symbol.asyncDispose]();
  });

  const inLibrary = (person: Person): Asked => {
    const caller = { principal: principalFor(person) };
    return {
      list: () => listed(plane, caller.principal),
      show: (tool) =>
        plane.tools.get(tool, caller).then(
          () => "yes" as const,
          ({ code, data }) => read(code, data.locked === true),
        ),
      call: async (tool) =>
        readCall((await plane.call(tool, { operation: "read" }, caller)).error?.code),
    };
  };
  const overHttp = (person: Person): Asked => {
    const headers = { authorization: `Bearer ${secrets.get(person)}` };
    const ask = async (path: string, body?: object) => {
      const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      return (await (await fetch(`${serving.url}${path}`, { headers, ...more })).json()) as Body;
    };
    return {
      list: async () => (await ask("/tools?limit=1000")).tools.map(({ name }) => name),
      show: async (tool) => {
        const { code, data } = await ask(`/tools/${tool}`);
        return read(code, data?.locked === true);
      },
      call: async (tool) => {
        const { error, code } = await ask(`/tools/${tool}/call`, {
          arguments: { operation: "read" },
        });
        return readCall(code ?? error?.code);
      },
    };
  };
  const onCommandLine = (person: Person): Asked => {
    const flags = [
      "--user",
      person,
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
      "--json",
    ];
    const run = async (...words: string[]) => (await runCli([...words, ...flags])).json();
    return {
      list: async () =>
        ((await run("tools", "list")).tools as { name: string }[]).map(({ name }) => name),
      show: async (tool) => {
        const { error } = await run("tools", "show", tool);
        return read(error?.code, error?.data?.locked === true);
      },
      call: async (tool) => readCall((await run("call", tool, "operation=read")).error?.code),
    };
  };

  const faces: [Face, (person: Person) => Asked, readonly Person[]][] = [
    ["library", inLibrary, names],
    ["http", overHttp, names],
    ["cli", onCommandLine, ["bob", "rita", "clerk"]],
  ];
  for (const [face, as, persons] of faces) {
    for (const person of persons) {
      test(`${person} sees, looks at and calls by ${face} what is theirs and nothing else`, async () => {
        const { list, show, call } = as(person);
        const there = new Set(await list());
        // A command takes its time, so it is asked for one tool of each kind.
        for (const tool of face === "cli" ? tools.filter((_, at) => at % 4 === 1) : tools) {
          const seen = there.has(tool) ? "yes" : "hidden";
          assert.equal(seen, expected(person, tool, face, "list"), `list ${tool}`);
          assert.equal(await show(tool), expected(person, tool, face, "show"), `show ${tool}`);
          assert.equal(await call(tool), expected(person, tool, face, "call"), `call ${tool}`);
        }
        for (const tool of there) assert.ok(tools.includes(tool), `${tool} is not in the table`);
      });
    }
  }
});
