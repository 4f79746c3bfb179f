import { type Configuration, ownedBy } from "../catalogue/catalogue.ts";
import { sameJson } from "../lib/json/plain-data.ts";
import type { Store } from "../model/store.ts";
import type { JobSchedule, KeptJobRun } from "../model/work/job-run.ts";

type WorkWrites = Pick<
  Store,
  | "addDeadLetter"
  | "addJobRun"
  | "fireJobSchedules"
  | "jobSchedule"
  | "jobSchedules"
  | "putJobSchedules"
  | "dueJobSchedules"
>;

/**
 * The store as the work of one configuration uses it. Jobs of one name in two configurations have a schedule and a pause
 * each, and what is run later is run where it was asked for.
 */
export function withOwnWork(store: Store, configuration: Configuration): Store {
  if (configuration === null) return store;
  const { files } = ownedBy(configuration);
  const owned = <T extends object>(record: T) => ({ ...record, ...ownedBy(configuration) });
  const isOwn = (schedule: JobSchedule) => sameJson(schedule.files ?? null, files ?? null);
  // Two configurations may have a job of one name at one time, or with one key.
  const ownRun = (run: KeptJobRun) =>
    owned({ ...run, slot: run.slot === run.id ? run.slot : JSON.stringify([run.slot, files]) });
  /** As an earlier version kept it: where it was paused, it is paused in each configuration. */
  const copyOf = (shared: JobSchedule) => owned({ ...shared, revision: 0 });
  const writes: WorkWrites = {
    addDeadLetter: (letter, most) => store.addDeadLetter(owned(letter), most),
    // What was asked for under a key before configurations were kept apart stays one run.
    addJobRun: (run, ...earlierSlots) =>
      store.addJobRun(ownRun(run), ...earlierSlots, run.slot === run.id ? undefined : run.slot),
    fireJobSchedules: (firings) =>
      store.fireJobSchedules(
        firings.map(({ schedule, runs }) => ({
          schedule: owned(schedule),
          runs: runs.map(ownRun),
        })),
      ),
    async jobSchedule(job, owner) {
      const ownSchedule = await store.jobSchedule(job, owner, files);
      if (ownSchedule !== null) return ownSchedule;
      const sharedSchedule = await store.jobSchedule(job, owner);
      return sharedSchedule && copyOf(sharedSchedule);
    },
    async jobSchedules() {
      const schedules = await store.jobSchedules();
      const ownSchedules = schedules.filter(isOwn);
      const isCovered = ({ job, owner }: JobSchedule) =>
        ownSchedules.some((schedule) => schedule.job === job && schedule.owner === owner);
      const sharedSchedules = schedules.filter((schedule) => schedule.files === undefined);
      return [
        ...ownSchedules,
        ...sharedSchedules.filter((schedule) => !isCovered(schedule)).map(copyOf),
      ];
    },
    putJobSchedules: (schedules) => store.putJobSchedules(schedules.map(owned)),
    dueJobSchedules: async (now) => (await store.dueJobSchedules(now)).filter(isOwn),
  };
  return { ...store, ...writes };
}
