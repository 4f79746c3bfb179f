type AnyFunction = (...args: never[]) => unknown;
type FunctionName<Part> = {
  [Name in keyof Part]: Part[Name] extends AnyFunction ? Name : never;
}[keyof Part];
type Lazy<Function> = Function extends (...args: infer Args) => infer Answer
  ? (...args: Args) => Promise<Awaited<Answer>>
  : never;

/** Functions of a part that is loaded when one of them is first called. */
export function lazily<Part extends object, Name extends FunctionName<Part>>(
  load: () => Promise<Part>,
  names: readonly Name[],
): { [N in Name]: Lazy<Part[N]> } {
  const entries = names.map((name) => [
    name,
    async (...args: never[]) => {
      const part = await load();
      return (part[name] as AnyFunction).apply(part, args);
    },
  ]);
  return Object.fromEntries(entries);
}
