import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Script } from "node:vm";
import { docsPage } from "../routes/document-routes.ts";
import { script } from "./script.ts";

const { html, policy } = docsPage();

test("the script can be read by a browser", () => {
  assert.doesNotThrow(() => new Script(script));
  assert.doesNotMatch(script, /innerHTML|eval|<\/script/);
});

test("the policy allows what is in the page and nothing from elsewhere", () => {
  for (const element of ["script", "style"]) {
    const inside = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(html)?.[1] ?? "";
    const hash = createHash("sha256").update(inside).digest("base64");
    assert.ok(policy.includes(`${element}-src 'sha256-${hash}'`), element);
  }
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(html, /https?:\/\/|\ssrc=|\sstyle=|\son[a-z]+=/);
});
