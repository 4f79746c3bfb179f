/** What a person types for a verb. Several operations may be behind one command; the first that says how declares it. */
export type CliCommand<Input = never, Answer = never> =
  | { command: string }
  | CommandForm<Input, Answer>;

/** Of an operation, checked against its input and its answer; of others, as it is. */
export type CommandForm<Input = never, Answer = never> = {
  /** `jobs history`. */
  command: string;
  /** For `--help`. */
  about: string;
  /** What is given by position, as the usage shows it (`<name>`, `[values...]`), and what it means. */
  arguments?: Readonly<Record<string, string>>;
  /** `--status <status>`, and what it means. */
  options?: Readonly<Record<string, string | CommandOption<Input>>>;
  examples: readonly string[];
  /** It changes nothing that is kept, so it leaves nothing on the disk where Toolplane was never set up. */
  looks?: boolean;
  /** What people see of the answer, where the command line has no view of its own for it. */
  table?: CommandTable<Answer>;
  /** The same, as a sentence. */
  text?(answer: Answer): string;
};

export type CommandOption<Input = never> = {
  about: string;
  /** The input that it fills, where that has another name. */
  input?: NameIn<Input>;
  /** How its value is read; text when left out. */
  kind?: ValueKind;
  choices?: readonly string[];
  default?: string | false;
  required?: true;
};

export type ValueKind =
  | "list"
  | "count"
  | "limit"
  | "parallel"
  | "characters"
  | "ms"
  | "port"
  | "drain"
  | "workers"
  | "seconds"
  | "hosts"
  | "publicUrl"
  | "proxies"
  | "span"
  | "moment";

/** A row for each entry of a list in the answer. */
export type CommandTable<Answer = never> =
  IsOpen<Answer> extends true
    ? Table<string, never>
    : { [List in ListIn<Answer>]: Table<List, EntryOf<Answer[List]>> }[ListIn<Answer>];

type Table<List, Row> = {
  /** The field of the answer that is the list. */
  rows: List;
  /** For a list without entries. */
  none: string;
  columns: Columns<Row>;
};

/** Titles by the field of an entry, in the order of the columns. */
export type Columns<Row = never> =
  IsOpen<Row> extends true
    ? Readonly<Record<string, string | Column<never, never>>>
    : { readonly [Field in keyof Row]?: string | Column<Row[Field], Row> };

export type Column<Value, Row> = {
  title: string;
  /** What the cell says, where that is not the value itself. */
  text(value: Value, row: Row, rows: readonly Row[]): string | number | null | undefined;
};

/** Nothing is said of it: it is of an operation without a schema, or of any. */
type IsOpen<Type> = [Type] extends [never] ? true : unknown extends Type ? true : false;
type NameIn<Fields> = IsOpen<Fields> extends true ? string : keyof Fields & string;
type ListIn<Answer> = {
  [Field in keyof Answer & string]-?: EntryOf<Answer[Field]> extends never ? never : Field;
}[keyof Answer & string];
type EntryOf<Value> = NonNullable<Value> extends readonly (infer Row)[] ? Row : never;
