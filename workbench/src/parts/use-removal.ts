import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callOperation } from "../api/operations.ts";
import { markGone, refresh } from "../api/refresh.ts";
import { counted } from "./time.tsx";
import { toast, toastError } from "./toast.ts";

const nouns = { servers: "server", toolsets: "toolset", "dead-letters": "dead letter" } as const;

const verbs = {
  servers: {
    remove: (name: string) => callOperation("servers.remove", { name }),
    restore: (name: string) => callOperation("servers.restore", { name }),
  },
  toolsets: {
    remove: (name: string) => callOperation("toolsets.remove", { name }),
    restore: (name: string) => callOperation("toolsets.restore", { name }),
  },
  "dead-letters": {
    remove: (id: string) => callOperation("deadLetters.delete", { id }),
    restore: (id: string) => callOperation("deadLetters.restore", { id }),
  },
};

/** Removes things by name or id, and offers to undo it: the plane puts them back as they were. */
export function useRemoval(topic: keyof typeof nouns, onDone: () => void) {
  const client = useQueryClient();
  const restore = async (names: readonly string[], subject: string) => {
    try {
      for (const name of names) {
        await verbs[topic].restore(name);
        markGone(topic, name, false);
      }
      toast(`${subject} restored.`);
    } catch (thrown) {
      toastError(thrown);
    }
    await refresh(client, topic);
  };
  const removeOne = async (name: string) => {
    markGone(topic, name, true);
    try {
      await verbs[topic].remove(name);
      markGone(topic, name, true);
    } catch (thrown) {
      markGone(topic, name, false);
      throw thrown;
    }
  };
  return useMutation({
    async mutationFn(names: readonly string[]) {
      const removed: string[] = [];
      try {
        for (const name of names) {
          await removeOne(name);
          removed.push(name);
        }
      } catch (thrown) {
        if (removed.length === 0) throw thrown;
        toastError(thrown);
      }
      return removed;
    },
    onSuccess(removed) {
      const subject = renderRemoved(topic, removed);
      const verb = removed.length > 1 ? "are" : "is";
      toast(`${subject} ${verb} removed.`, "neutral", {
        text: "Undo",
        act: () => void restore(removed, `${subject} ${verb}`),
      });
      onDone();
    },
    onSettled: () => refresh(client, topic),
  });
}

/** One of them by its name, several by their number; ids say nothing. */
function renderRemoved(topic: keyof typeof nouns, names: readonly string[]): string {
  const [name = ""] = names;
  if (names.length <= 1 && topic !== "dead-letters") return name;
  return counted(names.length, nouns[topic]);
}
