import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareVersions, parseVersion, parseVersionRange } from "./semver.ts";

const parsed = (text: string) => {
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
      const order = (left: string, right: string) =>
        Math.sign(compareVersions(parsed(left), parsed(right)));
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

function accepts(range: string, version: string): boolean {
  const parsed = parseVersionRange(range);
  assert.ok("accepts" in parsed, `'${range}' is a range: ${JSON.stringify(parsed)}`);
  return parsed.accepts(version);
}

const cases: [range: string, inside: string[], outside: string[]][] = [
  ["1.2", ["1.2", "1.2.0", "v1.2.0", "1.2.0+build"], ["1.2.1", "1.2.0-beta", "1.3.0"]],
  ["=1.2.0", ["1.2.0"], ["1.2.1"]],
  ["==1.2.0", ["1.2"], ["1.2.1"]],
  ["!=1.2.0", ["1.2.1", "1.2.0-rc"], ["1.2.0", "1.2"]],
  [">1.2", ["1.2.1", "2.0.0"], ["1.2.0", "1.1.9"]],
  [">=1.2", ["1.2.0", "1.2.1-beta"], ["1.2.0-beta", "1.1.0"]],
  ["<2", ["1.9.9", "2.0.0-beta"], ["2.0.0", "2.0.1"]],
  ["<=2", ["2.0.0"], ["2.0.1"]],
  [">=1.0,<2.0", ["1.0.0", "1.99.0"], ["0.9.9", "2.0.0"]],
  [">= 1.0 , < 2.0", ["1.0.0"], ["2.0.0"]],
  [">=1.0 <2.0 !=1.5", ["1.4.0"], ["1.5.0"]],
  ["^1.2.3", ["1.2.3", "1.9.0", "1.2.4-beta"], ["1.2.2", "2.0.0", "2.0.0-beta", "1.2.3-beta"]],
  ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.3.0-0", "0.2.2"]],
  ["^0.0.3", ["0.0.3"], ["0.0.4", "0.0.4-alpha"]],
  ["^0.0", ["0.0.0", "0.0.9"], ["0.1.0"]],
  ["^0", ["0.0.0", "0.9.9"], ["1.0.0"]],
  ["^1", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.0"]],
  ["^1.2.3-beta.2", ["1.2.3-beta.2", "1.2.3", "1.9.0"], ["1.2.3-beta.1", "2.0.0-0"]],
  ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.3.0-beta", "1.2.2"]],
  ["~1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
  ["~1", ["1.0.0", "1.9.0"], ["2.0.0"]],
  ["~>1.2", ["1.2.5"], ["1.3.0"]],
  ["1.x", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.9", "2.0.0-0", "1.0.0-beta"]],
  ["1.2.*", ["1.2.0", "1.2.9"], ["1.3.0", "1.1.9"]],
  ["1.X.x", ["1.5.0"], ["2.0.0"]],
  ["*", ["0.0.0", "1.0.0-beta", "99.0.0"], ["latest"]],
  [">1.x", ["2.0.0"], ["1.9.9", "0.1.0"]],
  [">=1.x", ["1.0.0", "3.0.0"], ["0.9.9"]],
  ["<1.2.x", ["1.1.9"], ["1.2.0", "1.3.0"]],
  ["<=1.2.x", ["1.2.9", "1.0.0"], ["1.3.0"]],
  ["!=1.x", ["2.0.0", "0.1.0"], ["1.0.0", "1.9.9"]],
  ["^1.x", ["1.5.0"], ["2.0.0"]],
  ["1.2 || ^3", ["1.2.0", "3.4.5"], ["1.3.0", "2.0.0", "4.0.0"]],
  ["<1 || >=2,<3", ["0.1.0", "2.5.0"], ["1.0.0", "3.0.0"]],
];

for (const [range, inside, outside] of cases) {
  test(`'${range}' takes what it says and nothing else`, () => {
    for (const version of inside) assert.ok(accepts(range, version), `${version} belongs to it`);
    for (const version of outside) assert.ok(!accepts(range, version), `${version} does not`);
  });
}

test("a version that is none belongs to no range", () => {
  for (const range of ["*", ">=0", "!=1.0.0", "<99"]) assert.ok(!accepts(range, "newest"), range);
});

const bad: [range: string, problem: RegExp][] = [
  ["", /missing/],
  ["   ", /missing/],
  ["1.0 ||", /missing/],
  ["|| 1.0", /missing/],
  ["banana", /'banana' is not a valid version/],
  [">=one", /'one' is not a valid version/],
  [">=", /'>=' is not a valid clause/],
  [">=1.0,<", /'<' is not a valid clause/],
  ["=>1.0", /not a valid clause|not a valid version/],
  ["1.2.3.4", /not a valid version/],
  ["1.2.3 - 2.0.0", /'-' is not a valid version/],
  ["1.x.3", /not a valid version/],
  ["^^1", /not a valid clause/],
];

for (const [range, problem] of bad) {
  test(`'${range}' is refused with the part that cannot be read`, () => {
    const parsed = parseVersionRange(range);
    assert.match("problem" in parsed ? parsed.problem : "taken", problem);
  });
}

const number = fc.nat({ max: 4 });
const release = fc.tuple(number, number, number).map((parts) => parts.join("."));

test("comparisons agree with the order of versions", () => {
  const agree: Record<string, (order: number) => boolean> = {
    "<": (order) => order < 0,
    "<=": (order) => order <= 0,
    "=": (order) => order === 0,
    "!=": (order) => order !== 0,
    ">=": (order) => order >= 0,
    ">": (order) => order > 0,
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(agree)),
      release,
      release,
      (operator, wanted, version) => {
        const left = parseVersion(version);
        const right = parseVersion(wanted);
        assert.ok(left && right);
        assert.equal(
          accepts(`${operator}${wanted}`, version),
          agree[operator]?.(compareVersions(left, right)),
        );
      },
    ),
  );
});

test("a caret keeps the first part that is not 0, a tilde the minor part", () => {
  fc.assert(
    fc.property(release, release, (wanted, version) => {
      const [low, given] = [wanted, version].map((text) => text.split(".").map(Number)) as [
        number[],
        number[],
      ];
      const isNotBelow = accepts(`>=${wanted}`, version);
      const kept = low.findIndex((part) => part > 0);
      const upTo = kept === -1 ? 2 : kept;
      const keeps = (last: number) =>
        low.slice(0, last + 1).every((part, at) => part === given[at]);
      assert.equal(accepts(`^${wanted}`, version), isNotBelow && keeps(upTo));
      assert.equal(accepts(`~${wanted}`, version), isNotBelow && keeps(1));
    }),
  );
});

test("clauses narrow and alternatives widen", () => {
  const clause = fc
    .tuple(fc.constantFrom("<", "<=", "=", "!=", ">=", ">", "^", "~"), release)
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(clause, clause, release, (first, second, version) => {
      const a = accepts(first, version);
      const b = accepts(second, version);
      for (const joint of [",", " ", ", "])
        assert.equal(accepts(`${first}${joint}${second}`, version), a && b);
      assert.equal(accepts(`${first} || ${second}`, version), a || b);
    }),
  );
});

test("no text breaks the reader", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[\^~<>=!|, .*xX0-9a-z-]{0,12}$/)),
      (text) => {
        const parsed = parseVersionRange(text);
        if ("accepts" in parsed) assert.equal(typeof parsed.accepts("1.2.3"), "boolean");
        else assert.ok(parsed.problem.length > 0);
      },
    ),
  );
});
