/**
 * Runs in the sandbox, before the program. Where an 'await' is missing, a program looks for a property of the promise, walks it,
 * writes it into a text or as JSON. Each of these says so, at its line. `subject` names what is written as JSON.
 */
export const promises = `(function (subject) {
  const { Promise, TypeError, Proxy, Object, Symbol, String, Reflect } = globalThis;
  const remedy = " Put 'await' before the call that it comes from, or use Promise.all for a list.";
  const refuse = (what) => { throw new TypeError(what + remedy); };
  const asText = () => refuse("A promise is used as a text or a number.");
  const beyond = new Proxy(Object.create(Object.prototype), {
    get(target, name, receiver) {
      if (name === Symbol.iterator) refuse("A promise is walked as a list.");
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name, receiver);
      return refuse("'" + name + "' is read from a promise.");
    },
  });
  const methods = {
    [Symbol.toPrimitive]: asText,
    toString: asText,
    toJSON: (key) => {
      const what = subject();
      refuse((key === "" ? what[0].toUpperCase() + what.slice(1) : "'" + key + "' of " + what) + " is a promise.");
    },
  };
  for (const name of Reflect.ownKeys(methods))
    Object.defineProperty(Promise.prototype, name, { value: methods[name], writable: true, configurable: true });
  Object.setPrototypeOf(Promise.prototype, beyond);
})`;
