/** Asks the plane to compute something, with plain values in and out. */
export type Host = <T>(kind: string, ...args: readonly unknown[]) => T;

/** What a part adds to the globals of a program. */
export type Globals = Readonly<Record<string, unknown>>;

type Answer<T> = { value: T; error?: { name: string; message: string } };
type ErrorKind = new (message: string) => Error;

/** The errors of the engine, by name. */
export type EngineErrors = Readonly<Record<string, ErrorKind>>;

export function createHost(compute: (kind: string, json: string) => string, errors: EngineErrors) {
  const { parse, stringify } = JSON;
  const { Error } = globalThis;
  return <T>(kind: string, ...args: readonly unknown[]): T => {
    const { value, error }: Answer<T> = parse(compute(kind, stringify(args)));
    if (error === undefined) return value;
    throw new (errors[error.name] ?? Error)(error.message);
  };
}
