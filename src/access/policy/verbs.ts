/** Words that begin or end the name of a tool and say what it does. */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Verbs of looking, and of working something out without leaving a trace. */
export const readVerbs = words(`
  get list read fetch search find query show describe view look lookup count check inspect browse download peek preview
  validate verify diff compare analyze analyse summarize summarise explain compute calc calculate convert translate
  parse format detect estimate predict status info ping whoami help echo is has can exists resolve scan monitor watch
  trace measure screenshot snapshot wait retrieve load lint grep glob ls cat head tail stat tree select filter sort
  aggregate group rank suggest recommend discover enumerate identify classify extract ask answer think plan render
  solve evaluate sum average round encode decode hash random tell version health history
`);

/** Reading words that are nouns as often: what stands at the end of the name counts for more. */
export const nounLikeReads = words(
  "list search query status info view count history version health plan group tree watch",
);

export const writeVerbs = words(`
  create write update delete edit remove push commit put post patch add set insert modify merge send execute exec run
  move upload drop reset scale click rename copy save store upsert replace append publish deploy install uninstall
  start stop restart kill cancel close reopen approve reject assign unassign grant revoke enable disable purge truncate
  clear flush rollback revert restore migrate fill type press submit drag fork star unstar transfer pay charge refund
  order buy book reserve invite ban archive unarchive import sync trigger apply resize attach detach lock unlock sign
  tag untag comment reply subscribe unsubscribe register unregister mark toggle increment decrement rotate provision
  terminate reboot mount unmount chmod chown mkdir rm rmdir mv cp touch broadcast notify email dispatch schedule pause
  resume configure change alter destroy erase wipe overwrite prune cherry rebase squash share unshare follow unfollow
  like vote upvote pin unpin mute unmute block unblock activate deactivate promote demote join leave link unlink draft
  generate build compile sell withdraw deposit spend burn mint swap ship kick release unpublish retry
  checkout stash clone pull init bootstrap shutdown halt suspend evict cordon drain taint label annotate
`);

/** Writing words that are nouns as often: behind them, a reading word at the end counts for more. */
export const nounLikeWrites = words(`
  post commit comment release order request fork branch tag star pull merge message log patch book mail email record
  share link lock note schedule import build label draft block vote like pin email charge transfer change image
`);

/** Adding up numbers leaves no trace. */
export const arithmetic = words("add sum subtract multiply divide increment decrement round");
export const quantities = words(
  "number numbers int ints integer integers float floats value values vectors two",
);

/** Reading words that mean something else with what follows them. */
export const phrasal: ReadonlySet<string> = new Set(["check in", "check out", "look after", "read in"]);

/** What joins two verbs in one name. */
export const joining = words("and or then");

/** What stands behind these says what for, not what is done. */
export const purposes = words("to for by of with in from before after");
