/**
 * Where an 'await' is missing, a program looks for a property of the promise, walks it, writes it into a text or as JSON.
 * Each of these says so, at its line. `subject` names what is written as JSON.
 */
export function nameMissingAwaits(subject: () => string): void {
  const { Promise, TypeError, Proxy, Object, Symbol, Reflect } = globalThis;
  const remedy = "Put 'await' before the call that it comes from, or use Promise.all for a list.";

  function refuse(what: string): never {
    throw new TypeError(`${what} ${remedy}`);
  }

  function asText(): never {
    return refuse("A promise is used as a text or a number.");
  }

  const beyond = new Proxy(Object.create(Object.prototype), {
    get(target, name, receiver) {
      if (name === Symbol.iterator) refuse("A promise is walked as a list.");
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name, receiver);
      return refuse(`'${name}' is read from a promise.`);
    },
  });
  const methods = {
    [Symbol.toPrimitive]: asText,
    toString: asText,
    toJSON(key: string) {
      const [first = "", ...others] = subject();
      if (key === "") refuse(`${first.toUpperCase()}${others.join("")} is a promise.`);
      refuse(`'${key}' of ${subject()} is a promise.`);
    },
  };
  for (const name of Reflect.ownKeys(methods)) {
    const value: unknown = Reflect.get(methods, name);
    Object.defineProperty(Promise.prototype, name, { value, writable: true, configurable: true });
  }
  Object.setPrototypeOf(Promise.prototype, beyond);
}
