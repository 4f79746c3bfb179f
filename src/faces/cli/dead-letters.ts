import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { DeadLetterQuery, DeadLetterStatus } from "../../model/work/dead-letter.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { renderDeadLetter, renderDeadLetters } from "./dead-letter-view.ts";
import { print, printJson, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

/** Fewer characters of an id are a typing error more often than an entry. */
const shortestPrefix = 4;

type ListOptions = GlobalOptions & {
  status?: string;
  tool?: string;
  server?: string;
  limit?: string;
  cursor?: string;
};
type NoteOptions = GlobalOptions & { note?: string };

export async function listDeadLetters(cli: Cli, options: ListOptions): Promise<void> {
  const { status, tool, server, limit, cursor } = options;
  const query: DeadLetterQuery = {
    ...(status === undefined ? {} : { status: status as DeadLetterStatus }),
    ...(tool === undefined ? {} : { tool }),
    ...(server === undefined ? {} : { server }),
    ...(limit === undefined ? {} : { limit: toLimit(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const page = await withPlane(cli, options, (plane) => plane.deadLetters.page(query));
  const { deadLetters, total, byStatus, nextCursor } = page;
  if (options.json) return printJson({ deadLetters, total, byStatus, nextCursor });
  print(renderDeadLetters(page, Date.now()));
  if (nextCursor !== null) say(`${deadLetters.length} of ${total}; the next ones with --cursor ${nextCursor}`);
}

export async function showDeadLetter(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const letter = await withPlane(cli, options, async (plane) => plane.deadLetters.get(await findId(plane, id)));
  if (options.json) printJson(letter);
  else print(renderDeadLetter(letter, Date.now()));
}

export async function settleDeadLetter(
  cli: Cli,
  id: string,
  verb: "resolve" | "abandon",
  { note, ...options }: NoteOptions,
): Promise<void> {
  const letter = await withPlane(cli, options, async (plane) => {
    const found = await findId(plane, id);
    const said = note === undefined ? {} : { note };
    return verb === "resolve" ? plane.deadLetters.resolve(found, said) : plane.deadLetters.abandon(found, said);
  });
  if (options.json) printJson(letter);
  else print(`The call of '${plainText(letter.tool)}' is ${letter.status}.`);
}

export async function deleteDeadLetter(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const found = await withPlane(cli, options, async (plane) => {
    const full = await findId(plane, id);
    if (!(await plane.deadLetters.delete(full))) throw noneBegins(id);
    return full;
  });
  if (options.json) printJson({ id: found, deleted: true });
  else print(`Dead letter '${found}' is deleted.`);
}

/** The one entry whose id begins like this. */
export async function findId(plane: Plane, given: string): Promise<string> {
  const prefix = given.trim().toLowerCase();
  if (prefix.length < shortestPrefix)
    throw new PlaneError(
      "USAGE",
      `'${given}' is too short for an id. Give at least its first ${shortestPrefix} characters.`,
    );
  const { deadLetters, total } = await plane.deadLetters.page({ id: prefix, limit: 5 });
  const [first, second] = deadLetters;
  if (first === undefined) throw noneBegins(given);
  if (second === undefined || first.id === prefix) return first.id;
  const ids = deadLetters.map(({ id }) => id).join(", ");
  throw new PlaneError(
    "USAGE",
    `${countOf(total, "dead letter")} begin with '${given}': ${ids}${total > deadLetters.length ? ", …" : ""}. Give more characters.`,
  );
}

function toLimit(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new PlaneError("USAGE", `--limit cannot be '${text}': give a whole number from 1 to 1000.`);
}

function noneBegins(id: string): PlaneError {
  return new PlaneError(
    "NOT_FOUND",
    `There is no dead letter '${id}'. 'toolplane dead-letters list' shows which there are.`,
  );
}
