/** Titles by the field of an entry, in the order of the columns; core and extensions say it the same way. */
export type Columns<Row, Cell = string> = { readonly [Field in FieldOf<Row>]?: Cell };

/** The entries of an answer that is a list, or has one. Never where nothing says what it is. */
export type RowOf<Answer> = EntryOf<Answer> | EntryOf<Answer[ListIn<Answer>]>;

/** The fields of an answer that are lists. */
export type ListIn<Answer> = {
  [Field in keyof Answer & string]-?: [EntryOf<Answer[Field]>] extends [never] ? never : Field;
}[keyof Answer & string];

export type EntryOf<Value> = Extract<Value, readonly unknown[]>[number];

/** Any name, where nothing says what the entries are. */
type FieldOf<Row> = [Row] extends [never] ? string : keyof Row & string;
