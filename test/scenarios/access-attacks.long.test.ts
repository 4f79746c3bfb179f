import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type ErrorReport, type Plane } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { type Person, principalFor, secretsOf, world } from "./access-world.ts";
import { errorOf, type RunningServe, runCli, startServe, textsOf, writeConfig } from "./support.ts";

const bob = { principal: principalFor("bob") };
const secret = secretsOf.hr as RegExp;

/** The same error about another name: whatever is different tells which name is real. */
function about(error: Partial<ErrorReport>, name: string): string {
  return JSON.stringify(error).replaceAll(name, "NAME");
}

suite("a caller who tries to see or call what is not theirs", () => {
  let directory: TemporaryDirectory;
  let plane: Plane;
  let serving: RunningServe;
  let flags: string[];
  const keys = new Map<Person, string>();

  before(async () => {
    directory = await temporaryDirectory();
    const { mcpServers, ...more } = world;
    const config = await writeConfig(directory, mcpServers, more);
    flags = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    plane = await createPlane({ config, dataDirectory: directory.file("data") });
    for (const person of ["ann", "bob", "mia"] as const)
      keys.set(person, (await plane.keys.create({ name: person, user: person })).secret);
    serving = await startServe(config, directory.file("data"));
    await plane.tools.list();
    await http("ann", "/tools");
    await http("ann", "/tools/hr.pay/call", { body: {} });
  });
  after(async () => {
    await serving?.stop();
    await plane?.stop();
    await directory?.[Symbol.asyncDispose]();
  });

  async function http(
    person: Person,
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ) {
    const response = await fetch(`${serving.url}${path}`, {
      headers: { ...headers, authorization: `Bearer ${keys.get(person)}` },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : {} };
  }

  test("spells another server's tool in every way there is, and reaches at most their own", async () => {
    const spellings = ["a_b.c", "a_b_c", "a_b__c", "mcp.a_b.c", "mcp_a_b_c", "mcp__a_b__c", "c"];
    for (const asked of [...spellings, { server: "a_b", tool: "c" }]) {
      const outcome = await plane.call(asked, {}, bob);
      if (outcome.ok) assert.deepEqual(textsOf(outcome), ["a:b_c"], String(asked));
      else assert.match(errorOf(outcome).code, /FORBIDDEN|TOOL_NOT_FOUND/);
    }
    assert.deepEqual(
      textsOf(await plane.call("a_b_c", {}, bob)),
      ["a:b_c"],
      "theirs is not in doubt",
    );
  });

  test("gets the same answer for a bare name that another has as for one that no one has", async () => {
    const [real, none] = await Promise.all([
      plane.call("pay", {}, bob),
      plane.call("pax", {}, bob),
    ]);
    assert.equal(about(errorOf(real), "pay"), about(errorOf(none), "pax"));
    assert.doesNotMatch(
      JSON.stringify(real).replaceAll("'pay'", "").replaceAll('"pay"', ""),
      secret,
    );
  });

  for (const hidden of ["hr.pay", "hr_pay", "mcp__hr__pay", "red.paint", "wrap_hr", "wrap_red"]) {
    test(`looks at ${hidden} and learns no more than of a name that no one has`, async () => {
      const other = hidden.replace(/[a-z]$/, "q");
      const ask = (name: string): Promise<ErrorReport> =>
        plane.tools.get(name, bob).then(
          () => assert.fail(`${name} is shown`),
          (error) => error,
        );
      const real = await ask(hidden);
      const none = await ask(other);
      assert.equal(real.code, "TOOL_NOT_FOUND");
      assert.equal(
        about({ message: real.message, data: real.data }, hidden),
        about({ message: none.message, data: none.data }, other),
      );
      const shown = await http("bob", `/tools/${hidden}`);
      const nothing = await http("bob", `/tools/${other}`);
      assert.equal(shown.text.replaceAll(hidden, "NAME"), nothing.text.replaceAll(other, "NAME"));
    });
  }

  test("does the same on the command line", async () => {
    const show = async (name: string) =>
      (await runCli(["tools", "show", name, "--user", "bob", ...flags])).stdout.replaceAll(
        name,
        "NAME",
      );
    assert.equal(await show("hr.pay"), await show("hr.pax"));
    const list = await runCli(["tools", "list", "--user", "bob", ...flags]);
    assert.doesNotMatch(list.stdout, /"hr\.pay"|Salaries/);
  });

  test("mistypes, and no suggestion names what is hidden", async () => {
    for (const name of ["hr.pya", "h.pay", "wrap_h", "a_b.d", "red.pain"]) {
      const outcome = await plane.call(name, {}, bob);
      assert.doesNotMatch(
        JSON.stringify(errorOf(outcome).data.nearest ?? ""),
        /hr|a_b\.|red|wrap_hr/,
      );
    }
  });

  test("asks every list over HTTP, and none names what is hidden", async () => {
    for (const path of [
      "/tools?limit=1000",
      "/servers",
      "/registry/summary",
      "/tools/changes",
      "/prompts",
      "/resources",
    ]) {
      const { status, text } = await http("bob", path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(text, secret, path);
      assert.doesNotMatch(text, secretsOf.red as RegExp, path);
    }
    assert.match((await http("ann", "/tools/changes")).text, secret, "there was something to hide");
  });

  test("reads the events, and sees neither the server nor the calls of others, nor how many tools they have", async () => {
    const pat = { principal: principalFor("pat") };
    const events = await plane.events.list(0, 10_000, pat);
    assert.ok(!secret.test(JSON.stringify(events)));
    const own = (await plane.tools.list({ ...pat, face: "mcp" })).length;
    for (const { event } of events)
      if (event.type === "registry.changed") assert.equal(event.tools, own);
    assert.ok(
      secret.test(JSON.stringify(await plane.events.list())),
      "there was something to hide",
    );
  });

  test("asks for a hidden server as for one that is not there", async () => {
    for (const path of [
      "/tools?server=NAME",
      "/servers/NAME",
      "/prompts?server=NAME",
      "/servers/NAME/resource?uri=a",
    ]) {
      const ask = async (name: string) => {
        const { status, text } = await http("bob", path.replace("NAME", name));
        return [status, text.replaceAll(name, "NAME")];
      };
      assert.deepEqual(await ask("hr"), await ask("zz"), path);
    }
    for (const path of ["/metrics", "/servers/hr/logs", "/keys"])
      assert.equal((await http("bob", path)).status, 403, path);
  });

  test("goes through a tool written by hand, and gets no further", async () => {
    const refused = errorOf(await plane.call("wrap_hr", {}, bob));
    assert.equal(refused.code, "TOOL_NOT_FOUND");
    assert.doesNotMatch(refused.message.replace("wrap_hr", ""), /'hr'|pay/);
    assert.deepEqual(textsOf(await plane.call("wrap_both", {}, bob)), ["open:look"]);
    assert.deepEqual(
      textsOf(await plane.call("wrap_both", {}, { principal: principalFor("ann") })),
      ["hr:pay"],
    );
    assert.doesNotMatch(JSON.stringify(await plane.tools.get("wrap_both", bob)), secret);
  });

  test("says in headers and in the body who they are, and it has no effect", async () => {
    const headers = {
      "x-user": "ann",
      "x-groups": "hr",
      "x-forwarded-user": "ann",
      "x-compliance-level": "HIPAA",
    };
    const body = {
      principal: { user: "ann", groups: ["hr"] },
      groups: ["hr"],
      consent: true,
      user: "ann",
    };
    assert.equal((await http("bob", "/tools/hr.pay/call", { body: {}, headers })).status, 404);
    assert.equal(
      (await http("bob", "/tools/hr.pay/call", { body })).status,
      400,
      "no field of a call says who",
    );
    assert.doesNotMatch((await http("bob", "/tools?limit=1000", { headers })).text, secret);
  });

  test("names a lower level in a call, which can only tighten", async () => {
    const at = async (person: Person, tool: string, compliance: string) =>
      (await http(person, `/tools/${tool}/call`, { body: { compliance } })).status;
    assert.equal(await at("mia", "pub.news", "Public"), 404, "the caller works with HIPAA");
    assert.equal(await at("bob", "pub.news", "HIPAA"), 403, "a narrower level is heard");
    assert.equal(await at("bob", "pub.news", "Public"), 200);
    assert.equal(
      (await http("bob", "/tools/pub.news/call", { body: { compliance: 1 } })).status,
      400,
    );
  });

  test("sees of a locked server its name, what it is for and whom to ask, and nothing else", async () => {
    const { locked } = (await http("bob", "/tools?limit=1000")).body;
    const contact = { author: "Lab team", help_email: "lab@example.org" };
    assert.deepEqual(locked, [
      { name: "lab.mix", description: "The tool mix of lab.", contact, locked: true },
    ]);
    const servers = (await http("bob", "/servers")).body.locked;
    assert.deepEqual(servers, [
      { name: "lab", description: "The laboratory", contact, locked: true },
    ]);
    const refused = await http("bob", "/tools/lab.mix/call", { body: {} });
    assert.deepEqual([refused.status, refused.body.code], [403, "FORBIDDEN"]);
    assert.match(refused.body.detail, /members of lab\. Ask lab@example\.org for access\./);
    assert.equal(
      (await plane.tools.page({}, { principal: principalFor("lars") })).locked,
      undefined,
    );
  });
});
