import assert from "node:assert/strict";
import { chmodSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { strangerIn } from "../../lib/private-directory.ts";
import { claimDirectories, planePlace, readPlaneRecord, servingPlanes } from "./plane-place.ts";

test("the same files in the same data directory are one place, whatever link leads there", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("toolplane.json");
  writeFileSync(file, "{}");
  mkdirSync(directory.file("data"));
  symlinkSync(directory.path, directory.file("link"));
  const place = planePlace({ dataDirectory: directory.file("data"), files: [file] });
  const linked = planePlace({
    dataDirectory: directory.file("link/data"),
    files: [directory.file("link/toolplane.json")],
  });
  assert.equal(linked.socket, place.socket);
  const other = planePlace({
    dataDirectory: directory.file("data"),
    files: [file, directory.file("b.json")],
  });
  assert.notEqual(other.id, place.id);
  assert.notEqual(planePlace({ dataDirectory: directory.path, files: [file] }).id, place.id);
});

test("on Windows the place is a pipe that is named after it", async () => {
  await using directory = await temporaryDirectory();
  const where = { dataDirectory: directory.path, files: ["a.json"] };
  const { id, socket, directories } = planePlace({ ...where, platform: "win32" });
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.equal(socket, `\\\\.\\pipe\\toolplane-${id}`);
  assert.equal(planePlace({ ...where, platform: "linux" }).id, id);
  assert.equal(directories.length, 1);
});

test("a path that is too long for a socket gives way to a directory of this user's own", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.file("d".repeat(120));
  const { socket, directories } = planePlace({ dataDirectory, files: [], platform: "linux" });
  assert.ok(socket.length <= 100, socket);
  assert.deepEqual([directories.length, directories[1]], [2, join(socket, "..")]);
});

test("a directory that is open to others is closed, and one that is a link is not used", async () => {
  await using directory = await temporaryDirectory();
  const place = planePlace({ dataDirectory: directory.file("data"), files: [] });
  const planes = join(directory.file("data"), "planes");
  mkdirSync(planes, { recursive: true });
  chmodSync(planes, 0o777);
  assert.equal(claimDirectories(place), null);
  assert.equal(lstatSync(planes).mode & 0o777, 0o700);
  symlinkSync(planes, directory.file("planted"));
  assert.match(strangerIn(directory.file("planted")) ?? "", /is a link or a file/);
  writeFileSync(directory.file("file"), "");
  assert.match(
    claimDirectories({ ...place, directories: [directory.file("file/planes")] }) ?? "",
    /cannot be made/,
  );
});

test("a record that is damaged, or of a plane that was killed, tells of no plane", async () => {
  await using directory = await temporaryDirectory();
  const place = planePlace({ dataDirectory: directory.path, files: [] });
  claimDirectories(place);
  writeFileSync(place.record, "{");
  assert.equal(readPlaneRecord(place.record), null);
  writeFileSync(place.record, JSON.stringify({ pid: 2 ** 22 + 1, files: [] }));
  assert.deepEqual(servingPlanes(directory.path), []);
  writeFileSync(place.record, JSON.stringify({ pid: process.pid, files: ["a.json"] }));
  assert.deepEqual(
    servingPlanes(directory.path).map(({ files }) => files),
    [["a.json"]],
  );
});
