/** Of one program. */
export const codeLimits = { memoryBytes: 128 * 1024 * 1024, cpuMs: 5_000, calls: 200 };
