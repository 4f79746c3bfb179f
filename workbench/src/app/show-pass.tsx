import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { beginSession, passIn } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { Complaint } from "../parts/states.tsx";

/** Takes the link from the terminal, or the pass alone, and unlocks changes for this browser. */
export function ShowPass() {
  const client = useQueryClient();
  const [link, setLink] = useState("");
  const show = useMutation({
    mutationFn: async () => {
      await beginSession(passIn(link) ?? link.trim()).catch(() => {
        throw new Error("Not this plane's link. It ends in #pass=… and changes with each start.");
      });
      await client.invalidateQueries({ queryKey: ["session"] });
    },
  });
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        show.mutate();
      }}
    >
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field label="The link from the terminal">
            <TextInput
              type="password"
              placeholder={`${location.origin}/workbench/#pass=…`}
              value={link}
              onChange={(event) => setLink(event.target.value)}
            />
          </Field>
        </div>
        <Button type="submit" disabled={link.trim() === ""} busy={show.isPending}>
          Unlock
        </Button>
      </div>
      <Complaint error={show.error} />
    </form>
  );
}
