import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareVersions, parseVersion, type Version } from "./semver.ts";

const parsed = (text: string): Version => {
  const version = parseVersion(text);
  assert.ok(version, `'${text}' is a version`);
  return version;
};

/** From the lowest to the highest; written by hand after the specification's own examples. */
const ascending = [
  "0.0.0-0",
  "0.0.0",
  "0.0.1",
  "0.9.0",
  "0.10.0",
  "1.0.0-0",
  "1.0.0-1",
  "1.0.0-2",
  "1.0.0-10",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.1-0",
  "1.0.1",
  "1.2.0",
  "1.10.0",
  "2.0.0-alpha-7",
  "2.0.0",
  "2024.1.5",
];

test("versions are ordered as in a list made by hand", () => {
  for (const [at, left] of ascending.entries()) {
    for (const [other, right] of ascending.entries()) {
      const order = Math.sign(compareVersions(parsed(left), parsed(right)));
      assert.equal(order, Math.sign(at - other), `${left} against ${right}`);
    }
  }
});

test("missing parts are 0, a leading v and what is behind a plus say nothing", () => {
  for (const spelling of ["1.2", "1.2.0", "v1.2", "1.2.0+build.7", "01.02.0"]) {
    assert.equal(compareVersions(parsed(spelling), parsed("1.2.0")), 0, spelling);
  }
  assert.equal(compareVersions(parsed("1-rc.1+x"), parsed("1.0.0-rc.1")), 0);
});

test("what is no version is none", () => {
  for (const text of [
    "",
    " ",
    "x",
    "latest",
    "1.2.3.4",
    "1.",
    ".1",
    "1..2",
    "1.0.0-",
    "1.0.0-a..b",
    "-1",
    "1.2.3 4",
  ]) {
    assert.equal(parseVersion(text), null, text);
  }
});

const part = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 12 }));
const identifier = fc.constantFrom("0", "1", "2", "11", "alpha", "beta", "rc", "a-1", "x");
const version = fc
  .tuple(part, part, part, fc.array(identifier, { maxLength: 3 }))
  .map(([major, minor, patch, suffix]) => {
    const core = `${major}.${minor}.${patch}`;
    return suffix.length === 0 ? core : `${core}-${suffix.join(".")}`;
  });

test("the order is one: a version equals itself, turning round turns the sign, and it goes on from one to the next", () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      const order = (left: string, right: string) => Math.sign(compareVersions(parsed(left), parsed(right)));
      assert.equal(order(a, a), 0);
      assert.equal(order(a, b) + order(b, a), 0);
      if (order(a, b) <= 0 && order(b, c) <= 0) assert.ok(order(a, c) <= 0, `${a} ${b} ${c}`);
    }),
  );
});

test("a release is above all of its prereleases and below those of the next patch", () => {
  fc.assert(
    fc.property(part, part, part, identifier, (major, minor, patch, suffix) => {
      const release = parsed(`${major}.${minor}.${patch}`);
      assert.ok(compareVersions(parsed(`${major}.${minor}.${patch}-${suffix}`), release) < 0);
      assert.ok(compareVersions(parsed(`${major}.${minor}.${patch + 1}-${suffix}`), release) > 0);
    }),
  );
});
