import { Fragment } from "react";
import { hiddenCharacters, nameCharacter } from "./hidden-characters.ts";

/**
 * Untrusted text that a person decides by. Invisible and direction-changing characters are shown by name, so that the
 * person approves what they read.
 */
export function VisibleText({ text }: { text: string }) {
  const occurrences = [...text.matchAll(hiddenCharacters)];
  if (occurrences.length === 0) return text;
  return (
    <>
      {text.slice(0, occurrences[0]?.index)}
      {occurrences.map(({ index, 0: character }, occurrenceIndex) => (
        <Fragment key={index}>
          <mark
            title="A character that is not seen"
            className="rounded bg-warn-soft px-0.5 text-warn"
          >
            {nameCharacter(character)}
          </mark>
          {text.slice(index + character.length, occurrences[occurrenceIndex + 1]?.index)}
        </Fragment>
      ))}
    </>
  );
}
