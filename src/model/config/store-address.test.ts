import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStoreAddress } from "./settings.ts";

test("an address of Postgres has a schema of its own, and is shown without user and password", () => {
  assert.deepEqual(parseStoreAddress("sqlite"), { kind: "sqlite" });
  assert.deepEqual(
    parseStoreAddress("postgres://ann:secret@db.example:5433/tools?sslmode=require"),
    {
      kind: "postgres",
      url: "postgres://ann:secret@db.example:5433/tools?sslmode=require",
      listenUrl: "postgres://ann:secret@db.example:5433/tools?sslmode=require",
      schema: "toolplane",
      connections: 10,
      shown: "postgres://db.example:5433/tools?schema=toolplane",
    },
  );
  const other = parseStoreAddress("postgresql://db.example/tools?schema=team_a");
  assert.ok("kind" in other && other.kind === "postgres");
  assert.deepEqual([other.schema, other.url], ["team_a", "postgresql://db.example/tools"]);
});

test("an address says how many connections a plane has, and where Postgres is behind a pooler", () => {
  const address =
    "postgres://ann:secret@pool:6432/tools?sslmode=require&connections=4&direct=db.example:5432";
  const found = parseStoreAddress(address);
  assert.ok("kind" in found && found.kind === "postgres");
  assert.deepEqual(
    [found.url, found.listenUrl, found.connections],
    [
      "postgres://ann:secret@pool:6432/tools?sslmode=require",
      "postgres://ann:secret@db.example:5432/tools?sslmode=require",
      4,
    ],
  );
  const other = parseStoreAddress("postgres://ann@pool:6432/tools?direct=[::1]");
  assert.ok("kind" in other && other.kind === "postgres");
  assert.equal(other.listenUrl, "postgres://ann@[::1]/tools");
});

test("what is no address is refused, and nothing of it is repeated", () => {
  const wrong = [
    "mysql://ann:secret@db/tools",
    "secret.db",
    "postgres://",
    "postgres://ann:secret@db.example",
    "postgres://ann:sec/ret@db.example/tools",
    "postgres://ann:sec?ret@db.example/tools",
    "postgres://db.example/tools?schema=Team-A",
    "postgres://db.example/tools?schema=a%22%3B--",
    "postgres://db.example/tools?connections=3",
    "postgres://db.example/tools?connections=--9",
    "postgres://db.example/tools?direct=ann:secret@db",
    "postgres://db.example/tools?direct=db/secret",
    "postgres://db.example/tools?direct=",
  ];
  for (const text of wrong) {
    const found = parseStoreAddress(text);
    assert.ok("problem" in found, text);
    assert.doesNotMatch(found.problem + found.hint, /sec|ret@|Team|--/);
  }
});
