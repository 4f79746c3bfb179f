import type { HealthSample, NewSamples } from "../model/catalogue/health.ts";
import type { PlaneFiles } from "../model/store.ts";

/** No subject of an earlier version begins with it. */
const markPrefix = "@";
const markPattern = /^@\w+ /;

/**
 * Servers of one name in two configurations have a health each: the subjects of what is stored name the configuration.
 * Samples of earlier versions name none and count for all, until newer ones take their places.
 */
export function createOwnSamples(configuration: () => PlaneFiles | null) {
  let marked: { files: readonly string[]; mark: string } | undefined;
  const markNow = (): string => {
    const files = configuration()?.own;
    if (files === undefined) return "";
    if (marked?.files !== files) marked = { files, mark: markOf(files) };
    return marked.mark;
  };
  return {
    marked(samples: readonly HealthSample[]): readonly HealthSample[] {
      const mark = markNow();
      if (mark === "") return samples;
      return samples.map((sample) => ({ ...sample, subject: `${mark}${sample.subject}` }));
    },
    ours({ samples, newest }: NewSamples): NewSamples {
      const mark = markNow();
      const ownSamples = samples.flatMap((sample) => {
        const { subject } = sample;
        const sampleMark = markPattern.exec(subject)?.[0];
        if (sampleMark === undefined) return [sample];
        // A store that planes share may have been imported from one of a machine.
        if (mark !== "" && sampleMark !== mark) return [];
        return [{ ...sample, subject: subject.slice(sampleMark.length) }];
      });
      return { samples: ownSamples, newest };
    },
  };
}

function markOf(files: readonly string[]): string {
  const { hash } = process.getBuiltinModule("node:crypto");
  return `${markPrefix}${hash("sha256", JSON.stringify(files)).slice(0, 16)} `;
}
