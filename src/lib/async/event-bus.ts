/** A listener that throws does not affect the others. */
export function createEventBus<E extends { type: string }>() {
  const listeners = new Map<string, Set<(event: E) => void>>();
  return {
    emit(event: E): void {
      for (const listener of listeners.get(event.type) ?? []) {
        try {
          listener(event);
        } catch (error) {
          process.emitWarning(`A listener of '${event.type}' failed: ${error}`);
        }
      }
    },
    on(type: string, listener: (event: E) => void): () => void {
      const group = listeners.get(type) ?? new Set();
      group.add(listener);
      listeners.set(type, group);
      return () => void group.delete(listener);
    },
  };
}
