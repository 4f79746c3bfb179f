import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerContainer } from "@toolplane/core/model/servers/server";
import { parseMount, runArguments } from "./open-container.ts";

const container: ServerContainer = {
  image: "example/echo:1.2",
  runtime: "auto",
  network: "none",
  mounts: [],
  memory: "512m",
  pids: 100,
  env: [],
};

test("a mount is readable unless it says otherwise, and its source may have a colon", () => {
  assert.deepEqual(parseMount("/data:/work"), {
    source: "/data",
    target: "/work",
    isWritable: false,
  });
  assert.deepEqual(parseMount("/data:/work:rw"), {
    source: "/data",
    target: "/work",
    isWritable: true,
  });
  assert.deepEqual(parseMount("C:\\data:/work:ro"), {
    source: "C:\\data",
    target: "/work",
    isWritable: false,
  });
});

test("a path with a comma or a quote is one field of its mount", () => {
  const args = runArguments(
    { ...container, mounts: ['/old, "new":/work'] },
    { name: "a", envFile: null, words: [] },
  );
  assert.equal(
    args[args.indexOf("--mount") + 1],
    'type=bind,"source=/old, ""new""",target=/work,readonly',
  );
});

test("words of the server come after the image, so that none is an option of the runtime", () => {
  const args = runArguments(container, {
    name: "a",
    envFile: "/run/a.env",
    words: ["--privileged", "-v"],
  });
  assert.deepEqual(args.slice(args.indexOf("--env-file")), [
    "--env-file",
    "/run/a.env",
    container.image,
    "--privileged",
    "-v",
  ]);
});
