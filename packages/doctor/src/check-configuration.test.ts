import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerDefinition } from "@toolplane/core/model/servers/server";
import { checkBroken, checkEnvironment } from "./check-configuration.ts";

const broken: [reason: string, fix: RegExp][] = [
  [
    "env.TOKEN: environment variable API_TOKEN is not set",
    /^Set API_TOKEN, or .*\$\{API_TOKEN:-default\} in 'env.TOKEN' of 'notes'/,
  ],
  [
    "notes: neither 'command' nor 'url' is given",
    /^Add 'command' .* or 'url' .* to server 'notes'/,
  ],
  ["notes: stdio needs a 'command'", /^Add 'command' to server 'notes'/],
  ["timeoutMs: must be a number, not a string", /^Correct 'timeoutMs' of 'notes'/],
];

for (const [reason, fix] of broken) {
  test(`an entry that is out of order is reported with what to change: ${reason}`, () => {
    const check = checkBroken("notes", reason);
    assert.deepEqual([check.name, check.ok, check.detail], ["configuration", false, `${reason}.`]);
    assert.match(check.fix ?? "", fix);
  });
}

test("a placeholder of a page in env, headers and auth is named, with the variable to set", () => {
  const local = checkEnvironment(
    ServerDefinition.parse({
      transport: "stdio",
      command: "notes-server",
      env: {
        NOTES_TOKEN: "<YOUR_TOKEN>",
        API_KEY: "API_KEY",
        URL: "https://app:s3cret@your-host/",
      },
    }),
  );
  assert.equal(
    local.detail,
    "env.NOTES_TOKEN still contains <YOUR_TOKEN>, which nothing has filled in. env.API_KEY still contains API_KEY, " +
      "which nothing has filled in. env.URL still contains your-host, which nothing has filled in.",
  );
  assert.equal(
    local.fix,
    "Replace <YOUR_TOKEN> in env.NOTES_TOKEN with its value, or with ${NOTES_TOKEN} and set that variable.",
  );
  const remote = checkEnvironment(
    ServerDefinition.parse({
      transport: "http",
      url: "https://notes.example.org/mcp",
      headers: { Authorization: "Bearer your-api-key-here" },
      auth: { token: "xxx" },
    }),
  );
  assert.equal(
    remote.detail,
    "headers.Authorization still contains your-api-key-here, which nothing has filled in. " +
      "auth.token still contains xxx, which nothing has filled in.",
  );
});

test("real values in env and headers are left alone", () => {
  const env = {
    TOKEN: "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    PROJECT: "my-project",
    FORMAT: "{message}",
  };
  assert.equal(
    checkEnvironment(ServerDefinition.parse({ transport: "stdio", command: "notes-server", env }))
      .ok,
    true,
  );
});
