const skills = () => import("./skills.ts");
const jobs = () => import("./jobs.ts");
const deadLetters = () => import("./dead-letters.ts");

/** What each command of this package shows, loaded when it runs. */
export const workViews = {
  "skills list": async () => (await skills()).listSkills,
  "skills published": async () => (await skills()).listPublished,
  "skills show": async () => (await skills()).showSkill,
  "skills run": async () => (await skills()).runSkill,
  "tasks list": async () => (await jobs()).listTasks,
  "tasks show": async () => (await jobs()).showTask,
  "jobs list": async () => (await jobs()).listJobs,
  "jobs run": async () => (await jobs()).runJob,
  "jobs rerun": async () => (await jobs()).rerunJob,
  "jobs status": async () => (await jobs()).showRun,
  "jobs cancel": async () => (await jobs()).cancelRun,
  "jobs show": async () => (await jobs()).showJob,
  "jobs pause": async () => (await jobs()).pauseJob,
  "jobs resume": async () => (await jobs()).resumeJob,
  "jobs history": async () => (await jobs()).listHistory,
  "dead-letters list": async () => (await deadLetters()).listDeadLetters,
  "dead-letters retry": async () => (await deadLetters()).retryDeadLetters,
  "dead-letters show": async () => (await deadLetters()).showDeadLetter,
  "dead-letters resolve": async () => (await deadLetters()).resolveDeadLetter,
  "dead-letters abandon": async () => (await deadLetters()).abandonDeadLetter,
  "dead-letters delete": async () => (await deadLetters()).deleteDeadLetter,
};
