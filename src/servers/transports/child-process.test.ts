import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  findWindowsCommand,
  quoteForCmd,
  taskkillArguments,
  windowsLaunch,
} from "./child-process.ts";

const node = "C:\\Program Files\\nodejs";

function find(command: string, files: readonly string[], changes: { pathExt?: string } = {}) {
  const known = new Set(files.map((file) => file.toLowerCase()));
  return findWindowsCommand(command, {
    path: `C:\\Windows;"${node}";tools`,
    pathExt: ".COM;.EXE;.BAT;.CMD;.JS",
    cwd: "D:\\work",
    exists: (file) => known.has(file.toLowerCase()),
    ...changes,
  });
}

suite("commands on Windows", () => {
  test("a bare name is looked for in PATH with the extensions of PATHEXT, and never without one", () => {
    const files = [`${node}\\npx`, `${node}\\npx.cmd`];
    assert.equal(find("npx", files), `${node}\\npx.cmd`);
    assert.equal(find("npx.cmd", files), `${node}\\npx.cmd`);
    assert.equal(find("npx", [`${node}\\npx`]), null);
    assert.equal(find("npx", files, { pathExt: ".EXE" }), null);
  });

  test("the order of PATH comes before the order of PATHEXT, and a script host is never run", () => {
    assert.equal(find("uvx", ["C:\\Windows\\uvx.cmd", `${node}\\uvx.exe`]), "C:\\Windows\\uvx.cmd");
    assert.equal(find("uvx", [`${node}\\uvx.cmd`, `${node}\\uvx.exe`]), `${node}\\uvx.exe`);
    assert.equal(find("server", [`${node}\\server.js`]), null);
  });

  test("a path is looked for in the working directory only, and so is a relative entry of PATH", () => {
    assert.equal(find(".\\bin\\run", ["D:\\work\\bin\\run.bat"]), "D:\\work\\bin\\run.bat");
    assert.equal(find("bin/run.exe", ["D:\\work\\bin\\run.exe"]), "D:\\work\\bin\\run.exe");
    assert.equal(find("run", ["D:\\work\\tools\\run.exe"]), "D:\\work\\tools\\run.exe");
    assert.equal(find("run", ["D:\\work\\run.exe"]), null);
  });

  const quoted: [word: string, line: string][] = [
    ["", '""'],
    ["two words", '"two words"'],
    ["a&b|c<d>e^f(g)!h!", '"a&b|c<d>e^f(g)!h!"'],
    ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
    ['say "hi" & go', '"say ""hi"" & go"'],
    ["C:\\dir\\", '"C:\\dir\\\\"'],
    ['back\\"slash', '"back\\\\""slash"'],
    ["one\\two", '"one\\two"'],
  ];
  for (const [word, line] of quoted) {
    test(`${JSON.stringify(word)} reaches a batch file as it is`, () => {
      assert.equal(quoteForCmd(word), line);
      assert.equal(readBack(line), word);
    });
  }

  test("a line break, at which cmd.exe would end the line, is refused with the key to change", () => {
    assert.throws(() => quoteForCmd("a\r\ndel *"), /line break.*'args'/);
  });

  test("a batch file is run by cmd.exe without AutoRun, a program by itself", () => {
    assert.deepEqual(windowsLaunch(`${node}\\npx.cmd`, ["-y", "a b"], "C:\\cmd.exe"), {
      file: "C:\\cmd.exe",
      args: ["/d", "/e:on", "/v:off", "/s", "/c", `""${node}\\npx.cmd" "-y" "a b""`],
      verbatim: true,
    });
    assert.deepEqual(windowsLaunch(`${node}\\node.exe`, ["a b"]), {
      file: `${node}\\node.exe`,
      args: ["a b"],
      verbatim: false,
    });
  });

  test("ending a process ends everything below it", () => {
    assert.deepEqual(taskkillArguments(42), ["/PID", "42", "/T", "/F"]);
  });
});

/** What cmd.exe and then the program's own reader of arguments make of one quoted word. */
function readBack(line: string): string {
  const expanded = line.replaceAll("%cd:~,%", "");
  const inner = expanded.slice(1, -1);
  return inner.replaceAll(/(\\*)(""|$)/g, (_, slashes: string, quote: string) => {
    const isBeforeQuote = quote !== "" || slashes !== "";
    return (isBeforeQuote ? "\\".repeat(slashes.length / 2) : slashes) + (quote === "" ? "" : '"');
  });
}
