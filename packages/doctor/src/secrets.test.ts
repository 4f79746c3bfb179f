import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "@toolplane/test/samples/calls";
import { renderCommandLine } from "./check-command.ts";
import { hideSecrets } from "./doctor.ts";

test("every place of an entry that holds a secret is hidden, wherever its value turns up", () => {
  const hide = hideSecrets(
    sampleServer({
      args: ["--token", "in-args", "--secret=in-flag", "--verbose"],
      env: { API_KEY: "in-env", LEVEL: "loud" },
      headers: { Authorization: "Bearer in-header" },
      auth: { token: "in-auth" },
      url: "https://ada:in%20url@host/path?key=in-query",
    }),
  );
  const text = "in-args in-flag in-env in-header in-auth in%20url in-query";
  assert.equal(hide(text).replaceAll("[redacted]", "").trim(), "");
  assert.equal(hide("loud --verbose host"), "loud --verbose host");
});

test("a command line can be pasted into a shell", () => {
  const definition = sampleServer({
    command: "node",
    args: ["it's.js", "$HOME", "a b", "--token=abcdefgh"],
    env: { TOKEN: "abcdefgh", LEVEL: "2" },
    cwd: "/my files",
  });
  assert.equal(
    renderCommandLine(definition),
    `cd '/my files' && TOKEN='[redacted]' LEVEL=2 node 'it'\\''s.js' '$HOME' 'a b' '--token=***'`,
  );
});
