import assert from "node:assert/strict";
import { rm, symlink } from "node:fs/promises";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { skillText, writeFiles } from "../fixtures/skill-folder.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "./support.ts";

const eras: readonly Era[] = ["legacy", "modern"];
const knows = { extensions: { "io.modelcontextprotocol/skills": {} } };

type Skill = { uri: string; frontmatter: JsonObject; resources: { uri: string; size: number }[] };

async function skillsOf(client: EraClient): Promise<Skill[]> {
  return (await client.request("skills/list")).skills as Skill[];
}

async function textAt(client: EraClient, uri: string): Promise<string> {
  const { contents } = await client.request("resources/read", { uri });
  return String((contents as { text: string }[])[0]?.text);
}

const refused = async (client: EraClient, method: string, uri: string) =>
  JSON.stringify((await client.exchange(method, { uri })).reply.error ?? null);

for (const era of eras) {
  test(`a ${era} client gets the skills of a folder beside those of servers`, async () => {
    await using directory = await temporaryDirectory();
    await writeFiles(directory.path, {
      "refunds/SKILL.md": skillText("refunds", "How to refund."),
      "refunds/forms/mail.md": "Dear customer",
      "team/greet/SKILL.md": skillText("greet", "How to greet."),
      "team/greet/picture.png": Uint8Array.of(0x89, 0x50, 0xff, 0),
      "notes.txt": "no skill",
    });
    await using gateway = await startGateway({
      own: { skills: directory.path },
      desk: fixture("skilled", []),
    });
    const client = await EraClient.open(gateway.url, era, { capabilities: knows });
    await client.request("tools/list");
    const skills = await skillsOf(client);
    assert.deepEqual(
      skills.map(({ uri }) => uri),
      [
        "skill://own.toolplane/refunds/SKILL.md",
        "skill://own.toolplane/team/greet/SKILL.md",
        "skill://desk.toolplane/team/refunds/SKILL.md",
      ],
    );
    assert.match(await textAt(client, String(skills[0]?.uri)), /How to refund/);
    assert.equal(
      await textAt(client, "skill://own.toolplane/refunds/forms/mail.md"),
      "Dear customer",
    );
    const { contents } = await client.request("resources/read", {
      uri: "skill://own.toolplane/team/greet/picture.png",
    });
    assert.equal((contents as { blob: string }[])[0]?.blob, "iVD/AA==");
    const { resources } = await client.request("resources/directory/read", {
      uri: "skill://own.toolplane/refunds",
    });
    assert.deepEqual(
      (resources as JsonObject[]).map(({ uri, mimeType }) => [uri, mimeType]),
      [
        ["skill://own.toolplane/refunds/SKILL.md", undefined],
        ["skill://own.toolplane/refunds/forms", "inode/directory"],
      ],
    );
    assert.match(
      await refused(client, "skills/get", "skill://own.toolplane/none/SKILL.md"),
      /-32602/,
    );
    assert.match(
      await refused(client, "resources/read", "skill://own.toolplane/notes.txt"),
      /-32602|-32002/,
    );
  });

  test(`the official ${era} client verifies the skills of a folder`, async () => {
    await using directory = await temporaryDirectory();
    const head =
      "name: deep\ndescription: >-\n  A text over\n  two lines\nmetadata:\n  version: '1.0'\nlicense: MIT # words\nallowed-tools: [a, b]\n";
    await writeFiles(directory.path, {
      "deep/SKILL.md": `\ufeff---\r\n${head.replaceAll("\n", "\r\n")}---\r\nBody\r\n`,
      "deep/scripts/run.sh": "echo hi\n",
      "numbered/SKILL.md": "---\nname: numbered\ndescription: x\nmetadata:\n  version: 1.0\n---\n",
      "wordy/SKILL.md": `---\nname: wordy\ndescription: x\ncompatibility: ${"x".repeat(501)}\n---\n`,
    });
    await using gateway = await startGateway({ own: { skills: directory.path } });
    await gateway.plane.prompts.list();
    const client = new Client(
      { name: "host", version: "1.0.0" },
      {
        capabilities: knows,
        ...(era === "modern" ? { versionNegotiation: { mode: "auto" as const } } : {}),
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const skills = new SkillsClient(client);
    assert.equal(skills.supported, true);
    const { skills: listed } = await skills.list();
    const [skill] = listed;
    assert.ok(skill && listed.length === 1, "one wrong skill would make the client refuse all");
    const read = await skills.read(skill);
    assert.deepEqual(
      [read.verified, read.frontmatter?.description],
      [true, "A text over two lines"],
    );
    assert.equal((await skills.read(skill, "scripts/run.sh")).text, "echo hi\n");
    await client.close();
  });

  test(`a ${era} client without the extension has the skills of a folder as prompts and resources`, async () => {
    await using directory = await temporaryDirectory();
    await writeFiles(directory.path, {
      "one/greet/SKILL.md": skillText("greet", "How one greets."),
      "two/greet/SKILL.md": skillText("greet", "How two greets."),
    });
    await using gateway = await startGateway({ own: { skills: directory.path } });
    const client = await EraClient.open(gateway.url, era);
    await client.request("tools/list");
    const { prompts } = await client.request("prompts/list");
    const names = (prompts as JsonObject[]).map(({ name }) => name);
    assert.deepEqual(
      names,
      ["own__skill_one_greet", "own__skill_two_greet"],
      "equal names have their paths",
    );
    const { messages } = await client.request("prompts/get", { name: "own__skill_two_greet" });
    assert.match(JSON.stringify(messages), /How two greets/);
    const { resources } = await client.request("resources/list");
    assert.deepEqual(
      (resources as JsonObject[]).map(({ uri }) => uri),
      ["skill://own.toolplane/one/greet/SKILL.md", "skill://own.toolplane/two/greet/SKILL.md"],
    );
  });
}

test("a folder that changes is read again; the changed skill waits for a person, the new one is there", async () => {
  await using directory = await temporaryDirectory();
  await writeFiles(directory.path, { "greet/SKILL.md": skillText("greet", "How to greet.") });
  await using gateway = await startGateway({ own: { skills: directory.path } });
  const client = await EraClient.open(gateway.url, "modern", { capabilities: knows });
  await client.request("tools/list");
  const uri = "skill://own.toolplane/greet/SKILL.md";
  assert.deepEqual(
    (await skillsOf(client)).map((skill) => skill.uri),
    [uri],
  );
  await gateway.plane.pins.list({});
  await writeFiles(directory.path, {
    "greet/SKILL.md": skillText("greet", "How to greet.", "# Another\n"),
    "wave/SKILL.md": skillText("wave", "How to wave."),
  });
  await until("the change", async () => {
    const now = (await skillsOf(client)).map((skill) => skill.uri);
    return now.length === 1 && now[0] === "skill://own.toolplane/wave/SKILL.md";
  });
  assert.match(await refused(client, "skills/get", uri), /TOOL_QUARANTINED/);
  await gateway.plane.pins.accept("skill:own/skill://greet/SKILL.md", {});
  assert.match(await textAt(client, uri), /Another/);
  await rm(directory.file("wave"), { recursive: true });
  await until("the removal", async () => (await skillsOf(client)).length === 1);
});

test("links, hidden files and what is no skill are not served, and a link that takes the place of a file is refused", async () => {
  await using outside = await temporaryDirectory();
  await using directory = await temporaryDirectory();
  await writeFiles(outside.path, {
    "secret.txt": "the secret",
    "linked/SKILL.md": skillText("linked", "Elsewhere."),
  });
  await writeFiles(directory.path, {
    "good/SKILL.md": skillText("good", "Good."),
    "good/notes.md": "notes",
    "good/.env": "TOKEN=1",
    "inner/SKILL.md": skillText("inner", "With a link inside."),
    "renamed/SKILL.md": skillText("other", "Not called as its directory is."),
    "plain/SKILL.md": "# no frontmatter\n",
    "broken/SKILL.md": "---\nname: [broken\n---\n",
    "polluted/SKILL.md": "---\nname: polluted\ndescription: x\n__proto__:\n  admin: true\n---\n",
    "silent/SKILL.md": "---\nname: silent\n---\n",
  });
  await symlink(outside.file("linked"), directory.file("linked"));
  await symlink(outside.file("secret.txt"), directory.file("inner/secret.txt"));
  await using gateway = await startGateway({ own: { skills: directory.path } });
  const client = await EraClient.open(gateway.url, "modern", { capabilities: knows });
  await client.request("tools/list");
  const skills = await skillsOf(client);
  assert.deepEqual(
    skills.map((skill) => skill.resources.map((one) => one.uri)),
    [["skill://own.toolplane/good/SKILL.md", "skill://own.toolplane/good/notes.md"]],
  );
  const root = "skill://own.toolplane";
  const addresses = [
    "inner/secret.txt",
    "linked/SKILL.md",
    "good/../../secret.txt",
    "good/.env",
    "good/%2e%2e/%2e%2e",
  ];
  for (const address of addresses)
    assert.notEqual(await refused(client, "resources/read", `${root}/${address}`), "null", address);
  await rm(directory.file("good/notes.md"));
  await symlink(outside.file("secret.txt"), directory.file("good/notes.md"));
  const answer = JSON.stringify(
    await client.exchange("resources/read", { uri: `${root}/good/notes.md` }),
  );
  assert.doesNotMatch(answer, /the secret/);
  await rm(directory.file("good"), { recursive: true });
  await symlink(outside.path, directory.file("good"));
  assert.notEqual(await refused(client, "resources/read", `${root}/good/SKILL.md`), "null");
});

test("a folder that is not there is a server that is not available, and the reason says what to correct", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startGateway({ own: { skills: directory.file("none") } });
  await gateway.plane.servers.connect("own").catch(() => undefined);
  const { error } = await gateway.plane.servers.get("own");
  assert.match(
    String(error),
    /folder of skills cannot be read: there is no such file or directory. Correct 'skills'/,
  );
});
