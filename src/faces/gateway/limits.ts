/** What one plane takes from the clients that are connected to it. */
export const bodyLimitBytes = 4 * 1024 * 1024;
/** Of one caller; the one that was used least recently makes room. */
export const sessionsPerCaller = 256;
export const subscriptionsLimit = 1_024;
/** An answer that broke off may be fetched that long by whoever knows where it broke off. */
export const resumeMs = 30_000;
/** Events of one session that can be told again. */
export const keptEvents = 256;
export const keptEventBytes = 1024 * 1024;
/** A reader that is slower than this many bytes is none. */
export const unreadLimitBytes = 16 * 1024 * 1024;
/** So that nobody on the way takes a quiet stream for a dead one. */
export const keepAliveMs = 15_000;
