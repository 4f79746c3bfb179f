import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { sessionQuery } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { MessageSquare, Plus } from "../../parts/icons.ts";
import { keepFlag, useFlag } from "../../parts/kept-flags.ts";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { toast, toastError } from "../../parts/toast.ts";
import { AddModel } from "./add-model.tsx";
import { Choice, type Choices } from "./chat-choice.tsx";
import { ChatList } from "./chat-list.tsx";
import {
  type AskOptions,
  askChat,
  type Chat as Conversation,
  followChat,
  regenerate,
  restartChat,
  resumeChat,
  stopChat,
  useConversation,
} from "./conversation.ts";
import { loadChat } from "./kept-chats.ts";
import { Question } from "./question.tsx";
import { findRunning } from "./running-chat.ts";
import { ChatMessages } from "./said.tsx";

const route = getRouteApi("/chat");

/** Chat with a model that has the plane's tools; shows every call. */
export function ChatPage() {
  const query = useOperation("agent.choices", {});
  return (
    <QueryView query={query}>
      {(choices) =>
        choices.models.length === 0 ? (
          <Page title="Chat">
            <Empty
              icon={MessageSquare}
              title="Add a model to talk to"
              action={
                <Panel className="mt-2 w-full max-w-md">
                  <AddModel onDone={() => void query.refetch()} />
                </Panel>
              }
            >
              It gets the tools of this plane, and every call it makes is shown here.
            </Empty>
          </Page>
        ) : (
          <Chat choices={choices} />
        )
      }
    </QueryView>
  );
}

function Chat({ choices }: { choices: Choices }) {
  const user = useQuery(sessionQuery()).data?.user ?? null;
  const chat = useConversation(user);
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const [options, setOptions] = useState<AskOptions>({ model: "", toolset: "", style: "tools" });
  const isRaw = useFlag("chat.raw") === "yes";
  const isOpening = useOpened(chat);
  const refreshList = () => client.invalidateQueries({ queryKey: ["runs"] });
  const startNew = () => void navigate({ search: {} });
  const leaveChat = (id: string) => {
    if (id !== chat.conversation) return;
    restartChat();
    startNew();
  };
  const listProps = { user, current: chat.conversation, isBusy: chat.isBusy, onDeleted: leaveChat };
  const ask = (text: string) => {
    void askChat(text, options).then(refreshList);
    void navigate({ search: { id: chat.conversation }, replace: true });
  };
  return (
    <Page
      fill
      title="Chat"
      actions={
        <>
          <Choice {...{ choices, options }} onChange={setOptions} />
          <Button aria-pressed={isRaw} onClick={() => keepFlag("chat.raw", isRaw ? "no" : "yes")}>
            {isRaw ? "Raw: on" : "Raw"}
          </Button>
          <OtherChats {...listProps} />
          <NewChat chat={chat} onNew={startNew} />
        </>
      }
    >
      <div className="flex min-h-0 flex-1 gap-4">
        <nav
          aria-label="Kept chats"
          className="hidden w-60 shrink-0 overflow-auto border-r border-line pr-3 xl:block"
        >
          <ChatList {...listProps} />
        </nav>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-4">
          <ChatMessages
            chat={chat}
            isRaw={isRaw}
            isOpening={isOpening}
            onRegenerate={() => void regenerate(options).then(refreshList)}
            onAsk={ask}
          />
          <Question isBusy={chat.isBusy} onAsk={ask} onStop={stopChat} />
        </div>
      </div>
    </Page>
  );
}

/** The chat of the address, unless it is the one that is open. */
function useOpened(chat: Conversation): boolean {
  const { id } = route.useSearch();
  const [opening, setOpening] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the address names another one, or another person is here
  useEffect(() => {
    if (id === undefined || id === chat.conversation) return;
    let isWanted = true;
    setOpening(id);
    const leave = () => setOpening((before) => (before === id ? null : before));
    Promise.all([loadChat(id), findRunning(id)]).then(
      ([opened, running]) => {
        leave();
        if (!isWanted) return;
        if (chat.isBusy) toast("The model goes on in the other chat.", "neutral");
        if (running) void followChat(id, opened, running.id);
        else if (opened) resumeChat(id, opened);
        else toast("This chat is not kept any more.", "neutral");
      },
      (thrown) => {
        leave();
        toastError(thrown);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [id, chat.user]);
  return opening !== null && opening === id;
}

/** Where there is no room for the list beside the conversation. */
function OtherChats(chats: Omit<Parameters<typeof ChatList>[0], "onOpen">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className="xl:hidden" icon={MessageSquare} onClick={() => setOpen(true)}>
        Chats
      </Button>
      <Dialog open={isOpen} title="Chats" onClose={() => setOpen(false)}>
        {isOpen && <ChatList {...chats} onOpen={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

/** Confirms while the model is at work: it would stop. */
function NewChat({ chat: { items, isBusy }, onNew }: { chat: Conversation; onNew: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const start = () => {
    setAsking(false);
    restartChat();
    onNew();
  };
  return (
    <>
      <Button
        icon={Plus}
        disabled={items.length === 0}
        onClick={() => (isBusy ? setAsking(true) : start())}
      >
        New chat
      </Button>
      <Confirm
        open={isAsking}
        title="Start a new chat?"
        action="New chat"
        onClose={() => setAsking(false)}
        onConfirm={start}
      >
        <p>The model stops. What it said so far stays in the list of chats.</p>
      </Confirm>
    </>
  );
}
