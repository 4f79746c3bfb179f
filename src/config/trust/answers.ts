import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { RememberedTrust, TrustLine } from "../../model/config/setup.ts";
import { isObject, objectOrEmpty } from "../../model/json.ts";
import { withLock, writeAtomically } from "../edit/write-file.ts";
import type { Project } from "./judge-project.ts";
import type { TrustDecision } from "./lines.ts";

type StoredAnswer = { name: string; trusted: boolean };
/** By directory and hash. */
type StoredAnswers = Record<string, Record<string, StoredAnswer>>;

export type TrustAnswers = ReturnType<typeof createTrustAnswers>;

/** What a person said about the launch lines of each project: kept in the data directory, never in the project. */
export function createTrustAnswers(dataDirectory: string | undefined) {
  const file = dataDirectory === undefined ? null : join(dataDirectory, "trust.json");
  let inMemory: StoredAnswers = Object.create(null);
  const read = (): StoredAnswers => (file === null ? inMemory : readAnswers(file));
  const change = async (edit: (answers: StoredAnswers) => void) => {
    const write = () => {
      const answers = read();
      edit(answers);
      if (file === null) inMemory = answers;
      else writeAtomically(file, `${JSON.stringify(answers, null, 2)}\n`);
    };
    await (file === null ? write() : withLock(file, write));
  };
  return {
    file,
    /** Undefined where no person was asked yet. */
    of(directory: string): TrustDecision {
      const answers = read()[realDirectory(directory)] ?? {};
      const decide = (hash: string) =>
        Object.hasOwn(answers, hash) ? answers[hash]?.trusted === true : undefined;
      const trustedBefore = (name: string) =>
        Object.values(answers).some((answer) => answer.trusted && answer.name === name);
      return Object.assign(decide, { trustedBefore });
    },
    remember: (directory: string, lines: readonly TrustLine[], trusted: boolean) =>
      change((answers) => {
        const directoryAnswers = answers[realDirectory(directory)] ?? {};
        for (const { name, hash } of lines) directoryAnswers[hash] = { name, trusted };
        answers[realDirectory(directory)] = directoryAnswers;
      }),
    forget: (directory: string) =>
      change((answers) => {
        delete answers[realDirectory(directory)];
      }),
    list: (): RememberedTrust[] =>
      Object.entries(read()).map(([directory, directoryAnswers]) => ({
        directory,
        servers: Object.entries(directoryAnswers).map(([hash, { name, trusted }]) => ({
          name,
          hash,
          trusted,
        })),
      })),
  };
}

/** Where a person works, the files of a project that were found there, and where answers about them are kept. */
export type ProjectPlace = {
  files: readonly string[];
  /** Null for a plane that several directories share. */
  directory: string | null;
  dataDirectory: string | undefined;
};

export function openProject({ files, directory: directoryOfPlane, dataDirectory }: ProjectPlace) {
  const location = files[0] === undefined ? directoryOfPlane : dirname(files[0]);
  const directory = location === null ? null : realDirectory(location);
  const answers = createTrustAnswers(dataDirectory);
  return {
    /** Read again each time: another process may have asked the person. */
    read: (): Project => ({
      directory,
      files,
      answer: directory === null ? undecided : answers.of(directory),
      dataDirectory,
    }),
    directory,
    answers,
    async remember(lines: readonly TrustLine[], trusted: boolean): Promise<void> {
      if (directory !== null) await answers.remember(directory, lines, trusted);
    },
    async forget(): Promise<void> {
      if (directory !== null) await answers.forget(directory);
    },
  };
}

const undecided = () => undefined;

function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

function readAnswers(file: string): StoredAnswers {
  const answers: StoredAnswers = Object.create(null);
  try {
    if (!isOursAlone(file)) return answers;
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    for (const [directory, directoryAnswers] of Object.entries(objectOrEmpty(stored)))
      if (isObject(directoryAnswers))
        answers[directory] = directoryAnswers as Record<string, StoredAnswer>;
  } catch {
    // A file that is missing or damaged trusts nothing.
  }
  return answers;
}

/** A copy that came with a project has another mode or another owner. */
function isOursAlone(file: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const { uid, mode } = statSync(file);
  return uid === user && (mode & 0o077) === 0;
}
