import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { runArguments } from "../../packages/containers/src/open-container.ts";
import { concealSecrets } from "../../packages/import/src/adding/conceal.ts";
import { fetchFile } from "../../packages/import/src/adding/fetch-file.ts";
import { addServerEntry } from "../config/edit/server-entries.ts";
import { readCommand, splitCommand } from "../config/secrets/read-secret.ts";
import {
  expandEnvironment,
  findReferences,
  mapTexts,
  splitSecrets,
} from "../config/secrets/references.ts";
import { resolveSecrets } from "../config/secrets/resolve-secrets.ts";
import { configured, createEgress } from "../lib/net/egress.ts";
import { exchange } from "../lib/net/exchange.ts";
import { sendRequest } from "../lib/net/send-request.ts";
import { type LaunchOptions, launchChild } from "../servers/transports/child-launch.ts";
import { asAddress, asLiteral, type Foreign, foreign, urlOf, writeText } from "./foreign.ts";
import type { JsonObject } from "./json.ts";
import type { ServerContainer } from "./servers/server.ts";

type Rest = {
  launch: LaunchOptions;
  exchange: Parameters<typeof exchange>[1];
  send: Parameters<typeof sendRequest>;
  fetch: Parameters<typeof fetchFile>[1];
  container: ServerContainer;
};

/** Never run: the compiler is the judge. An unused `@ts-expect-error` is an error itself. */
function usesForeignText(
  text: Foreign<string>,
  object: Foreign<JsonObject>,
  address: Foreign<URL>,
  rest: Rest,
) {
  return [
    // @ts-expect-error references are looked for in our own texts
    findReferences(text),
    // @ts-expect-error and in no structure that a stranger wrote
    mapTexts(object, (one) => one),
    // @ts-expect-error no variable of the environment is put into it
    expandEnvironment(text, {}, () => undefined),
    // @ts-expect-error no program is run and no file is read for it
    resolveSecrets(object, { directory: "." }),
    // @ts-expect-error nor for a part of it
    splitSecrets(text),
    // @ts-expect-error it is no command
    readCommand(text, "."),
    // @ts-expect-error nor words of one
    splitCommand(text),
    // @ts-expect-error it is no program
    execFile(text),
    // @ts-expect-error no argument
    launchChild({ ...rest.launch, args: [text] }),
    // @ts-expect-error no variable of a program
    launchChild({ ...rest.launch, env: { A: text } }),
    // @ts-expect-error no image
    runArguments({ ...rest.container, image: text }, { name: "a", envFile: null, words: [] }),
    // @ts-expect-error no address
    new URL(text),
    // @ts-expect-error no gate judges it as our own
    configured.connection(address),
    // @ts-expect-error nothing is sent there
    exchange(address, rest.exchange),
    // @ts-expect-error nor with our headers
    sendRequest({ ...rest.send[0], url: address }, rest.send[1]),
    // @ts-expect-error nothing is fetched from there
    fetchFile({ url: address, gate: configured }, rest.fetch),
    // @ts-expect-error the gate for a person's own addresses lets no stranger's through
    asAddress(address, configured),
    // @ts-expect-error it stands in no entry
    addServerEntry("a.json", "a", { command: text }),
    // @ts-expect-error nor does a whole one
    addServerEntry("a.json", "a", object),
    // @ts-expect-error nor beside a person's own
    concealSecrets("a", { env: { A: text } }, {}),
    // @ts-expect-error it is no string
    text satisfies string,
  ];
}

test("no resolver, command line, environment or gate takes foreign text before it is judged", () => {
  void usesForeignText;
  const text = foreign("https://stranger.example/${HOME}");
  const { stranger } = createEgress({ allow: () => [] });
  assert.deepEqual(findReferences(asLiteral(text)), []);
  const address = urlOf(text) ?? assert.fail("no address");
  assert.equal(asAddress(address, stranger).url.host, "stranger.example");
});

test("what the compiler cannot see is thrown: in a template, a list and JSON", () => {
  const text = foreign("x");
  assert.throws(() => `${text}`, /before it was judged/);
  assert.throws(() => String(text), /before it was judged/);
  assert.throws(() => JSON.stringify({ text }), /before it was judged/);
  assert.throws(() => [text].join(), /before it was judged/);
  assert.deepEqual(Object.entries(text), []);
  assert.equal(writeText([text]), "x");
});
