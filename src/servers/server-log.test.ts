import assert from "node:assert/strict";
import { test } from "node:test";
import { isWholeTier } from "../../test/fixtures/tier.ts";
import { growthOf, maxGrowth } from "../../test/samples/growth.ts";
import { createHider } from "../lib/text/redact.ts";
import { createServerLog } from "./server-log.ts";

const sample = (...secrets: string[]) => createServerLog(createHider(secrets));
const texts = (log: ReturnType<typeof createServerLog>) => log.lines().map(({ text }) => text);

test("a stream becomes its lines, wherever it was cut, and the last one needs no end", () => {
  const log = sample();
  for (const piece of ["fir", "st\nsec", "ond\r\n\n  \nth", "ird"]) log.addText(piece);
  assert.deepEqual(texts(log), ["first", "second", "third"]);
  log.addText(" and more\n");
  assert.deepEqual(texts(log), ["first", "second", "third and more"]);
  assert.ok(
    log.lines().every(({ source, at }) => source === "stderr" && !Number.isNaN(Date.parse(at))),
  );
});

test("what the server logs and what is no message stand beside what it writes, in order", () => {
  const log = sample();
  log.addText("one\n");
  log.add({ source: "log", level: "warning", text: "two" });
  log.add({ source: "noise", text: "three" });
  assert.deepEqual(
    log.lines().map(({ at: _, ...line }) => line),
    [
      { source: "stderr", text: "one" },
      { source: "log", level: "warning", text: "two" },
      { source: "noise", text: "three" },
    ],
  );
});

test("of a flood the end stays, within the limit", () => {
  const log = sample();
  for (let chunk = 0; chunk < 100; chunk++) log.addText(`${"x".repeat(99)}\n`.repeat(100));
  log.addText("the end\n");
  const kept = texts(log);
  assert.equal(kept.at(-1), "the end");
  assert.ok(kept.join("").length <= 64 * 1024);
  assert.ok(kept.length > 300);
});

test("a flood without a line break, in one piece or in many, is cut as well", () => {
  const one = sample();
  one.addText(`${"word ".repeat(isWholeTier ? 1_000_000 : 100_000)}tail`);
  const many = sample();
  for (let chunk = 0; chunk < 1_000; chunk++) many.addText("word ".repeat(1_000));
  for (const log of [one, many]) assert.ok(texts(log).join("").length <= 64 * 1024);
  assert.match(texts(one).at(-1) ?? "", /tail$/);
});

test("a flood of the shortest lines costs no more than one of long ones", () => {
  const growth = growthOf((size) => sample().addText("a\n".repeat(size)), 4_096);
  assert.ok(growth < maxGrowth, `eight times as much took ${growth} times as long`);
});

test("one long line is cut", () => {
  const log = sample();
  log.addText(`${"word ".repeat(10_000)}\n`);
  log.add({ source: "log", text: "word ".repeat(10_000) });
  for (const text of texts(log)) assert.ok(text.length <= 4 * 1024 + 20);
});

test("secrets are hidden: those that are known and those that look like one", () => {
  const log = sample("tr0ub4dor&3");
  log.addText("with tr0ub");
  log.addText("4dor&3 and token=abcdefgh12345\n");
  log.add({ source: "log", text: "tr0ub4dor&3" });
  log.addText("unfinished tr0ub4dor&3");
  assert.deepEqual(texts(log), [
    "with [redacted] and token=[redacted]",
    "[redacted]",
    "unfinished [redacted]",
  ]);
});

test("what is a secret is asked when the log is read, also for lines from before", () => {
  let secrets: string[] = [];
  const log = createServerLog((text) => createHider(secrets)(text));
  log.addText("it is hunter2hunter2\n");
  secrets = ["hunter2hunter2"];
  assert.deepEqual(texts(log), ["it is [redacted]"]);
});

const secret = "correct-horse-battery-staple-0123456789";

test("a secret that stands where a line is cut does not leak in part", () => {
  for (let shift = 0; shift < secret.length; shift++) {
    const log = sample(secret);
    log.addText(`${"x".repeat(4 * 1024 - 1 - shift)} ${secret} and more\n`);
    assert.doesNotMatch(texts(log).join(""), /correct|horse|battery|staple/, `cut after ${shift}`);
  }
});

test("a secret that stands where a flood is cut does not leak in part", () => {
  for (let shift = 1; shift < secret.length; shift += isWholeTier ? 1 : 6) {
    const log = sample(secret);
    log.addText(
      `${secret}\n${"x\n".repeat(32 * 1024)}`.slice(0, 64 * 1024 + secret.length - shift),
    );
    assert.doesNotMatch(texts(log).join(""), /staple|6789/, `cut before the last ${shift}`);
  }
});

test("a secret that stands where an unfinished line is cut does not leak in part", () => {
  for (let shift = 5; shift < secret.length; shift++) {
    const log = sample(secret);
    log.addText(`${secret}${" x".repeat(2 * 1024).slice(0, 4 * 1024 - shift)}`);
    assert.doesNotMatch(texts(log).join(""), /staple|6789/, `cut before the last ${shift}`);
  }
});

test("a secret of several lines is hidden line by line", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----";
  const log = sample(key);
  log.addText(`using\n${key}\n`);
  assert.doesNotMatch(texts(log).join("\n"), /MIIEvQ|hkiG9w/);
});

test("escape sequences and control characters do not reach a reader", () => {
  const log = sample();
  log.addText("\u001b[31mred\u001b[0m \u0007bell \u202eright\n");
  assert.deepEqual(texts(log), ["red bell right"]);
});

test("a follower gets each whole line of their own, without secrets, until they leave", () => {
  const log = sample("hunter2");
  const heard: string[] = [];
  const leave = log.follow("ann", ({ text }) => heard.push(text));
  log.addText("the password is hun");
  assert.deepEqual(heard, []);
  log.addText("ter2\nnext");
  log.of("ann").add({ source: "log", level: "info", text: "to ann" });
  log.of("bob").add({ source: "log", level: "info", text: "to bob" });
  leave();
  log.addText(" line\n");
  assert.equal(heard.length, 2);
  assert.match(heard[0] ?? "", /^the password is (?!hunter2)/);
  assert.equal(heard[1], "to ann");
});
