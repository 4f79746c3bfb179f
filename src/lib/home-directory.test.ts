import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { homeDirectory } from "./files.ts";

const home = process.env.HOME;
test.afterEach(() => {
  if (home === undefined) delete process.env.HOME;
  else process.env.HOME = home;
});

test("the home directory is what HOME says", () => {
  process.env.HOME = "/home/ann";
  assert.equal(homeDirectory(), "/home/ann");
});

test("an empty HOME, or none, is what the system knows of the user and never the working directory", () => {
  process.env.HOME = "";
  assert.equal(homeDirectory(), userInfo().homedir);
  delete process.env.HOME;
  assert.equal(homeDirectory(), userInfo().homedir);
});
