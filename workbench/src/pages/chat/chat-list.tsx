import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { callOperation } from "../../api/operations.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { TextInput } from "../../parts/field.tsx";
import { Pencil, Trash2 } from "../../parts/icons.ts";
import { QueryView } from "../../parts/states.tsx";
import { counted, Time } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.ts";
import { type KeptChat, keptChatsQuery } from "./kept-chats.ts";

type ChatListProps = {
  user: string | null;
  current: string;
  /** The current one is answered. */
  isBusy: boolean;
  onOpen?: () => void;
  onDeleted: (id: string) => void;
};

/** The chats of this person, newest first; they are renamed and deleted in the store of the plane. */
export function ChatList({ user, current, isBusy, onOpen, onDeleted }: ChatListProps) {
  const [renamedChat, setRenamedChat] = useState<string | null>(null);
  const [leavingChat, setLeavingChat] = useState<KeptChat | null>(null);
  return (
    <QueryView query={useQuery(keptChatsQuery(user))}>
      {(chats) =>
        chats.length === 0 ? (
          <p className="px-2 text-sm text-muted">No chats yet.</p>
        ) : (
          <>
            <ul aria-label="Chats" className="flex flex-col gap-0.5">
              {chats.map((chat) => (
                <li
                  key={chat.conversation}
                  className={classes(
                    "flex items-center rounded-md",
                    chat.conversation === current ? "bg-accent-soft" : "hover:bg-sunken",
                  )}
                >
                  {renamedChat === chat.conversation ? (
                    <Rename chat={chat} onDone={() => setRenamedChat(null)} />
                  ) : (
                    <>
                      <ChatLink
                        chat={chat}
                        isCurrent={chat.conversation === current}
                        onOpen={onOpen}
                      />
                      <IconButton
                        label={`Rename ${chat.title.slice(0, 60)}`}
                        icon={Pencil}
                        onClick={() => setRenamedChat(chat.conversation)}
                      />
                      <IconButton
                        label={`Delete ${chat.title.slice(0, 60)}`}
                        icon={Trash2}
                        // Its run would be kept when it ends.
                        disabled={isBusy && chat.conversation === current}
                        onClick={() => setLeavingChat(chat)}
                      />
                    </>
                  )}
                </li>
              ))}
            </ul>
            {leavingChat && (
              <Delete
                chat={leavingChat}
                onClose={() => setLeavingChat(null)}
                onDeleted={onDeleted}
              />
            )}
          </>
        )
      }
    </QueryView>
  );
}

type ChatLinkProps = { chat: KeptChat; isCurrent: boolean; onOpen: (() => void) | undefined };

function ChatLink({ chat, isCurrent, onOpen }: ChatLinkProps) {
  return (
    <Link
      to="/chat"
      search={{ id: chat.conversation }}
      aria-current={isCurrent ? "page" : undefined}
      {...(onOpen && { onClick: onOpen })}
      className="min-w-0 flex-1 px-2 py-1.5 text-sm"
    >
      <span dir="auto" className="block truncate" title={chat.title}>
        {chat.title}
      </span>
      <span className="block text-xs text-muted">
        <Time at={chat.at} />, {counted(chat.questions.size, "question")}
      </span>
    </Link>
  );
}

function Rename({ chat, onDone }: { chat: KeptChat; onDone: () => void }) {
  const client = useQueryClient();
  const [title, setTitle] = useState(chat.title);
  const save = useMutation({
    mutationFn: () => callOperation("runs.rename", { conversation: chat.conversation, title }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["runs"] }).then(onDone),
    onError: toastError,
  });
  return (
    <form
      className="flex min-w-0 flex-1 items-center gap-1 p-1"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        autoFocus
        aria-label="Title of the chat"
        maxLength={200}
        value={title}
        placeholder="The first question"
        onChange={({ target }) => setTitle(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // The dialog around it stays open.
          event.preventDefault();
          onDone();
        }}
      />
      <Button type="submit" busy={save.isPending}>
        Save
      </Button>
    </form>
  );
}

type DeleteProps = { chat: KeptChat; onClose: () => void; onDeleted: (id: string) => void };

function Delete({ chat, onClose, onDeleted }: DeleteProps) {
  const client = useQueryClient();
  const deleteChat = useMutation({
    mutationFn: () => callOperation("runs.delete", { conversation: chat.conversation }),
    async onSuccess() {
      onDeleted(chat.conversation);
      await client.invalidateQueries({ queryKey: ["runs"] });
      onClose();
      toast("Chat deleted.", "neutral");
    },
  });
  return (
    <Confirm
      open
      title="Delete this chat?"
      action="Delete"
      busy={deleteChat.isPending}
      error={deleteChat.error}
      onConfirm={() => deleteChat.mutate()}
      onClose={onClose}
    >
      <p dir="auto" className="break-words font-medium">
        {chat.title}
      </p>
      <p>
        Its messages and runs are deleted from the plane. The records of its calls stay, without
        arguments.
      </p>
    </Confirm>
  );
}
