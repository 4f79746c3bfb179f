import { statSync } from "node:fs";
import { resolve } from "node:path";
import { plainText } from "../../../lib/text/plain-text.ts";
import {
  type ProjectTrust,
  projectLines,
  type RememberedTrust,
  type Setup,
  type TrustLine,
  trustLinesOf,
} from "../../../model/config/setup.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions, PlaceOptions } from "../cli.ts";
import { colors, joinLines, print, printJson, printStatus } from "../terminal/output.ts";
import { canBeAsked, terminalPrompts } from "../terminal/questions.ts";
import { terminal } from "../terminal/terminal.ts";
import { openSetup } from "./config.ts";

type TrustOptions = GlobalOptions & { yes?: boolean; list?: boolean; revoke?: boolean };

/** `toolplane trust`: shows what a project's files start and refer to, and asks for consent. */
export async function trust(
  cli: Cli,
  where: string | undefined,
  options: TrustOptions,
): Promise<void> {
  const directory = resolve(terminal.directory(), where ?? "");
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new PlaneError(
      "USAGE",
      `'${where}' is not a directory. Name the directory of the project.`,
    );
  const setup = await openSetup(cli, { ...options, config: [] }, directory);
  if (options.list) return list(setup.trust.list(), options);
  if (options.revoke) await setup.trust.revoke();
  const shown = await setup.trust.show();
  const undecided = trustLinesOf(shown).filter(({ trusted }) => !trusted);
  if (!options.json) print(render(shown, options.revoke === true));
  if (!options.revoke && undecided.length > 0) await decide(setup, undecided, options);
  if (options.json) printJson(await setup.trust.show());
}

async function decide(
  setup: Setup,
  undecided: readonly TrustLine[],
  { yes, json }: TrustOptions,
): Promise<void> {
  const asks = !yes && !json && canBeAsked();
  if (!yes && !asks) return json ? undefined : print("Nothing was changed. Add --yes to trust it.");
  const answer = yes || (await terminalPrompts.confirm(question(undecided), false));
  await setup.trust.answer(undecided, answer === true);
  if (!json)
    print(
      answer === true ? `${colors.green("✔")} Trusted.` : "Not trusted; nothing of it is started.",
    );
}

/** Before a command, a person at the terminal is asked once about what is new in the project. */
export async function askForTrust(cli: Cli, place: PlaceOptions): Promise<void> {
  if (place.files.length > 0 || cli.argv.includes("--json") || !canBeAsked()) return;
  const { trust: consent } = await cli.openSetup(place);
  // Without a configuration that can be read there is nothing to ask; the command says what is wrong.
  const undecided = await consent.unanswered().catch(() => []);
  if (undecided.length === 0) return;
  const { directory } = await consent.show();
  const isNew = undecided.some(({ changed }) => !changed);
  printStatus(
    `What is in ${directory} ${isNew ? "is not trusted yet" : "has changed since you trusted it"}:`,
  );
  for (const line of undecided) printStatus(renderLine(line));
  const answer = await terminalPrompts.confirm(question(undecided), false);
  await consent.answer(undecided, answer === true);
  if (answer !== true) printStatus("It goes on without them. 'toolplane trust' asks again.");
}

/** Shows what a project would be allowed to start and read, and asks; false where the person says no, or cannot be asked. */
export async function showAndAsk(
  setup: Setup,
  undecided: readonly TrustLine[],
  mayAsk: boolean,
): Promise<boolean> {
  const { directory } = await setup.trust.show();
  printStatus(`The files in ${directory} come with this project. They would start and read:`);
  for (const line of undecided) printStatus(renderLine(line));
  if (!mayAsk || !canBeAsked()) return false;
  const answer = (await terminalPrompts.confirm(question(undecided), false)) === true;
  if (answer) await setup.trust.answer(undecided, true);
  return answer;
}

function question(undecided: readonly TrustLine[]): string {
  return `Do you trust ${undecided.length === 1 ? "this" : `these ${undecided.length}`} and want to start what is named there?`;
}

function render(shown: ProjectTrust, wasRevoked: boolean): string {
  if (trustLinesOf(shown).length === 0) return `Nothing in ${shown.directory} needs trust.`;
  return joinLines(
    wasRevoked ? `Nothing in ${shown.directory} is trusted any more:` : `In ${shown.directory}:`,
    projectLines(shown).map(renderLine),
    shown.own.length > 0 && "Your own servers that work in this directory:",
    shown.own.map(renderLine),
  );
}

function renderLine({ name, launch, trusted, inForce, changed }: TrustLine): string {
  const open = colors.yellow(changed ? "changed    " : "not trusted");
  const mark = trusted ? colors.green("trusted    ") : open;
  const waits = trusted && !inForce ? colors.yellow(" (waits for what is not trusted)") : "";
  return `  ${mark} ${colors.bold(name)}${waits}: ${launch}`;
}

const namesOf = (lines: readonly { name: string }[]) =>
  plainText(lines.map(({ name }) => name).join(", "));

function list(remembered: readonly RememberedTrust[], { json }: TrustOptions): void {
  if (json) return printJson({ directories: remembered });
  if (remembered.length === 0) return print("You have not reviewed any project yet.");
  for (const { directory, servers } of remembered) {
    const [trustedNames, refusedNames] = [true, false].map((isTrusted) =>
      namesOf(servers.filter(({ trusted }) => trusted === isTrusted)),
    );
    const answers = [
      trustedNames && `trusted: ${trustedNames}`,
      refusedNames && `refused: ${refusedNames}`,
    ];
    print(`${directory}: ${answers.filter(Boolean).join("; ")}`);
  }
}
