import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { relative } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { PlaneError, reportError } from "../../model/errors.ts";
import { type Keyring, readCommand, readKeychain } from "./read-secret.ts";
import { resolveSecrets } from "./resolve-secrets.ts";

const node = JSON.stringify(process.execPath);

async function errorOf(text: string, directory: string): Promise<PlaneError> {
  const thrown = await resolveSecrets(text, { directory }).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof PlaneError);
  assert.equal(thrown.code, "CONFIG_INVALID");
  return thrown;
}

test("a value without references is given back as it is", async () => {
  const value = { a: ["${USER}", 1, null, true], b: { c: "$${USER} $" } };
  assert.deepEqual(await resolveSecrets(value, { directory: "/" }), value);
});

test("a file is read from the directory of the configuration, without its last line end", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(directory.file("keys"));
  await writeFile(directory.file("keys/a"), "one\n");
  await writeFile(directory.file("b"), "\ufefftwo\r\n");
  await writeFile(directory.file("c"), "three\n\n");
  const value = {
    env: {
      A: "${file:keys/a}",
      B: "x${file:./b}y${file:keys/a}",
      C: `\${file:${directory.file("c")}}`,
    },
    args: ["${file:b}"],
  };
  assert.deepEqual(await resolveSecrets(value, { directory: directory.path }), {
    env: { A: "one", B: "xtwoyone", C: "three\n" },
    args: ["two"],
  });
});

test("~/ is the home directory", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("a"), "one");
  const name = `~/${relative(homedir(), directory.file("a"))}`;
  assert.equal(await resolveSecrets(`\${file:${name}}`, { directory: "/" }), "one");
});

test("what a secret holds is not resolved again", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("a"), "${file:b} $${file:b} ${USER}");
  assert.equal(
    await resolveSecrets("${file:a}", { directory: directory.path }),
    "${file:b} $${file:b} ${USER}",
  );
});

test("an escaped reference is text", async () => {
  assert.equal(await resolveSecrets("$${file:a}", { directory: "/" }), "${file:a}");
});

test("a command gives the first line it prints, and is run once for all who want it", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(
    directory.file("say.mjs"),
    'import { appendFileSync } from "node:fs"; appendFileSync("count", "x"); console.log(`${process.argv[2]}\\nrest`);',
  );
  const text = `\${command:${node} say.mjs 'a; $HOME b'}`;
  const value = await resolveSecrets([text, `<${text}>`], { directory: directory.path });
  assert.deepEqual(value, ["a; $HOME b", "<a; $HOME b>"]);
  assert.equal(await readFile(directory.file("count"), "utf8"), "x");
});

const failures: [text: string, says: RegExp][] = [
  ["${file:none}", /\$\{file:none\} cannot be read: .*none: no such file\. Check the path\./],
  ["${file:.}", /is a directory\. Name a file in it\./],
  ["${file:empty}", /is empty\. Write the secret into it\./],
  ["${command:no-such-program-here x}", /no program 'no-such-program-here'\. Install it/],
  ["${command: }", /no program is named/],
  ["${command:a 'b}", /a quote is not closed\. Close it\./],
  [`\${command:${node} fail.mjs}`, /it failed with 3\. Run it yourself to see why\./],
  [`\${command:${node} silent.mjs}`, /its first line is empty/],
  [
    "${keychain:github}",
    /does not name service and account\. Write it as \$\{keychain:service\/account\}\./,
  ],
  [
    "${keychain:toolplane-test-none/none}",
    /\$\{keychain:toolplane-test-none\/none\} cannot be read: .*keychain/,
  ],
];

for (const [text, says] of failures) {
  test(`${text.replace(node, "node")} fails with its kind, its name and a remedy`, async () => {
    await using directory = await temporaryDirectory();
    await writeFile(directory.file("empty"), "\n");
    await writeFile(directory.file("silent.mjs"), "");
    await writeFile(
      directory.file("fail.mjs"),
      'console.log("hunter2"); console.error("hunter2"); process.exit(3);',
    );
    const error = await errorOf(text, directory.path);
    assert.match(error.message, says);
    assert.doesNotMatch(JSON.stringify(reportError(error)), /hunter2/);
  });
}

test("a secret inside the command itself is not shown", async () => {
  const error = await errorOf("${command:no-such-program --token=hunter2hunter2}", "/");
  assert.match(error.message, /no-such-program/);
  assert.doesNotMatch(JSON.stringify(reportError(error)), /hunter2/);
});

test("a command that does not end is ended", async () => {
  const answer = await readCommand(`${node} -e "setInterval(() => {}, 1000)"`, "/", 300);
  assert.deepEqual(answer, {
    why: "it took longer than 0.3 seconds",
    remedy: "Run it yourself to see why.",
  });
});

test("a command that asks a question gets no answer instead of waiting for one", async () => {
  const script = "process.stdin.on('end', () => console.log('closed')).resume()";
  assert.deepEqual(await readCommand(`${node} -e "${script}"`, "/"), { secret: "closed" });
});

test("a command that prints without end is a failure", async () => {
  const answer = await readCommand(`${node} -e "console.log('x'.repeat(3e6))"`, "/");
  assert.ok("why" in answer);
  assert.match(answer.why, /more than 1 MiB/);
});

function keyringOf(
  read: (service: string, account: string) => Promise<string | null>,
): () => Promise<Keyring> {
  class AsyncEntry {
    readonly getPassword: () => Promise<string | null>;
    constructor(service: string, account: string) {
      this.getPassword = () => read(service, account);
    }
  }
  return async () => ({ AsyncEntry });
}

test("a keychain is asked for service and account, the account being the last part", async () => {
  const load = keyringOf(async (service, account) => `${service}|${account}`);
  assert.deepEqual(await readKeychain("github/ada", load), { secret: "github|ada" });
  assert.deepEqual(await readKeychain("https://a.b/ada", load), { secret: "https://a.b|ada" });
});

test("a missing module, a locked keychain and a missing entry are distinguished", async () => {
  const refuse = () => Promise.reject(new Error("hunter2"));
  const reasons = [
    await readKeychain("a/b", refuse),
    await readKeychain("a/b", keyringOf(refuse)),
    await readKeychain(
      "a/b",
      keyringOf(async () => null),
    ),
  ].map((answer) => ("why" in answer ? answer.why : "none"));
  assert.match(reasons[0] ?? "", /@napi-rs\/keyring is not installed/);
  assert.match(reasons[1] ?? "", /no keychain, or it is locked/);
  assert.match(reasons[2] ?? "", /no such entry/);
});
