import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { beginSession, passIn } from "../../api/session.ts";
import { useServerChanges } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";

type ProveFirstProps = {
  /** The equivalent command on the plane's machine. */
  command: string;
  isFile?: boolean;
  /** The form for the link stands above. */
  isAsked?: boolean;
  /** Shown if the user may change servers. */
  children: ReactNode;
};

/** Adding a server starts a program, so the page first requires proof of identity. */
export function ProveFirst({ command, isFile = false, isAsked = false, children }: ProveFirstProps) {
  const may = useServerChanges();
  if (may === "allowed") return children;
  const where = isFile ? "Put this into toolplane.json" : "Run this on the machine";
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3 text-[13px]">
      {may === "needs_proof" ? (
        <>
          {!isAsked && <Unlock />}
          <p className="text-muted">{where} instead; the change appears here at once.</p>
        </>
      ) : (
        <p className="text-muted">This plane has no configuration file to write to. {where}, then restart it.</p>
      )}
      <CodeView wrap label={isFile ? "configuration" : "command"} text={command} />
    </div>
  );
}

/** Before a form: what is typed into it cannot be saved without the pass. */
export function Unlock({ what = "A server is a program that runs on this machine." }: { what?: string }) {
  if (useServerChanges() !== "needs_proof") return null;
  return (
    <div className="flex flex-col gap-3 text-[13px]">
      <p className="text-muted">
        {what} To unlock changes, paste the link that <code className="font-mono">toolplane serve</code> printed.
      </p>
      <ShowPass />
    </div>
  );
}

function ShowPass() {
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
