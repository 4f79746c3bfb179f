import { after, before, suite, test } from "node:test";
import { eras, modes, type OpenCell, openCell } from "../fixtures/matrix/cell.ts";
import { features } from "../fixtures/matrix/features.ts";

const names = { legacy: "older", modern: "later" };

/** Each cell of the table, with clients and servers of both eras. In the order of the table: what changes a server comes last. */
for (const mode of modes)
  for (const client of eras)
    for (const server of eras)
      suite(`${mode}: a client of the ${names[client]} era, a server of the ${names[server]} era`, () => {
        let cell: OpenCell;
        before(async () => {
          cell = await openCell(client, server, mode);
        });
        after(() => cell[Symbol.asyncDispose]());
        for (const feature of features) test(feature.name, () => feature.check(cell));
      });
